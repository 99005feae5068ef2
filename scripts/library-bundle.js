// Bundles the library: `lib/start.cjs` has what every program executes, `lib/often.cjs` what expressions and recovery execute
// in addition, `lib/start-more.cjs` the rest of `pawl`, `lib/rest.cjs` what only the other entries import; and each published
// entry is a module that takes its exports from them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { importedBy, namesOf } from './sources.js';
import { buildSplit, divide, fileOf, loadedFrom, REQUIRE, sourceAt } from './split-bundle.js';

/** It imports vitest, which cannot be required: it is a module, and takes what the other entries have from the library. */
const SUITES = 'src/proof/suites/index.ts';

/** A program that goes on loads everything soon, so that an upgrade of the package cannot take it away from it. */
const LOAD_MORE = "setTimeout(() => { try { require('./often.cjs'); require('./start-more.cjs'); } catch {} }, 1000).unref();";

/** Modules of Node that are loaded when one of their functions is first called: a program that runs functions needs neither. */
const LOADED_BY_CALLS = ['node:fs/promises', 'node:timers/promises'];

/** A Node that is too old for the rest says so in a sentence. */
const CHECK_NODE = `import { nodeProblem } from './bin/needed-node.js';
const problem = nodeProblem(process.versions.node);
if (problem) throw Object.assign(new Error(problem), { stack: problem, code: 'ERR_PAWL_NODE' });`;

/** How the first file is loaded: with what V8 compiled earlier. */
const REQUIRE_COMPILED = `import { requireCompiled } from './src/api/module/compiled.ts';
const require = (name) => requireCompiled(process.getBuiltinModule('node:path').join(import.meta.dirname, name));`;

/**
 * @typedef {{
 *   root: string,
 *   folder: string,
 *   read: (source: string) => import('./sources.js').Source,
 *   startup: { readonly library: readonly string[], readonly often: readonly string[] },
 *   options: import('esbuild').BuildOptions,
 *   build: (options: import('esbuild').BuildOptions) => Promise<void>,
 * }} Library
 */

/**
 * Writes the library to a folder.
 * @param {Library} library
 */
export async function bundleLibrary(library) {
  const { root, folder, read, startup, options, build } = library;
  const entries = publishedEntries(root).filter((entry) => entry !== SUITES);
  const all = importedBy(entries, read);
  const layers = {
    'start.cjs': { entries: ['src/index.ts'], executed: startup.library },
    'often.cjs': { entries: ['src/index.ts'], executed: startup.often },
  };
  const divided = divide(layers, read);
  const usedBySuites = [...importedBy([SUITES], read)].filter((source) => all.has(source));
  const split = {
    ...divided,
    root,
    read,
    asked: new Set([...entries, ...usedBySuites].filter((source) => !divided.owners.has(source))),
  };
  await buildSplit(split, (file, table, plugin) => {
    const contents = file === 'start.cjs' ? `${table}\n${LOAD_MORE}` : table;
    return build({
      ...options,
      format: 'cjs',
      define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
      stdin: { contents, resolveDir: root },
      outfile: join(folder, 'lib', file),
      plugins: [...(options.plugins ?? []), plugin, builtinModules()],
    });
  });
  for (const entry of entries) {
    const lib = libraryFrom(entry);
    const names = namesOf(read(entry)).join(', ');
    const require = fileOf(split, entry) === 'start.cjs' ? REQUIRE_COMPILED : REQUIRE;
    const contents = `${CHECK_NODE}\n${require}\nexport const { ${names} } = ${loadedFrom(split, entry, lib)};`;
    await build({ ...options, format: 'esm', stdin: { contents, resolveDir: root }, outfile: join(folder, moduleOf(entry, '.mjs')) });
    const text = `import library from '${lib}${fileOf(split, entry)}';\nexport const { ${names} } = library.modules['${entry}'];\n`;
    writeFileSync(join(folder, moduleOf(entry, '.bundler.mjs')), text);
  }
  const plugins = [...(options.plugins ?? []), fromLibrary(split, all), builtinModules()];
  await build({ ...options, format: 'esm', entryPoints: [SUITES], outfile: join(folder, moduleOf(SUITES, '.mjs')), plugins });
}

/**
 * Where an entry's module is, below the folder of the library's files.
 * @param {string} entry
 * @param {string} ending
 */
function moduleOf(entry, ending) {
  return entry.replace(/^src\//, '').replace(/\.ts$/, ending);
}

/**
 * The folder with the files of the library, from the module of an entry. (Importing them would take longer than requiring
 * them: Node searches what is imported for the names of its exports.)
 * @param {string} entry
 */
function libraryFrom(entry) {
  return `./${posix.relative(posix.dirname(entry), 'src/lib')}/`;
}

/**
 * The sources of the published entries.
 * @param {string} root
 */
function publishedEntries(root) {
  /** @type {{ exports: Record<string, string | { default: string }> }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]));
  return files.map((file) => file.replace('./dist/', 'src/').replace(/\.mjs$/, '.ts'));
}

/**
 * Takes some sources from the files of the library.
 * @param {import('./split-bundle.js').Split} split
 * @param {ReadonlySet<string>} sources
 * @returns {import('esbuild').Plugin}
 */
function fromLibrary(split, sources) {
  return {
    name: 'from-library',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
        const source = sourceAt(split, resolveDir, path);
        return sources.has(source) ? { path: source, namespace: 'library' } : undefined;
      });
      onLoad({ filter: /./, namespace: 'library' }, ({ path }) => {
        const exported = namesOf(split.read(path)).map((name) => `export const ${name} = /* @__PURE__ */ read('${name}');`);
        const table = `${REQUIRE}\nconst module = ${loadedFrom(split, path, libraryFrom(SUITES))};\nconst read = (name) => module[name];`;
        return { contents: [table, ...exported].join('\n') };
      });
    },
  };
}

/**
 * Takes the modules of Node with `getBuiltinModule`. That is quicker than `import`, which reads every property of a module,
 * some of which load others; and programs that bundle the library as modules have no `require`.
 * @returns {import('esbuild').Plugin}
 */
function builtinModules() {
  return {
    name: 'builtin-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin', sideEffects: false }));
      onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => {
        const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== 'default');
        const exported = names.map((name, index) => `const n${index} = /* @__PURE__ */ read('${name}'); export { n${index} as ${name} };`);
        const load = `process.getBuiltinModule('${path}')`;
        const module = LOADED_BY_CALLS.includes(path)
          ? `const read = (name) => (...given) => ${load}[name](...given);`
          : `const module = ${load};\nconst read = (name) => module[name];`;
        return { contents: [module, ...exported, ...(LOADED_BY_CALLS.includes(path) ? [] : ['export default module;'])].join('\n') };
      });
    },
  };
}
