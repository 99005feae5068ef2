import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DIFFS_APPLY } from './planner-workers.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const diff = (from: string, to: string): string => `--- a/list.txt\n+++ b/list.txt\n@@ -1,2 +1,2 @@\n-${from}\n+${to}\n end\n`;

/** Whether the diffs apply to a project whose list begins with "one". */
function applies(diffs: Readonly<Record<string, string>>): boolean {
  const root = mkdtempSync(join(tmpdir(), 'pawl-diffs-'));
  folders.push(root);
  writeFileSync(join(root, 'list.txt'), 'one\nend\n');
  mkdirSync(join(root, 'notes/diffs'), { recursive: true });
  for (const [name, text] of Object.entries(diffs)) writeFileSync(join(root, 'notes/diffs', name), text);
  const { status } = spawnSync('bash', ['-o', 'pipefail', '-c', DIFFS_APPLY.replace('{folder}', 'notes')], { cwd: root });
  return status === 0;
}

test('a diff is checked against the file as the diffs before it leave it', () => {
  expect(applies({ '01-C-1.diff': diff('one', 'two'), '02-C-2.diff': diff('two', 'three') })).toBe(true);
  expect(applies({ '01-C-2.diff': diff('two', 'three'), '02-C-1.diff': diff('one', 'two') })).toBe(false);
  expect(applies({ '01-C-1.diff': diff('one', 'two'), '02-C-2.diff': diff('one', 'three') })).toBe(false);
});

test('a plan without diffs is not done', () => {
  expect(applies({})).toBe(false);
});
