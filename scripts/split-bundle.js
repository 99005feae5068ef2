// Divides the sources of a program among several CommonJS files, so that it starts without reading all of them. Each
// source is in exactly one file. A file takes what an earlier one has from there; a function that a later file has is
// replaced by one that loads that file when it is first called, and `import()` loads the file of its source.
//
// For each file that is asked for, such as `engine.cjs`, there are two: `engine.cjs` has what is executed at a start, and
// `engine-more.cjs` has whatever else the same sources import. `rest.cjs` has all that is only loaded with `import()`.
// Sources do not have to know about any of this: their imports are the usual ones.

import { join, relative, sep } from 'node:path';
import { importedBy, loadedTogether, namesOf } from './sources.js';

/** The file with the sources that no other file has. */
const REST = 'rest.cjs';

/**
 * @typedef {import('./sources.js').Source} Source
 * @typedef {{
 *   root: string,
 *   read: (source: string) => Source,
 *   owners: ReadonlyMap<string, string>,
 *   files: readonly string[],
 *   asked: Set<string>,
 * }} Split What is divided: the file of each source, the files in the order in which they are loaded, and the sources that
 *   `rest.cjs` has to offer, which are noted as the other files are built.
 */

/**
 * Decides which file has which source.
 * @param {Readonly<Record<string, { readonly entries: readonly string[], readonly executed: readonly string[] }>>} layers
 *   The files, each with the sources that it is for, and those that are executed when it is loaded.
 * @param {Split['read']} read
 * @returns {Pick<Split, 'owners' | 'files'>}
 */
export function divide(layers, read) {
  /** @type {Map<string, string>} */
  const owners = new Map();
  /** @param {string} file @param {Iterable<string>} sources */
  const give = (file, sources) => {
    for (const source of sources) if (!owners.has(source)) owners.set(source, file);
  };
  const imported = Object.entries(layers).map(([file, { entries, executed }]) => {
    const sources = importedBy(entries, read);
    const started = [...entries, ...executed.filter((source) => sources.has(source))];
    return { file, sources, together: loadedTogether(started, { read, all: sources }) };
  });
  const [first, ...others] = imported;
  // What several of the others execute is in the first file, which is always loaded, so that they do not load each other.
  const shared = others.flatMap(({ together }) =>
    [...together].filter((source) => others.some((one) => one.together !== together && one.together.has(source))),
  );
  if (first !== undefined) give(first.file, loadedTogether([...first.together, ...shared], { read, all: first.sources }));
  for (const { file, together } of others) give(file, together);
  for (const { file, sources } of imported) give(file.replace('.cjs', '-more.cjs'), sources);
  const more = Object.keys(layers).map((file) => file.replace('.cjs', '-more.cjs'));
  return { owners, files: [...Object.keys(layers), ...more.filter((file) => [...owners.values()].includes(file))] };
}

/**
 * Builds the files of a split one after the other.
 * @param {Split} split
 * @param {(file: string, contents: string, plugin: import('esbuild').Plugin) => Promise<void>} build
 */
export async function buildSplit(split, build) {
  for (const file of split.files) await build(file, tableOf(split, file), filePlugin(split, file));
  // A getter each, so that a source is evaluated when it is asked for. In order: they were noted in that of a parallel build.
  const getters = [...split.asked].sort().map((source) => `get '${source}'() { return require('./${source}'); }`);
  await build(REST, `'use strict'; exports.modules = { ${getters.join(', ')} };`, filePlugin(split, REST));
}

/**
 * For a file that has a copy of all that it imports, and takes only what it loads with `import()` from the files of a
 * split, which are built after it.
 * @param {Split} split
 * @returns {import('esbuild').Plugin}
 */
export function standalone(split) {
  return {
    name: 'standalone',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const source = sourceAt(split, resolveDir, path);
        if (!split.owners.has(source)) split.asked.add(source);
        return { path: source, namespace: 'loaded' };
      });
      loadOnDemand(split, { onResolve, onLoad });
    },
  };
}

