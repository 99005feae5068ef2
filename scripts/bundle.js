// Bundles the library and the command line, since a program of few files starts in a fraction of the time. Tests use it
// too, to run what is built.
//
// The library is modules. The command line is CommonJS, which Node starts faster. Each of its sources is in one of five
// files, which are loaded by need: `main.cjs` (the start, and the commands that look at runs), `skill.cjs` and
// `engine.cjs` (what `skill` and `done` need besides), `modules.cjs` (reading modules of the user) and `rest.cjs`. `import()` of a source in another file loads that file.
// `loader.cjs` loads one module of a user in a process of its own.
// The skills that are part of the package are in `shipped` (`shipped-skills.js`).

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, writeLicences } from './licences.js';
import { bundleSkills, CATALOGUE } from './shipped-skills.js';

/** The folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {import('esbuild').BuildOptions} */
const COMMON = {
  absWorkingDir: root,
  bundle: true,
  external: ['vitest', 'ai'],
  // The package's build for Node is CommonJS and calls `require`, which a bundle of modules does not have.
  alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
  platform: 'node',
  target: 'node24',
  // Names are shortened too: a third fewer bytes to read at each start. `dist` has maps to the sources.
  minify: true,
  // Node prints the line of an uncaught error.
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};

/** Loads a module of Node when something in it is first used: a command needs few of them, and `node:crypto` alone takes 4 ms. */
const BUILTINS_BY_NEED = `require = ((load) => (name) => {
  if (!name.startsWith('node:')) return load(name);
  let module;
  return new Proxy({}, { get: (_, key) => (module ??= load(name))[key] });
})(require);`;

/** @type {import('esbuild').BuildOptions} */
const COMMAND_LINE = {
  ...COMMON,
  format: 'cjs',
  banner: { js: BUILTINS_BY_NEED },
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  plugins: [englishOnly()],
};

/** For builds that are only asked what they would read. */
const WITHOUT_OUTPUT = { metafile: /** @type {const} */ (true), write: false, outdir: root };

/**
 * The files of the command line that hold all that these sources import, without what an earlier file holds; `rest.cjs` has
 * everything else. The commands named here are called all day, and would start 12 to 18 ms later from one large file.
 */
const LAYERS = {
  'main.cjs': ['src/cli/main.ts', ...['inbox', 'next', 'runs', 'show'].map((command) => `src/cli/commands/${command}.ts`)],
  'skill.cjs': ['src/cli/commands/skill.ts', 'src/cli/skills/found.ts', 'src/skills/index.ts'],
  'modules.cjs': ['src/authoring/discover/imports.ts'],
  'engine.cjs': ['src/cli/commands/done.ts'],
};

/** What workflow modules import, which the command line gives them from its own copy, by the file that does. */
const FOR_MODULES = {
  'library.js': 'src/index.ts',
  'compat.js': 'src/compat/index.ts',
  'safe-db.js': 'src/safe-db/index.ts',
  'skills.js': 'src/skills/index.ts',
  'testing.js': 'src/proof/index.ts',
};

/**
 * Writes the bundles to a folder, in place of what was there, with the licences of the packages in them. Returns the
 * folders of these packages. Tests ship skills of their own beside those of the catalogue.
 * @param {string} folder
 * @param {readonly string[]} [skills]
 */
