// Bundles the published entries and the command line, with what they share in common chunks, since a program of few
// files starts in a fraction of the time. Tests use it too, to drive what is built.

import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};

/** What the library loads by need, each as a file of its own: splitting would cut the rest into many small ones. */
const BY_NEED = { agents: 'src/agents/drivers.ts', discover: 'src/authoring/discover.ts', 'web-request': 'src/steps/web/request.ts' };

/** Commands that only look, and are called often: each is one file, since opening forty takes longer than what they do. */
const LOOKING = Object.fromEntries(['gates', 'next', 'runs', 'show'].map((name) => [name, `src/cli/commands/${name}.ts`]));
/** The command that agents call after every step: one file too, with an engine of its own. */
const REPORTING = { done: 'src/cli/commands/done.ts' };
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
 * What the latter shares with other commands: what reads definitions, drivers and web requests, which bring a lot of code
 * and are seldom needed, and the engine for runs with code of the user's own, which has to be that of the library that
 * such code imports.
 */
const SHARED = { ...READING, ...DRIVERS, 'web-request': BY_NEED['web-request'], 'attended-report': 'src/cli/attended-report.ts' };

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
        const file = relative(root, join(resolveDir, path)).split(sep).join('/');
        const name = kind === 'dynamic-import' ? Object.entries(files).find(([, source]) => source === file)?.[0] : undefined;
        return name === undefined ? undefined : { path: `./${name}.js`, external: true };
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
  await build({ ...COMMON, entryPoints: entries, outbase: 'src', outdir: folder, plugins: [apart(BY_NEED)] });
  await build({ ...COMMON, splitting: false, entryPoints: BY_NEED, outdir: folder });
  const library = { library: 'src/index.ts', testing: 'src/proof/index.ts' };
  const commands = join(folder, 'cli');
  const alone = { ...LOOKING, ...REPORTING };
  await build({ ...COMMON, entryPoints: { main: 'src/cli/main.ts', ...library, ...SHARED }, outdir: commands, plugins: [apart(alone)] });
  const byNeed = apart({ ...SETTINGS, ...SHARED });
  await build({ ...COMMON, splitting: false, entryPoints: { ...alone, ...SETTINGS }, outdir: commands, plugins: [byNeed] });
}

/**
 * The source behind a published entry, if it is code.
 * @param {string | { default: string }} entry
 */
function sourceOf(entry) {
  return typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')];
}
