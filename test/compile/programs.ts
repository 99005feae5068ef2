// Owns the programs that users of the package may write, right ones and wrong ones, and what a compiler must say about them.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/bundle.js';
import { type Compiler, PackageFolder, type Resolution } from './package.ts';
import { RIGHT } from './right-programs.ts';
import { RIGHT_STEPS } from './right-steps.ts';
import { WRONG_PROGRAMS } from './wrong-programs.ts';
import { WRONG_REQUESTS } from './wrong-requests.ts';
import { WRONG_STEPS } from './wrong-steps.ts';

const RECIPES = join(import.meta.dirname, '../../examples/recipes');

const HEAD = `import { arg, defineStepKind, defineWorkflow, type Engine, type OutputSchema, step, type Workflow, workflow } from 'pawl';
declare const sizeSchema: OutputSchema<{ readonly size: number }>;
declare const adder: Workflow<{ readonly n: number }, { readonly sum: number }>;
export type Used = [typeof arg, typeof defineStepKind, typeof defineWorkflow, Engine, typeof step, typeof workflow, typeof sizeSchema, typeof adder];
`;

const stepPrograms = WRONG_STEPS.trim()
  .split('\n')
  .map((line): readonly [string, string] => {
    const [name = '', step = '', ...words] = line.split(' | ');
    const steps = `    ${step} //! ${words.join(' | ')}\n    end: { command: 'x', next: null },`;
    return [name, `export const w = defineWorkflow({\n  name: 'w',\n  steps: {\n${steps}\n  },\n});\n`];
  });
/** The programs with a mistake. */
export const programs = [...stepPrograms, ...Object.entries(WRONG_PROGRAMS), ...Object.entries(WRONG_REQUESTS)].map(
  ([name, text], index) => ({
    name,
    file: `wrong-${index}.ts`,
    text: `${HEAD}${text}`,
  }),
);
const recipes = globSync('*/.pawl/workflows/*.ts', { cwd: RECIPES });

/** A folder with the package and all these programs. */
export function writePrograms(): PackageFolder {
  const pawl = new PackageFolder();
  for (const { file, text } of programs) pawl.write(file, text);
  for (const [index, text] of Object.values({ ...RIGHT, ...RIGHT_STEPS }).entries()) pawl.write(`right-${index}.ts`, text);
  for (const file of recipes) pawl.write(`recipe-${file.split('/')[0]}.ts`, readFileSync(join(RECIPES, file), 'utf8'));
  return pawl;
}

/** What the compiler has to say about a program: the line with the mark, and words of each message, separated by `##`. */
export function marked(text: string): { readonly line: number; readonly words: readonly string[] } {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => line.includes('//!'));
  return { line: index + 1, words: (lines[index]?.split('//!')[1] ?? '').split('##').map((words) => words.trim()) };
}

/** The tests that a compiler passes: right programs compile, and each wrong one is refused where its mistake is. */
export function testPrograms(pawl: PackageFolder, compiler: Compiler, resolution: Resolution): void {
  const found = Map.groupBy(pawl.check(compiler, resolution), ({ file }) => file);

  test('the declarations, the right programs and the recipes compile', () => {
    expect(recipes).not.toEqual([]);
    expect([...found].filter(([file]) => !file.startsWith('wrong-')).flatMap(([, diagnostics]) => diagnostics)).toEqual([]);
  });

  test('the declarations compile without the types of Node and without a newer library than the target has', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly exports: Record<string, unknown> };
    // The suites extend vitest, whose types need those of Node.
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json' && entry !== './testing/suites');
    pawl.write('plain.ts', entries.map((entry) => `import '${entry.replace('.', 'pawl')}';\n`).join(''));
    expect(pawl.checkPlain(compiler, ['plain.ts'])).toEqual([]);
  });

  test.each(programs)('$name does not compile, and the mistake is shown where it is', ({ file, text }) => {
    const { line, words } = marked(text);
    const messages = (found.get(file) ?? []).map((diagnostic) => ({ ...diagnostic, message: diagnostic.message.replaceAll('\\"', '"') }));
    expect(messages.map((message) => message.line)).toContain(line);
    expect(messages.filter((message) => message.line !== line)).toEqual([]);
    expect(messages.filter(({ message }) => !words.some((some) => message.includes(some)))).toEqual([]);
    expect(words.filter((some) => !messages.some(({ message }) => message.includes(some)))).toEqual([]);
  });
}
