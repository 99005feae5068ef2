import { describe, expect, test } from 'vitest';
import {
  errorDocViolations,
  featureViolations,
  internalsViolations,
  lockfileGaps,
  lockfileViolations,
  parseFeatureRows,
  pinViolations,
  readingListViolations,
} from './documents.ts';
import { parseSource } from './source.ts';

describe('docs/errors.md', () => {
  const section = (code: string) => `## ${code}\n\nIt happened.\n\n**What to do.** This.\n\n`;

  test('docs/errors.md has a section per code and none for anything else', () => {
    expect(errorDocViolations(['A', 'B'], section('A') + section('B'))).toEqual([]);
    expect(errorDocViolations(['A', 'B'], section('A'))).toEqual(['docs/errors.md has no section for B']);
    expect(errorDocViolations(['A'], section('A') + section('C'))).toEqual(['docs/errors.md describes C, which no code is']);
  });

  test('docs/errors.md says in each section what to do', () => {
    expect(errorDocViolations(['A'], '## A\n\nIt happened.\n')).toEqual(['docs/errors.md: A does not say "**What to do.**"']);
  });
});

describe('docs/features.md', () => {
  const ids = (family: string, size: number) =>
    Array.from({ length: size }, (_, index) => `${family}-${String(index + 1).padStart(2, '0')}`);
  const sizes = { S0: 32, S1: 18, S2: 46, S3: 33, S4: 23, RX: 10, BP: 23, NB: 12 };
  const all = Object.entries(sizes).flatMap(([family, size]) => ids(family, size));
  const table = all.map((id) => `| ${id} | a \\| b | not yet | |`);
  const violations = (lines: readonly string[]) =>
    featureViolations(parseFeatureRows(lines.join('\n')), (path) => path === 'src/a.test.ts');
  const withFirst = (row: string) => [row, ...table.slice(1)];

  test('docs/features.md has every id once', () => {
    expect(violations(table)).toEqual([]);
    expect(violations(table.slice(1))).toEqual(['docs/features.md has no row for S0-01']);
    expect(violations([...table, table[0] as string])).toEqual(['docs/features.md: S0-01 is unknown or doubled']);
    expect(violations([...table, '| NB-13 | x | not yet | |'])).toEqual(['docs/features.md: NB-13 is unknown or doubled']);
  });

  test('docs/features.md claims only what an existing test file stands behind', () => {
    expect(violations(withFirst('| S0-01 | x | done | `src/a.test.ts` |'))).toEqual([]);
    expect(violations(withFirst('| S0-01 | x | done | |'))).toEqual(['docs/features.md: S0-01 is done but names no test']);
    expect(violations(withFirst('| S0-01 | x | partial | `src/b.test.ts` |'))).toHaveLength(1);
    expect(violations(withFirst('| S0-01 | x | nearly | |'))).toEqual([
      'docs/features.md: S0-01 is "nearly"; write done, partial, not yet, not built',
    ]);
  });
});

describe('the other documents', () => {
  test('docs/internals has a page per folder', () => {
    const sources = ['src/base/id.ts', 'src/expr/parse.ts', 'src/index.ts'].map((path) => parseSource(path, ''));
    expect(internalsViolations(sources, ['base.md'])).toEqual(['docs/internals/expr.md is missing']);
  });

  test('the reading list has files that exist, and not too much of them', () => {
    const list = (path: string): string => `# A\n\n## Follow one run\n\n1. \`${path}\` does it.\n\nBy need: \`src/c.ts\`.\n\n## B\n`;
    const sources = [
      { path: 'src/a.ts', text: 'x\n' },
      { path: 'src/b.ts', text: 'x\n'.repeat(4001) },
    ];
    expect(readingListViolations(list('src/a.ts'), sources)).toEqual([]);
    expect(readingListViolations(list('src/gone.ts'), sources)[0]).toContain('src/gone.ts, which is not there');
    expect(readingListViolations(list('src/b.ts'), sources)[0]).toContain('4000 at most');
    expect(readingListViolations(list('src/folder'), sources)).toContain(
      'AGENTS.md: "Follow one run" names the folder src/folder; name the file',
    );
    expect(readingListViolations('# A\n', sources)).toEqual(['AGENTS.md: "Follow one run" has 0 files']);
  });

  test('the lockfile names no address', () => {
    expect(lockfileViolations({ packages: { a: {}, 'bench/peers': { resolved: 'bench/peers' } } })).toEqual([]);
    expect(lockfileViolations({ packages: { a: { resolved: 'https://registry.example/a.tgz' } } })).toHaveLength(1);
  });

  test('the lockfile has an entry for every optional package, whatever its platform', () => {
    const wanting = { 'node_modules/tool': { optionalDependencies: { '@tool/linux': '1.0.0' } } };
    expect(lockfileGaps({ packages: { ...wanting, 'node_modules/@tool/linux': {} } })).toEqual([]);
    expect(lockfileGaps({ packages: wanting })[0]).toContain('node_modules/tool wants @tool/linux@1.0.0');
  });

  test('dependencies are pinned', () => {
    expect(pinViolations({ dependencies: { a: '1.2.3' }, devDependencies: { b: '1.0.0-rc.1' } })).toEqual([]);
    expect(pinViolations({ dependencies: { a: '^1.2.3' }, optionalDependencies: { b: 'latest' } })).toHaveLength(2);
  });
});
