// Bundles the library and the command line, since a program of few files starts in a fraction of the time. Tests use it
// too, to run what is built.
//
// Both are CommonJS, which Node starts faster than modules, and both are divided: what most programs execute is in the
// files that are loaded first, the rest is loaded when it is first called (`split-bundle.js`). `startup.json` lists what
// small programs and the most frequent commands execute; `npm run startup` writes it. If it is out of date, programs start
// more slowly.
//
// `library-bundle.js` bundles the library. The command line is `main.cjs` (the start, and the commands that look at runs),
// `skill.cjs` and `engine.cjs` (what `skill` and `done` execute besides), `modules.cjs` (reading modules of the user), a file
// such as `engine-more.cjs` beside each for what is rarely executed, and `rest.cjs`. `compiled.cjs` loads the engine,
// `loader.cjs` one module of a user in a separate process. The skills that are part of the package are in `shipped` (`shipped-skills.js`).

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleLibrary } from './library-bundle.js';
import { bundledPackages, writeLicences } from './licences.js';
import { bundleSkills, CATALOGUE } from './shipped-skills.js';
import { namesOf, sourceReader } from './sources.js';
import { buildSplit, divide, fileOf, loadedFrom, REQUIRE, standalone } from './split-bundle.js';

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
  // Node prints the line of an uncaught error.
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
  plugins: [englishOnly()],
};

/**
 * Loads a module of Node when something in it is first used: a command needs few of them, and `node:crypto` alone takes 4 ms.
 * The engine is loaded as the library is, with what V8 compiled earlier.
 */
const LOADING = `require = ((load) => (name) => {
  if (name === './engine.cjs') return load('./compiled.cjs').requireCompiled(__dirname + '/engine.cjs');
  if (!name.startsWith('node:')) return load(name);
  let module;
  return new Proxy({}, { get: (_, key) => (module ??= load(name))[key] });
})(require);`;

/** @type {import('esbuild').BuildOptions} */
const COMMAND_LINE = {
  ...COMMON,
  format: 'cjs',
  banner: { js: LOADING },
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
};

/** @type {{ library: readonly string[], often: readonly string[], commands: readonly string[] }} */
const STARTUP = JSON.parse(readFileSync(join(root, 'scripts', 'startup.json'), 'utf8'));

/** @param {...string} entries */
const executedOf = (...entries) => ({ entries, executed: STARTUP.commands });

/**
 * The files of the command line that hold what is executed of these sources and of all that they import, without what an
 * earlier file holds. The commands named here are called all day.
 */
const LAYERS = {
  'main.cjs': executedOf('src/cli/main.ts', ...['inbox', 'next', 'runs', 'show'].map((command) => `src/cli/commands/${command}.ts`)),
  'skill.cjs': executedOf('src/cli/commands/skill.ts', 'src/cli/skills/project-skills.ts', 'src/skills/index.ts'),
  'modules.cjs': executedOf('src/authoring/discover/imports.ts'),
  'engine.cjs': executedOf('src/cli/commands/done.ts'),
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
 * @param {{ readonly minify?: boolean }} [options]
 */
export async function bundle(folder, skills = [CATALOGUE], { minify = true } = {}) {
  rmSync(folder, { recursive: true, force: true });
  /** @type {import('esbuild').Metafile[]} */
  const metafiles = [];
  // Names are shortened too: a third fewer bytes to read at each start. `dist` has maps to the sources.
  /** @param {import('esbuild').BuildOptions} options */
  const noted = async (options) => {
    const { metafile } = await build({ ...options, minify, metafile: true });
    metafiles.push(/** @type {import('esbuild').Metafile} */ (metafile));
  };
  const read = sourceReader(root);
  await bundleLibrary({ root, folder, read, startup: STARTUP, options: COMMON, build: noted });
  const split = await bundleCommandLine(join(folder, 'cli'), read, noted);
  for (const [file, source] of Object.entries(FOR_MODULES)) {
    const text = `${REQUIRE}\nexport const { ${namesOf(read(source)).join(', ')} } = ${loadedFrom(split, source)};\n`;
    writeFileSync(join(folder, 'cli', file), text);
  }
  metafiles.push(
    await bundleSkills({
      root,
      commands: join(folder, 'cli'),
      folders: skills,
      fileOf: (source) => fileOf(split, source),
      options: { ...COMMON, minify },
    }),
  );
  const packages = bundledPackages(metafiles);
  writeLicences(root, packages, join(folder, 'THIRD-PARTY-LICENSES'));
  return packages;
}

/**
 * Writes the files of the command line.
 * @param {string} folder
 * @param {(source: string) => import('./sources.js').Source} read
 * @param {(options: import('esbuild').BuildOptions) => Promise<void>} noted
 */
async function bundleCommandLine(folder, read, noted) {
  const divided = divide(LAYERS, read);
  const split = { ...divided, root, read, asked: new Set(Object.values(FOR_MODULES).filter((source) => !divided.owners.has(source))) };
  // These take nothing from the others at their start: loading them would take longer than what they are for.
  for (const name of ['loader', 'compiled']) {
    await noted({
      ...COMMAND_LINE,
      entryPoints: [`src/api/module/${name}.ts`],
      outfile: join(folder, `${name}.cjs`),
      plugins: [...(COMMON.plugins ?? []), standalone(split)],
    });
  }
  await buildSplit(split, (file, table, plugin) => {
    // `runCommandLine` is for tests, which run commands in their own process.
    const start = file === split.owners.get('src/cli/main.ts') ? "\nexport { main, runCommandLine } from './src/cli/main.ts';" : '';
    const plugins = [...(COMMON.plugins ?? []), plugin];
    return noted({ ...COMMAND_LINE, stdin: { contents: `${table}${start}`, resolveDir: root }, outfile: join(folder, file), plugins });
  });
  return split;
}

/**
 * Leaves out the messages of zod in 50 other languages, 300 kB that are never used.
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
