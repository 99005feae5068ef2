import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referencePage } from '../../scripts/reference-page.ts';
import { ERROR_CODES } from '../../src/base/error.ts';
import { COMMANDS } from '../../src/cli/catalogue.ts';
import { exitOf } from '../../src/cli/status.ts';
import type { RunStatus } from '../../src/definition/run-status.ts';

const root = join(import.meta.dirname, '..', '..');
// A record, so that a new state does not compile until it is here.
const STATUSES: Readonly<Record<RunStatus, true>> = {
  pending: true,
  running: true,
  waiting: true,
  completed: true,
  overridden: true,
  failed: true,
  escalated: true,
  rejected: true,
  cancelled: true,
};
const page = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8');

test('docs/reference/cli.md matches the help of the commands; "npm run reference" writes it', () => {
  expect(page).toBe(referencePage(COMMANDS));
});

test('every exit code of an error or a run is in the table', () => {
  const documented = new Set([...page.matchAll(/^\| (\d+) \| /gm)].map(([, code]) => Number(code)));
  const used = new Set([
    ...Object.values(ERROR_CODES).map(({ exit }) => exit),
    ...Object.keys(STATUSES).map((status) => exitOf(status as RunStatus)),
  ]);
  expect([...used].filter((code) => !documented.has(code))).toEqual([]);
});
