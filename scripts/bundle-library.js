// Bundles the library, twice. In `esm` it lies as modules, for bundlers. For Node all that importing it takes lies in
// one file that is compiled once and loaded as such from then on, and small modules beside it give out its parts, so
// that every entry and all that is loaded by need has the same classes.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { build } from 'esbuild';

/** What the library loads by need, by the name of its file. */
export const BY_NEED = {
  agents: 'src/agents/drivers.ts',
  discover: 'src/authoring/discover.ts',
  'web-request': 'src/steps/web/request.ts',
  workshop: 'src/steps/workshop.ts',
  workspaces: 'src/api/workspaces.ts',
};

/**
 * Writes the library to a folder: a module for each published entry, which are named by their sources.
 * @param {string} folder
 * @param {{ entries: readonly string[], common: import('esbuild').BuildOptions, runnable: import('esbuild').BuildOptions }} how
 */
export async function bundleLibrary(folder, { entries, common, runnable }) {
  const named = Object.fromEntries(entries.map((source) => [source.replace('src/', '').replace(/\.ts$/, ''), source]));
  const modules = join(folder, 'esm');
  const made = await build({
    ...common,
    metafile: true,
    entryPoints: { ...named, ...BY_NEED },
    outdir: modules,
    chunkNames: 'parts/[name]-[hash]',
  });
  const files = filesOf(made.metafile, modules, String(common.absWorkingDir));
  const core = closureOf(files, 'index.js');
  const whole = [...core].map((name) => `export * as ${JSON.stringify(name)} from ${JSON.stringify(`./${name}`)};`).join('\n');
  await build({
    ...common,
    ...runnable,
    stdin: { contents: whole, resolveDir: modules },
    outfile: join(folder, 'library.run.js'),
    plugins: [loadingByNeed(modules)],
    // Each of them is there, by its name.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  await build({
    ...common,
    splitting: false,
    sourcemap: false,
    entryPoints: [join(import.meta.dirname, 'library-loader.js')],
    outfile: join(folder, 'library.js'),
    banner: { js: 'const require=process.getBuiltinModule;' },
    define: { 'process.env.LIBRARY_FILES': JSON.stringify(JSON.stringify([...core])) },
  });
  for (const [name, { exported }] of files) {
    const target = join(folder, name);
    mkdirSync(dirname(target), { recursive: true });
    if (core.has(name)) writeFileSync(target, facadeOf(name, exported));
    else for (const end of ['', '.map']) copyFileSync(join(modules, name + end), target + end);
  }
}

/**
 * The modules that were made, by their paths in the folder: what each exports and imports at once.
 * @param {import('esbuild').Metafile} metafile
 * @param {string} folder
 * @param {string} root
 * @returns {Map<string, { exported: readonly string[], imports: readonly string[] }>}
 */
function filesOf({ outputs }, folder, root) {
  const nameOf = (/** @type {string} */ path) => posix.relative(folder, join(root, path));
  const modules = Object.entries(outputs).filter(([path]) => path.endsWith('.js'));
  return new Map(
    modules.map(([path, { exports, imports }]) => [
      nameOf(path),
      {
        exported: exports,
        imports: imports.filter(({ kind, external }) => kind === 'import-statement' && !external).map((target) => nameOf(target.path)),
      },
    ]),
  );
}

/**
 * A module and all that it imports at once.
 * @param {ReturnType<typeof filesOf>} files
 * @param {string} first
 */
function closureOf(files, first) {
  const reached = new Set([first]);
  for (const name of reached) for (const target of files.get(name)?.imports ?? []) reached.add(target);
  return reached;
}

/**
 * A module with the exports of another one that lies in the one file. An engine is made through the loader, which
 * wants to know.
 * @param {string} name
 * @param {readonly string[]} exported
 */
function facadeOf(name, exported) {
  const loader = JSON.stringify(name === 'index.js' ? './library.js' : '../library.js');
  const given = name === 'index.js' ? exported.filter((one) => one !== 'createEngine') : exported;
  const engine = given === exported ? '' : `export{createEngine}from${loader};`;
  return `import{library}from${loader};${engine}export const{${given.join(',')}}=library[${JSON.stringify(name)}];\n`;
}

/**
 * Reads modules as parts of the one file, which is none and loads what it needs later through its loader.
 * @param {string} folder
 * @returns {import('esbuild').Plugin}
 */
function loadingByNeed(folder) {
  return {
    name: 'loading-by-need',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(folder)) return undefined;
        const contents = readFileSync(path, 'utf8').replace(/\bimport\(\s*"(\.\.?\/|node:)([^"]+)"\s*\)/g, (_whole, start, rest) => {
          const target = start === 'node:' ? `node:${rest}` : `./${posix.relative(folder, join(dirname(path), start, rest))}`;
          return `__load(${JSON.stringify(target)})`;
        });
        return { contents, loader: 'js' };
      });
    },
  };
}
