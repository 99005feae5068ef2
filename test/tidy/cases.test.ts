import { describe, expect, test } from 'vitest';
import { CASE_IDS, caseViolations, NOT_YET } from './cases.ts';

describe('docs/internals/cases.md', () => {
  const cell = (id: string): string => (NOT_YET.includes(id) ? '*not yet:* a feature' : '`a.test.ts` "it holds"');
  const table = CASE_IDS.map((id) => `| ${id} | what happens | ${cell(id)} |`);
  const violations = (rows: readonly string[]): string[] =>
    caseViolations(rows.join('\n'), (path) => (path === 'a.test.ts' ? "test('it holds always', f);" : undefined));
  const withFirst = (tests: string): string[] => [`| D01 | what happens | ${tests} |`, ...table.slice(1)];

  test('docs/internals/cases.md has every id once', () => {
    expect(violations(table)).toEqual([]);
    expect(violations(table.slice(1))).toEqual(['docs/internals/cases.md: D01 has no row']);
    expect(violations([...table, table[0] as string])).toEqual(['docs/internals/cases.md: D01 is unknown or doubled']);
  });

  test('docs/internals/cases.md names files that exist, with the title', () => {
    expect(violations(withFirst('`b.test.ts` "it holds"'))).toEqual(['docs/internals/cases.md: D01 names b.test.ts, which does not exist']);
    expect(violations(withFirst('`a.test.ts` "it breaks"'))[0]).toContain('"it breaks", which is not in a.test.ts');
    expect(violations(withFirst('by hand'))).toEqual(['docs/internals/cases.md: D01 names no test']);
  });

  test('docs/internals/cases.md says "not yet" only where that is listed', () => {
    expect(violations(withFirst('`a.test.ts` "it holds"; *not yet:* the rest'))[0]).toContain('but not in both');
    expect(violations(table.map((row) => row.replace('*not yet:* a feature', '`a.test.ts` "it holds"')))).toHaveLength(NOT_YET.length);
  });
});
