import { expect, test } from 'vitest';
import { importCycles } from './cycles.ts';
import { parseSource } from './source.ts';

const file = (path: string, text: string) => parseSource(path, text);

test('files that need each other to load are a cycle, however long the way', () => {
  const sources = [
    file('src/a.ts', "import { b } from './b.ts';\nexport const a = b;"),
    file('src/b.ts', "export { c } from './c.ts';\nexport const b = 1;"),
    file('src/c.ts', "import { a, type A } from './a.ts';\nexport const c = a;"),
  ];
  expect(importCycles(sources)).toEqual(['src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts']);
});

test('an import that is loaded later counts', () => {
  const sources = [file('src/a.ts', "import { b } from './b.ts';"), file('src/b.ts', "export const b = () => import('./a.ts');")];
  expect(importCycles(sources)).toEqual(['src/a.ts -> src/b.ts -> src/a.ts']);
});

test('an import of types is no cycle', () => {
  const sources = [
    file('src/a.ts', "import { type B } from './b.ts';\nimport type { C } from './c.ts';"),
    file('src/b.ts', "import { a } from './a.ts';\nexport const b = () => a;"),
    file('src/c.ts', "import { b } from './b.ts';"),
  ];
  expect(importCycles(sources)).toEqual([]);
});
