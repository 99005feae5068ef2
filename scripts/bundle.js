// Bundles the published entries and the command line, with what they share in common chunks, since a program of few
// files starts in a fraction of the time. Tests use it too, to drive what is built.

import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BY_NEED, bundleLibrary } from './bundle-library.js';

/** The folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {import('esbuild').BuildOptions} */
const COMMON = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  external: ['vitest', 'ai'],
  // The package's build for Node is CommonJS, which asks for modules while it runs; a bundle of modules cannot.
  alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  // Node shows the line of an error that nobody caught.
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};

const UNMARKED = `//${'0'.repeat(64)}`;

/**
 * A file for bin/compiled.js.
 * @type {import('esbuild').BuildOptions}
 */
const RUNNABLE = {
  splitting: false,
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname' },
  banner: { js: `${UNMARKED}\n(function(exports,require,module,__filename,__dirname,__load){` },
  footer: { js: '})' },
};

/** Commands that are called all day: each is one file, since opening forty takes longer than what they do. */
const ALONE = ['done', 'gates', 'next', 'runs', 'show'];
/** What those load by need: most projects have no settings. */
const SETTINGS = { 'settings-file': 'src/cli/settings-file.ts' };
const DRIVERS = Object.fromEntries(['acp', 'ai-sdk', 'claude-code', 'codex'].map((name) => [name, `src/agents/${name}.ts`]));
/** What it takes to find and read definitions: a run without code goes on with what it is frozen to, and needs none of it. */
const READING = {
  'yaml-check': 'src/authoring/yaml/check.ts',
  'discover-files': BY_NEED.discover,
  'discover-imports': 'src/authoring/discover-imports.ts',
  'settings-reviews': 'src/cli/settings-reviews.ts',
  roles: 'src/cli/roles.ts',
  'local-forge': 'src/forge/local-forge.ts',
};
/**
 * What they share with other commands: what reads definitions, drivers and web requests, which bring a lot of code and
 * are seldom needed, and the engine for runs with code of the user's own, which has to be that of the library that such
 * code imports.
 */
const SHARED = { ...READING, ...DRIVERS, 'web-request': BY_NEED['web-request'], 'attended-report': 'src/cli/attended-report.ts' };

/**
 * What a file of a folder imports, as a path from the root of the project.
 * @param {string} folder
 * @param {string} target
 */
function sourceAt(folder, target) {
  return relative(root, join(folder, target)).split(sep).join('/');
}

/**
 * The name that a source is bundled under.
 * @param {Readonly<Record<string, string>>} files
 * @param {string} file
 */
function nameIn(files, file) {
  return Object.entries(files).find(([, source]) => source === file)?.[0];
}

/**
 * Leaves what is loaded by need to files of their own.
 * @param {Readonly<Record<string, string>>} files
 * @returns {import('esbuild').Plugin}
 */
function apart(files) {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
        const name = kind === 'dynamic-import' ? nameIn(files, sourceAt(resolveDir, path)) : undefined;
        return name === undefined ? undefined : { path: `./${name}.js`, external: true };
      });
    },
  };
}

/**
 * Takes what a file loads by need into the bundle as if it were always needed, except for what lies apart: code that
 * waits to be loaded in the same file starts more slowly than code that does not. Of the commands only one is there.
 * @param {string} command
 * @returns {import('esbuild').Plugin}
 */
function allOf(command) {
  return {
    name: 'all-of',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        /** @type {string[]} */
        const imports = [];
        const contents = readFileSync(path, 'utf8').replace(/(?<!typeof )\bimport\((?:'([^']+\.ts)'\))?/g, (whole, target) => {
          if (target === undefined) return whole.replace('import', '__load');
          const file = sourceAt(dirname(path), target);
          const name = nameIn({ ...SETTINGS, ...SHARED }, file);
          if (name !== undefined) return `__load('./${name}.js')`;
          if (file.startsWith('src/cli/commands/') && file !== `src/cli/commands/${command}.ts`) return "__load('./main.js')";
          return `Promise.resolve(loaded${imports.push(target)})`;
        });
        return {
          contents: `${imports.map((target, index) => `import * as loaded${index + 1} from '${target}';`).join('')}${contents}`,
          loader: 'ts',
        };
      });
    },
  };
}

/**
 * Writes the bundles to a folder, in place of what was there: the library, and in `cli` the command line with a library
 * of its own. Apart, since each command is loaded by itself, which cuts what they share into many small files: a
 * program that embeds the library should not have to load those.
 * @param {string} folder
 */
export async function bundle(folder) {
  /** @type {{ exports: Record<string, string | { default: string }> }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(manifest.exports).flatMap(sourceOf);
  rmSync(folder, { recursive: true, force: true });
  await bundleLibrary(folder, { entries, common: COMMON, runnable: RUNNABLE });
  mark(join(folder, 'library.run.js'));
  const library = { library: 'src/index.ts', compat: 'src/compat/index.ts', testing: 'src/proof/index.ts' };
  const commands = join(folder, 'cli');
  await build({ ...COMMON, entryPoints: { main: 'src/cli/main.ts', ...library, ...SHARED }, outdir: commands });
  await build({ ...COMMON, splitting: false, entryPoints: SETTINGS, outdir: commands, plugins: [apart({ ...SETTINGS, ...SHARED })] });
  for (const command of ALONE) {
    await build({
      ...COMMON,
      ...RUNNABLE,
      entryPoints: { [`${command}.run`]: 'src/cli/main.ts' },
      outdir: commands,
      plugins: [allOf(command)],
    });
    mark(join(commands, `${command}.run.js`));
  }
}

/**
 * Writes the digest of a file into its first line: what V8 makes of it is kept under that (bin/compiled.js), which reads
 * it as ASCII.
 * @param {string} file
 */
function mark(file) {
  const text = readFileSync(file, 'utf8');
  const foreign = /[^\0-\x7f]/.exec(text);
  if (foreign !== null)
    throw new Error(`${file} has a letter that is not ASCII, in an expression: ${text.slice(foreign.index, foreign.index + 40)}`);
  writeFileSync(file, text.replace(UNMARKED, `//${createHash('sha256').update(text).digest('hex')}`));
}

/**
 * The source behind a published entry, if it is code.
 * @param {string | { default: string }} entry
 */
function sourceOf(entry) {
  return typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')];
}