export async function bundle(folder, skills = [CATALOGUE]) {
  rmSync(folder, { recursive: true, force: true });
  /** @type {import('esbuild').Metafile[]} */
  const metafiles = [];
  /** @param {import('esbuild').BuildOptions} options */
  const noted = async (options) => {
    const { metafile } = await build({ ...options, metafile: true });
    metafiles.push(/** @type {import('esbuild').Metafile} */ (metafile));
  };
  await noted({
    ...COMMON,
    format: 'esm',
    plugins: [englishOnly(), builtinModules()],
    splitting: true,
    entryPoints: publishedEntries(),
    outdir: folder,
    // For a file with another ending Node looks for a package.json above it.
    outExtension: { '.js': '.mjs' },
    chunkNames: 'parts/[name]-[hash]',
  });
  const [library] = metafiles;
  const owners = await bundleCommandLine(join(folder, 'cli'), noted);
  for (const [file, source] of Object.entries(FOR_MODULES)) {
    const { exports = [] } = Object.values(library?.outputs ?? {}).find(({ entryPoint }) => entryPoint === source) ?? {};
    // `require` reads no names of exports out of the file, which would take longer than running it.
    const load = `process.getBuiltinModule('node:module').createRequire(import.meta.url)('./${owners.get(source)?.file ?? 'rest.cjs'}').modules['${source}']`;
    writeFileSync(join(folder, 'cli', file), `export const { ${exports.join(', ')} } = ${load};\n`);
  }
  metafiles.push(await bundleSkills({ root, commands: join(folder, 'cli'), folders: skills, options: COMMON }));
  const packages = bundledPackages(metafiles);
  writeLicences(root, packages, join(folder, 'THIRD-PARTY-LICENSES'));
  return packages;
}

/** The sources of the published entries, by the names of their files without the ending. */
function publishedEntries() {
  /** @type {{ exports: Record<string, string | { default: string }> }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]));
  return files.map((file) => file.replace('./dist/', 'src/').replace(/\.mjs$/, '.ts'));
}

/**
 * Writes the files of the command line. Each has its sources in a table `modules`, by their path.
 * @param {string} folder
 * @param {(options: import('esbuild').BuildOptions) => Promise<void>} noted
 */
async function bundleCommandLine(folder, noted) {
  /** @type {Owners} */
  const owners = new Map();
  /** @type {Set<string>} */
  const rest = new Set(Object.values(FOR_MODULES));
  /** @param {string} file @param {string} contents */
  const write = (file, contents) =>
    noted({
      ...COMMAND_LINE,
      stdin: { contents, resolveDir: root },
      outfile: join(folder, file),
      plugins: [englishOnly(), eachInOneFile(file, owners, rest)],
    });
  // It takes nothing from the others, which would take longer to load than the module it is for.
  await noted({
    ...COMMAND_LINE,
    entryPoints: ['src/api/module/loader.ts'],
    outfile: join(folder, 'loader.cjs'),
    plugins: [englishOnly(), eachInOneFile('loader.cjs', owners, rest)],
  });
  for (const [file, entries] of Object.entries(LAYERS)) {
    const sources = (await importedBy(entries)).filter((source) => !owners.has(source));
    for (const [source, names] of await exportsOf(sources)) owners.set(source, { file, names });
  }
  for (const file of Object.keys(LAYERS)) await write(file, entryOf(file, owners));
  // A getter each, so that a source is evaluated when it is asked for.
  const getters = [...rest].map((source) => `get '${source}'() { return require('./${source}'); }`);
  await write('rest.cjs', `'use strict'; exports.modules = { ${getters.join(', ')} };`);
  return owners;
}

/**
 * The text that a file of the command line is bundled from: it exports a table of its sources.
 * @param {string} file
 * @param {Owners} owners
 */
function entryOf(file, owners) {
  const sources = [...owners].filter(([, owner]) => owner.file === file);
  const imports = sources.map(([source, { names }], n) => {
    return `import { ${names.map((name) => `${name} as ${name}_${n}`).join(', ')} } from './${source}';`;
  });
  // A getter each, so that the start does not make hundreds of objects.
  const getters = sources.map(([source, { names }], n) => {
    return `get '${source}'() { return { ${names.map((name) => `${name}: ${name}_${n}`).join(', ')} }; }`;
  });
  // `runCommandLine` is for tests, which run commands in their own process.
  const start = owners.get('src/cli/main.ts')?.file === file ? "export { main, runCommandLine } from './src/cli/main.ts';" : '';
  return [...imports, `export const modules = { ${getters.join(', ')} };`, start].join('\n');
}

/** @typedef {Map<string, { readonly file: string, readonly names: readonly string[] }>} Owners */

/**
 * The sources that some sources import, and these themselves; not what they load with `import()`.
 * @param {readonly string[]} entries
 */
async function importedBy(entries) {
  const contents = entries.map((source) => `export * from './${source}';`).join('\n');
  const { metafile } = await build({ ...COMMAND_LINE, ...WITHOUT_OUTPUT, stdin: { contents, resolveDir: root }, plugins: [notDynamic()] });
  return Object.keys(metafile.inputs).filter((source) => source.endsWith('.ts'));
}

/**
 * The names that each of some sources exports.
 * @param {readonly string[]} sources
 */
async function exportsOf(sources) {
  const { metafile } = await build({ ...WITHOUT_OUTPUT, absWorkingDir: root, entryPoints: [...sources], format: 'esm' });
  return Object.values(metafile.outputs).map(({ entryPoint = '', exports }) => /** @type {const} */ ([entryPoint, exports]));
}

/** @returns {import('esbuild').Plugin} */
function notDynamic() {
  return {
    name: 'not-dynamic',
    setup({ onResolve }) {
      onResolve({ filter: /\.ts$/ }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
    },
  };
}

/**
 * Takes sources that another file has from that file. What only `import()` loads is in `rest.cjs`, and noted for it.
 * @param {string} file
 * @param {Owners} owners
 * @param {Set<string>} rest
 * @returns {import('esbuild').Plugin}
 */
function eachInOneFile(file, owners, rest) {
  return {
    name: 'each-in-one-file',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
        const source = relative(root, join(resolveDir, path)).split(sep).join('/');
        const owner = owners.get(source)?.file;
        if (kind === 'dynamic-import' && owner === undefined && file !== 'rest.cjs') {
          rest.add(source);
          return { path: source, namespace: 'loaded', pluginData: 'rest.cjs' };
        }
        if (kind === 'dynamic-import' && owner !== undefined) return { path: source, namespace: 'loaded', pluginData: owner };
        return owner === undefined || owner === file ? undefined : { path: source, namespace: 'imported', pluginData: owner };
      });
      onResolve({ filter: /^\.\/\w+\.cjs$/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: 'loaded' }, ({ path, pluginData }) => ({
        contents: `module.exports = require('./${pluginData}').modules['${path}'];`,
      }));
      // Read once, when the file is loaded: no source exports a `let`.
      onLoad({ filter: /./, namespace: 'imported' }, ({ path, pluginData }) => {
        const exported = owners.get(path)?.names.map((name) => `export const ${name} = /* @__PURE__ */ read('${name}');`) ?? [];
        const table = `const module = require('./${pluginData}').modules['${path}'];\nconst read = (name) => module[name];`;
        return { contents: [table, ...exported].join('\n') };
      });
    },
  };
}

