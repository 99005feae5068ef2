// Writes the types of the library, as the compiler writes them, and knows which of them users can reach.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './bundle.js';

/**
 * Writes the declarations beside the bundles; throws what the compiler says against it. What was made of the same sources
 * before is copied: the build and the tests of the package need it several times, and the compiler takes 10 seconds.
 * @param {string} folder
 */
export function writeDeclarations(folder) {
  const cache = join(root, 'node_modules', '.cache');
  const made = join(cache, `pawl-declarations-${sourcesDigest()}`);
  if (!existsSync(made)) make(made, cache);
  cpSync(made, folder, { recursive: true });
}

/**
 * Makes the declarations, and removes those of other sources.
 * @param {string} made
 * @param {string} cache
 */
function make(made, cache) {
  mkdirSync(cache, { recursive: true });
  const begun = mkdtempSync(join(cache, 'declarations-'));
  try {
    compile(begun);
    for (const other of globSync('pawl-declarations-*', { cwd: cache }))
      if (join(cache, other) !== made) rmSync(join(cache, other), { recursive: true, force: true });
    renameSync(begun, made);
  } catch (error) {
    rmSync(begun, { recursive: true, force: true });
    // Another process may have made the same meanwhile.
    if (!existsSync(made)) throw error;
  }
}

/** @param {string} folder */
function compile(folder) {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the declarations cannot be written:\n${stdout}`);
}

/** The digest of all that the declarations are made of. */
function sourcesDigest() {
  const hash = createHash('sha256');
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  for (const file of [...sources.sort(), 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
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
