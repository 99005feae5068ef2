// What a program pays that imports the library: few files, and none of Node's modules that take long to load.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

const FILES_MAX = 3;

/** Every file of the bundle that importing an entry loads, and what these import of Node. */
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
  return { files: [...files], builtins: [...builtins].sort() };
}

test('importing the library loads a few files and only quick modules of Node', () => {
  const { files, builtins } = closureOf('index.js');
  expect(files.length).toBeLessThanOrEqual(FILES_MAX);
  expect(builtins).toEqual([
    'node:crypto',
    'node:events',
    'node:fs',
    'node:fs/promises',
    'node:os',
    'node:path',
    'node:sqlite',
    'node:string_decoder',
    'node:timers/promises',
  ]);
});