/** The first line of a module that loads these files: `import` would search them for the names of their exports, which takes longer. */
export const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/**
 * The file that has a source.
 * @param {Pick<Split, 'owners'>} split
 * @param {string} source
 */
export function fileOf({ owners }, source) {
  return owners.get(source) ?? REST;
}

/**
 * The program text that loads what a source exports.
 * @param {Split} split
 * @param {string} source
 * @param {string} [folder]
 */
export function loadedFrom(split, source, folder = './') {
  return `require('${folder}${fileOf(split, source)}').modules['${source}']`;
}

/**
 * The text that a file is bundled from: it exports a table of its sources.
 * @param {Split} split
 * @param {string} file
 */
function tableOf({ owners, read }, file) {
  const sources = [...owners].filter(([, owner]) => owner === file).map(([source]) => ({ source, names: namesOf(read(source)) }));
  const imports = sources.map(({ source, names }, n) => {
    return `import { ${names.map((name) => `${name} as ${name}_${n}`).join(', ')} } from './${source}';`;
  });
  // A getter each, so that the start does not create hundreds of objects.
  const getters = sources.map(({ source, names }, n) => {
    return `get '${source}'() { return { ${names.map((name) => `${name}: ${name}_${n}`).join(', ')} }; }`;
  });
  return [...imports, `export const modules = { ${getters.join(', ')} };`].join('\n');
}

/**
 * @param {Split} split
 * @param {string} file
 * @returns {import('esbuild').Plugin}
 */
function filePlugin(split, file) {
  const { owners, files, asked, read } = split;
  const order = [...files, REST];
  return {
    name: 'split-bundle',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
        const source = sourceAt(split, resolveDir, path);
        const owner = fileOf(split, source);
        if (owner === file && (kind !== 'dynamic-import' || file === REST)) return undefined;
        if (owner === REST) asked.add(source);
        if (kind === 'dynamic-import') return { path: source, namespace: 'loaded' };
        return { path: source, namespace: order.indexOf(owner) < order.indexOf(file) ? 'earlier' : 'later' };
      });
      loadOnDemand(split, { onResolve, onLoad });
      // Read once, when the file is loaded: no source exports a `let`. One call of `require` for each file, not for each source.
      onResolve({ filter: /^table:/ }, ({ path }) => ({ path: path.replace('table:', ''), namespace: 'table' }));
      onLoad({ filter: /./, namespace: 'table' }, ({ path }) => ({ contents: `export const { modules } = require('./${path}');` }));
      onLoad({ filter: /./, namespace: 'earlier' }, ({ path }) => {
        const table = `import { modules } from 'table:${owners.get(path)}';\nconst module = modules['${path}'];\nconst read = (name) => module[name];`;
        const exported = namesOf(read(path)).map((name) => `export const ${name} = /* @__PURE__ */ read('${name}');`);
        return { contents: [table, ...exported].join('\n') };
      });
      onLoad({ filter: /./, namespace: 'later' }, ({ path }) => {
        const load = `let loaded;\nconst load = () => (loaded ??= ${loadedFrom(split, path)});`;
        const stubs = [...read(path).functions].map((name) => `export function ${name}(...given) { return load().${name}(...given); }`);
        return { contents: [load, ...stubs].join('\n') };
      });
    },
  };
}

/**
 * @param {Split} split
 * @param {Pick<import('esbuild').PluginBuild, 'onResolve' | 'onLoad'>} build
 */
function loadOnDemand(split, { onResolve, onLoad }) {
  onResolve({ filter: /^\.\/[\w-]+\.cjs$/ }, ({ path }) => ({ path, external: true }));
  onLoad({ filter: /./, namespace: 'loaded' }, ({ path }) => ({ contents: `module.exports = ${loadedFrom(split, path)};` }));
}

/**
 * The source that an import names, by its path below the root.
 * @param {Split} split
 * @param {string} folder
 * @param {string} path
 */
export function sourceAt({ root }, folder, path) {
  return relative(root, join(folder, path)).split(sep).join('/');
}
