import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FINDINGS } from './finding.ts';

const PAGE = readFileSync(new URL('../../../docs/reference/findings.md', import.meta.url), 'utf8');

/** The rows of the page: code, severity, what is wrong, example, fix. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test('docs/reference/findings.md lists every finding with its severity, and nothing else', () => {
  const listed = Object.fromEntries(ROWS.map(([code = '', severity = '']) => [code.replaceAll('`', ''), severity]));
  expect(listed).toEqual(FINDINGS);
  expect(ROWS.length).toBe(Object.keys(FINDINGS).length);
});

test('each finding has an example and a fix', () => {
  expect(ROWS.filter((cells) => cells.length !== 5 || cells.some((cell) => cell === ''))).toEqual([]);
});
