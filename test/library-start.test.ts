// What a program pays that imports the library: few files, and none of Node's modules that take long to load.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

const FILES = ['index.js', 'library.js'];

/** Every module of the bundle that importing an entry loads, and what these import of Node. */
function closureOf(entry: string): { readonly files: readonly string[]; readonly builtins: readonly string[] } {
  const files = new Set<string>([entry]);
  const builtins = new Set<string>();
  for (const file of files)
    for (const [, target = ''] of readFileSync(join(inject('bundle'), file), 'utf8').matchAll(
      /(?:\}from|\bimport|\w from)"((?:\.\/|node:)[\w./-]+)"/g,
    )) {
      if (target.startsWith('./')) files.add(target.slice(2));
      else builtins.add(target);
    }
  return { files: [...files], builtins: [...builtins] };
}

test('importing the library loads two modules and one compiled file', () => {
  expect(closureOf('index.js')).toEqual({ files: FILES, builtins: ['node:path'] });
});

test('the compiled file asks for quick modules of Node only', () => {
  const text = readFileSync(join(inject('bundle'), 'library.run.js'), 'utf8');
  const asked = new Set([...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name));
  expect([...asked].sort()).toEqual([
    'node:crypto',
    'node:fs',
    'node:fs/promises',
    'node:os',
    'node:path',
    'node:sqlite',
    'node:timers/promises',
    'node:zlib',
  ]);
});

test('the compiled file is no module, and loads nothing as one by itself', () => {
  expect(readFileSync(join(inject('bundle'), 'library.run.js'), 'utf8')).not.toMatch(/\bimport\s*\(/);
});
