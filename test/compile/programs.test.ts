// The types of the package, as users get them: programs with a mistake do not compile, and the compiler says so where the
// mistake is; programs without one do; the declarations themselves are right; and every type that they name can be imported.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/bundle.js';
import { readPage } from '../cli/tutorial-page.ts';
import { FOLLOWED_PAGES, SLOW_PAGES } from '../followed-pages.ts';
import { PackageFolder } from './package.ts';
import { RIGHT } from './right-programs.ts';
import { unexportedTypes } from './unexported.ts';
import { WRONG_PROGRAMS } from './wrong-programs.ts';
import { WRONG_STEPS } from './wrong-steps.ts';

const pawl = new PackageFolder();
afterAll(() => pawl.remove());

const RECIPES = join(import.meta.dirname, '../../examples/recipes');

const HEAD = `import { arg, defineWorkflow, type Engine, type OutputSchema, step, workflow } from 'pawl';
declare const sizeSchema: OutputSchema<{ readonly size: number }>;
export type Used = [typeof arg, typeof defineWorkflow, Engine, typeof step, typeof workflow, typeof sizeSchema];
`;

const stepPrograms = WRONG_STEPS.trim()
  .split('\n')
  .map((line): readonly [string, string] => {
    const [name = '', step = '', words = ''] = line.split(' | ');
    const steps = `    ${step} //! ${words}\n    end: { command: 'x', next: null },`;
    return [name, `export const w = defineWorkflow({\n  name: 'w',\n  steps: {\n${steps}\n  },\n});\n`];
  });
const programs = [...stepPrograms, ...Object.entries(WRONG_PROGRAMS)].map(([name, text], index) => ({
  name,
  file: `wrong-${index}.ts`,
  text: `${HEAD}${text}`,
}));
for (const { file, text } of programs) pawl.write(file, text);
for (const [index, text] of Object.values(RIGHT).entries()) pawl.write(`right-${index}.ts`, text);
const recipes = globSync('*/.pawl/workflows/*.ts', { cwd: RECIPES });
for (const file of recipes) pawl.write(`recipe-${file.split('/')[0]}.ts`, readFileSync(join(RECIPES, file), 'utf8'));

/** What the compiler has to say about a program: the line with the mark, and words of the message. */
function marked(text: string): { readonly line: number; readonly words: string } {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => line.includes('//!'));
  return { line: index + 1, words: lines[index]?.split('//!')[1]?.trim() ?? '' };
}

test('there are a hundred wrong programs, and each marks its mistake', () => {
  expect(programs.length).toBeGreaterThanOrEqual(100);
  expect(programs.filter(({ text }) => marked(text).line === 0)).toEqual([]);
});

describe.each([
  ['newest', 'bundler'],
  ['5.9', 'nodenext'],
] as const)('TypeScript %s, %s', (compiler, resolution) => {
  const found = Map.groupBy(pawl.check(compiler, resolution), ({ file }) => file);

  test('the declarations, the right programs and the recipes compile', () => {
    expect(recipes).not.toEqual([]);
    expect([...found].filter(([file]) => !file.startsWith('wrong-')).flatMap(([, diagnostics]) => diagnostics)).toEqual([]);
  });

  test.each(programs)('$name does not compile, and the mistake is shown where it is', ({ file, text }) => {
    const { line, words } = marked(text);
    const messages = (found.get(file) ?? []).map((diagnostic) => ({ ...diagnostic, message: diagnostic.message.replaceAll('\\"', '"') }));
    expect(messages.map((message) => message.line)).toContain(line);
    expect(messages.filter((message) => message.line !== line)).toEqual([]);
    expect(messages.filter(({ message }) => !message.includes(words))).toEqual([]);
  });
});

// Which programs are wrong does not depend on how modules are found, so the other two pairs are only for the right ones.
test.each([
  ['newest', 'nodenext'],
  ['5.9', 'bundler'],
] as const)('TypeScript %s, %s: the declarations and the right programs compile', (compiler, resolution) => {
  expect(pawl.check(compiler, resolution, ['right-*.ts'])).toEqual([]);
});

test('the programs of the tutorial and the guides compile', () => {
  const pages = [...globSync('docs/tutorial/*.md', { cwd: root }), ...FOLLOWED_PAGES, ...SLOW_PAGES];
  for (const page of pages)
    for (const deed of readPage(readFileSync(join(root, page), 'utf8')))
      if (deed.do === 'write') pawl.write(join('pages', basename(page, '.md'), deed.path), deed.text);
  expect(pawl.check('newest', 'bundler', ['pages/*/*.ts', 'pages/*/.pawl/*/*.ts'])).toEqual([]);
});

test('every type that a signature names is exported', () => {
  expect(unexportedTypes(pawl.declarations)).toEqual([]);
});
