// Owns the loading of the library under Node: one file with all it takes, together with what V8 made of it before
// (bin/compiled.js). Only a process that had an engine keeps what it compiled: of one that merely looked at something,
// the next one would have little.

import { join } from 'node:path';
import { loadCompiled } from '../bin/compiled.js';

/** The build writes them here. */
const FILES = process.env.LIBRARY_FILES ?? '[]';

let isUsed = false;

/** What each file of the library exports that lies in the one file, by its name. */
export const library = process.sourceMapsEnabled ? asModules() : loadCompiled(join(import.meta.dirname, 'library.run.js'), () => isUsed);

/** Node maps positions in modules only. */
function asModules() {
  const ask = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  /** @type {string[]} */
  const names = JSON.parse(FILES);
  return Object.fromEntries(names.map((name) => [name, ask(`./esm/${name}`)]));
}

/**
 * @param {unknown} options
 * @returns {unknown}
 */
export function createEngine(options) {
  isUsed = true;
  return library['index.js'].createEngine(options);
}
