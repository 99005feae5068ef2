import { describe, expect, test } from 'vitest';
import { docViolations, headerViolations, nameViolations, participleViolations } from './naming.ts';
import { parseSource } from './source.ts';

describe('names of files', () => {
  test.each([
    'src/base/types.ts',
    'src/utils/text.ts',
    'src/base/helpers.ts',
    'src/common/id.ts',
    'src/engine/manager.ts',
    'src/base/utils.test.ts',
  ])('names of files name a concept: %s is rejected', (path) => {
    expect(nameViolations(path, [])[0]).toContain('name the concept it owns');
  });

  test('names of files are in kebab-case and not numbered', () => {
    expect(nameViolations('src/base/RunLease.ts', [])[0]).toContain('kebab-case');
    expect(nameViolations('src/base/lease-part-2.ts', [])[0]).toContain('numbered');
    expect(nameViolations('src/base/run-lease.test.ts', [])).toEqual([]);
  });

  test('names of files are "index" only where the package publishes an entry', () => {
    expect(nameViolations('src/base/index.ts', ['src/index.ts'])[0]).toContain('package.json does not publish it');
    expect(nameViolations('src/index.ts', ['src/index.ts'])).toEqual([]);
  });
});

describe('the header of a file', () => {
  const header = (text: string) => headerViolations(parseSource('src/base/sample.ts', text));

  test('the header of a file comes before all code and is not the doc comment of an export', () => {
    expect(header('// Owns names.\n\nwork();')).toEqual([]);
    expect(header('work();')).toHaveLength(1);
    expect(header("import './id.ts';\n// Owns names.\n")).toHaveLength(1);
    expect(header('/** A name. */\nexport const name = 1;')).toHaveLength(1);
  });
});

describe('the doc comment of an export', () => {
  const docs = (text: string) => docViolations(parseSource('src/base/sample.ts', text));

  test.each([
    'export const x = 1;',
    'export function x() {}',
    'export class x {}',
    'export type x = 1;',
    'export interface x {}',
    'export default class x {}',
    'const x = 1;\nexport { x };',
    '// An ordinary comment.\nexport const x = 1;',
    '/** Of something else. */\nwork();\nexport const x = 1;',
  ])('the doc comment of an export is demanded: %s', (text) => {
    expect(docs(text)).toEqual([expect.stringContaining('exports x without a doc comment')]);
  });

  test('the doc comment of an export is enough once for all overloads, and once where the thing is made', () => {
    expect(docs('/** X. */\nexport function x(a: 1): 1;\nexport function x(a: 2): 2;\nexport function x(a: number) { return a; }')).toEqual(
      [],
    );
    expect(docs("export { x } from './x.ts';")).toEqual([]);
    expect(docs('/** X. */\nconst x = 1;\nexport { x };')).toEqual([]);
  });
});

test('a type is not named by a participle alone', () => {
  const found = (text: string) => participleViolations(parseSource('src/base/sample.ts', text));
  expect(found('export interface Held { readonly a: 1 }\n')[0]).toContain('names a type Held; say what it is');
  expect(found('type Checked = 1;\n')).toHaveLength(1);
  expect(found('interface HeldResult {}\ntype Setting = 1;\nclass Feed {}\n')).toEqual([]);
});
