// Bundles the library and the command line, since a program of few files starts in a fraction of the time. Tests use it
// too, to run what is built.
//
// The library is modules. The command line is CommonJS, which Node starts faster: everything is in `cli/main.cjs`, and
// each command that is called all day has a file of its own with all that it imports. What such a command loads with
// `import()` comes from `main.cjs`. `loader.cjs` loads one module of a user in a process of its own.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, writeLicences } from './licences.js';

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

/** @type {import('esbuild').BuildOptions} */
const COMMAND_LINE = { ...COMMON, format: 'cjs', define: { 'import.meta.dirname': '__dirname' }, plugins: [englishOnly()] };

/** The commands with a file of their own: loading all of `main.cjs` takes them 12 to 18 ms longer. */
const OWN_FILE = ['done', 'inbox', 'next', 'runs', 'show'];

/** What workflow modules import, which the command line gives them from its own copy, by the file that does. */
const FOR_MODULES = {
  'library.js': 'src/index.ts',
  'compat.js': 'src/compat/index.ts',
  'skills.js': 'src/skills/index.ts',
  'testing.js': 'src/proof/index.ts',
};

/**
 * Writes the bundles to a folder, in place of what was there, with the licences of the packages in them. Returns the
 * folders of these packages.
 * @param {string} folder
 */
export async function bundle(folder) {
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
  const commands = join(folder, 'cli');
  /** @type {Set<string>} */
  const loaded = new Set(Object.values(FOR_MODULES));
  for (const command of OWN_FILE) {
    const contents = `export { main } from './src/cli/main.ts'; export * as command from './src/cli/commands/${command}.ts';`;
    const outfile = join(commands, `${command}.cjs`);
    await noted({
      ...COMMAND_LINE,
      stdin: { contents, resolveDir: root },
      outfile,
      plugins: [englishOnly(), loadFromFiles(command, loaded)],
    });
  }
  const loader = join(commands, 'loader.cjs');
  const plugins = [englishOnly(), loadFromFiles('loader', loaded)];
  await noted({ ...COMMAND_LINE, entryPoints: ['src/api/module/loader.ts'], outfile: loader, plugins });
  const modules = [...loaded].map((source) => `${JSON.stringify(source)}: () => require('./${source}')`);
  // `runCommandLine` is for tests, which run commands in their own process.
  const entry =
    "const line = () => require('./src/cli/main.ts'); exports.main = () => line().main(); exports.runCommandLine = (...given) => line().runCommandLine(...given);";
  const contents = `'use strict'; ${entry} exports.modules = { ${modules.join(', ')} };`;
  await noted({ ...COMMAND_LINE, stdin: { contents, resolveDir: root }, outfile: join(commands, 'main.cjs') });
  for (const [file, source] of Object.entries(FOR_MODULES)) {
    const { exports = [] } = Object.values(library?.outputs ?? {}).find(({ entryPoint }) => entryPoint === source) ?? {};
    // `require` reads no names of exports out of the file, which would take longer than running it.
    const load = `process.getBuiltinModule('node:module').createRequire(import.meta.url)('./main.cjs').modules['${source}']()`;
    writeFileSync(join(commands, file), `export const { ${exports.join(', ')} } = ${load};\n`);
  }
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
 * Takes what a command loads with `import()` from `main.cjs`, and notes it. The command itself comes from its own file,
 * where it is imported from the start: esbuild would wrap code that is loaded later in functions, which takes longer.
 * @param {string} command
 * @param {Set<string>} loaded
 * @returns {import('esbuild').Plugin}
 */
function loadFromFiles(command, loaded) {
  return {
    name: 'load-from-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const source = relative(root, join(resolveDir, path)).split(sep).join('/');
        if (source === `src/cli/commands/${command}.ts`) return { path: `require('./${command}.cjs').command`, namespace: 'bundled' };
        loaded.add(source);
        return { path: `require('./main.cjs').modules['${source}']()`, namespace: 'bundled' };
      });
      onResolve({ filter: /^\.\/\w+\.cjs$/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: 'bundled' }, ({ path }) => ({ contents: `module.exports = ${path};` }));
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
