import { describe, expect, test } from 'vitest';
import { citedTestViolations, fileTableViolations } from './citations.ts';

describe('tests that a page cites', () => {
  const files = {
    paths: ['test/cli/a.test.ts', 'test/cli/b.test.ts'],
    read: (path: string) => (path.endsWith('a.test.ts') ? "test('it\\'s refused', …)" : "test('is accepted', …)"),
  };
  const violations = (row: string, last = 'test') =>
    citedTestViolations({ path: 'docs/page.md', text: `Text.\n\n| what | ${last} |\n|---|---|\n${row}\n` }, files);

  test('tests that a page cites exist in the file that the cell names', () => {
    expect(violations('| x | `test/cli/a.test.ts` "it\'s refused"; `b.test.ts` "is accepted" |')).toEqual([]);
    expect(violations('| x | `test/cli/a.test.ts` "is accepted" |')).toEqual([
      'docs/page.md cites "is accepted", which is not in test/cli/a.test.ts',
    ]);
    expect(violations('| x | `a.test.ts` "it\'s refused", "is gone" |')).toEqual([
      'docs/page.md cites "is gone", which is not in a.test.ts',
    ]);
  });

  test('tests that a page cites exist in a file that the page names, where the cell has only the title', () => {
    expect(violations('| x | `b.test.ts` |\n| y | "is accepted" |')).toEqual([]);
    expect(violations('| x | `b.test.ts` |\n| y | "it\'s refused" |')).toHaveLength(1);
  });

  test('tests that a page cites are in files that exist', () => {
    expect(violations('| `test/cli/c.test.ts` | x |')).toEqual(['docs/page.md names test/cli/c.test.ts, which does not exist']);
    expect(violations('| `test/cli/*.test.ts` | x |')).toEqual([]);
  });

  test('tests that a page cites are only in columns of tests', () => {
    expect(violations('| x | "anything" |', 'message')).toEqual([]);
  });
});

describe('the files that a page of docs/internals names', () => {
  const sources = ['src/a/one.ts', 'src/a/part/two.ts', 'src/a/part/three.ts'];
  const violations = (text: string) => fileTableViolations({ path: 'docs/internals/a.md', text }, sources, [...sources, 'src/b/four.ts']);

  test('the files that a page of docs/internals names are all those of the folder', () => {
    expect(violations('`one.ts`, `part/two.ts` and `three.ts`')).toEqual([]);
    expect(violations('`one.ts` and `part/`')).toEqual([]);
    expect(violations('`one.ts`, `<folder>/two.ts` and `part/th*.ts`')).toEqual([]);
    expect(violations('`one.ts` and `part/two.ts`')).toEqual(['docs/internals/a.md does not name src/a/part/three.ts, or its folder']);
  });

  test('the files that a page of docs/internals names exist', () => {
    expect(violations('`one.ts`, `part/`, `src/b/four.ts`')).toEqual([]);
    expect(violations('`one.ts`, `part/`, `src/a/four.ts`, `gone/`')).toEqual([
      'docs/internals/a.md names src/a/four.ts, which does not exist',
      'docs/internals/a.md names gone/, which does not exist',
    ]);
  });
});
