// docs/reference/api says what the types of the library and their comments say.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseModule, showDeclaration } from '../scripts/api-declaration.ts';
import { apiPages } from '../scripts/api-page.ts';
import { publishedEntries, readText } from './tidy/repository.ts';

const FOLDER = join(import.meta.dirname, '../docs/reference/api');
const pages = apiPages(readText);

test('every page is as "npm run reference" writes it, and there are no others', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(pages.map(({ file }) => file).sort());
  for (const { file, text } of pages) expect(readFileSync(join(FOLDER, file), 'utf8')).toBe(text);
});

test('every published entry has a page', () => {
  const titles = pages.map(({ text }) => text.split('\n')[0]);
  for (const entry of Object.keys(publishedEntries())) expect(titles).toContain(`# ${entry.replace('.', 'pawl')}`);
});

test('every name has a comment, and every link leads to a heading of its page', () => {
  for (const { text } of pages) {
    expect(text.match(/^### \w+\n\n```/gm)).toBeNull();
    const headings = [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    const anchors = new Set(headings.map((heading, index) => (headings.indexOf(heading) === index ? heading : `${heading}-1`)));
    expect([...text.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor).filter((anchor) => !anchors.has(anchor))).toEqual([]);
  }
});

describe('a declaration is shown', () => {
  const show = (text: string, name: string) => showDeclaration(parseModule('sample.ts', text), name);

  test('a declaration is shown with its comment and without its body', () => {
    const text = '/**\n * Adds\n * numbers.\n */\nexport async function add(a: number): Promise<number> {\n  return a;\n}\n';
    expect(show(text, 'add')).toEqual({ kind: 'function', comment: 'Adds\nnumbers.', code: 'function add(a: number): Promise<number>;' });
  });

  test('a declaration is shown with every overload and without the implementation', () => {
    const text =
      '/** One. */\nexport function f(a: string): string;\n/** Two. */\nexport function f(a: number): number;\nexport function f(a: unknown): unknown {\n  return a;\n}\n';
    expect(show(text, 'f')).toMatchObject({
      comment: 'One.',
      code: 'function f(a: string): string;\n\n/** Two. */\nfunction f(a: number): number;',
    });
  });

  test('a declaration is shown as a class with what is public', () => {
    const text =
      '/** A. */\nexport class A {\n  readonly #x = 1;\n  /** Y. */\n  readonly y: number = 2;\n  private z(): void {}\n  async go(): Promise<void> {}\n}\n';
    expect(show(text, 'A')?.code).toBe('class A {\n  /** Y. */\n  readonly y: number;\n  go(): Promise<void>;\n}');
  });

  test('a declaration is shown with the types that its module keeps to itself', () => {
    expect(show("type B = 'b';\ntype Other = 1;\n/** A. */\nexport type A = B | 'a';\n", 'A')?.code).toBe(
      "type A = B | 'a';\n\ntype B = 'b';",
    );
  });

  test('a declaration is shown as a constant by its type, or else by its value', () => {
    expect(show('/** C. */\nexport const c: number = 1;\n', 'c')?.code).toBe('const c: number;');
    expect(show('/** D. */\nexport const d = { a: 1 } as const;\n', 'd')?.code).toBe('const d = { a: 1 } as const;');
  });

  test('a declaration is shown with what each kind of step contributes, in the order of their list', () => {
    const shown = (name: string, file = 'pawl.md') =>
      pages.find((page) => page.file === file)?.text.match(new RegExp(`### ${name}\\n[\\s\\S]*?\`\`\`ts\\n([\\s\\S]*?)\`\`\``))?.[1] ?? '';
    expect(shown('StepBuilder')).toMatch(
      /^interface StepBuilder \{\n {2}\/\*\* Calls a function[\s\S]*\n {2}delay\(delay: TimeSpan \| DelaySpec\): FlowCall<null>;\n/,
    );
    expect(shown('Kinds', 'pawl-parts.md')).toContain('\n\ninterface DelayStep<C> {\n');
  });

  test('a name that the module does not declare is not shown', () => {
    expect(show('export const c = 1;\n', 'd')).toBeUndefined();
  });
});