/**
 * Leaves out the messages of zod in 50 other languages, 300 kB that nobody asks for.
 * @returns {import('esbuild').Plugin}
 */
function englishOnly() {
  return {
    name: 'english-only',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export { default as en } from './en.js';" }));
    },
  };
}

/**
 * Takes the modules of Node with `getBuiltinModule` instead of `import`. That is 5 ms quicker, because `import` reads every
 * property of a module, some of which load others; and an older Node, which lacks some, can say so in a sentence.
 * @returns {import('esbuild').Plugin}
 */
function builtinModules() {
  const check = JSON.stringify(join(root, 'bin', 'needed-node.js'));
  return {
    name: 'builtin-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin', sideEffects: false }));
      onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => {
        const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== 'default');
        const exported = names.map((name, index) => `const n${index} = /* @__PURE__ */ read('${name}'); export { n${index} as ${name} };`);
        const module = `import { builtin } from 'pawl:builtin';\nconst module = builtin('${path}');\nconst read = (name) => module[name];`;
        return { contents: [module, ...exported, 'export default module;'].join('\n'), resolveDir: root };
      });
      onResolve({ filter: /^pawl:builtin$/ }, ({ path }) => ({ path, namespace: 'checked' }));
      onLoad({ filter: /./, namespace: 'checked' }, () => ({
        contents: `import { nodeProblem } from ${check};
const problem = nodeProblem(process.versions.node);
if (problem) throw Object.assign(new Error(problem), { stack: problem, code: 'ERR_PAWL_NODE' });
export const builtin = (name) => process.getBuiltinModule(name);`,
        resolveDir: root,
      }));
    },
  };
}
