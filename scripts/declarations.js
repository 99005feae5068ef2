// Writes the types of the library, as the compiler writes them, and knows which of them users can reach.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './bundle.js';

/**
 * Writes the declarations beside the bundles; throws what the compiler says against it.
 * @param {string} folder
 */
export function writeDeclarations(folder) {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the declarations cannot be written:\n${stdout}`);
}

/**
 * The declarations that entries lead to, the entries included. A compiler reads no others.
 * @param {string} folder
 * @param {readonly string[]} entries
 * @returns {string[]}
 */
export function reachedDeclarations(folder, entries) {
  const reached = new Set(entries);
  for (const file of reached)
    for (const [, target = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/(?:\bfrom |\bimport\(|\bimport )'(\.[^']+)\.ts'/g))
      reached.add(join(dirname(file), `${target}.d.ts`));
  return [...reached].sort();
}
