// Bundles the published entries and the command line, with what they share in common chunks, since a program of few
// files starts in a fraction of the time. Tests use it too, to drive what is built.

import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {import('esbuild').BuildOptions} */
const COMMON = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  external: ['vitest'],
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
  await build({ ...COMMON, entryPoints: entries, outbase: 'src', outdir: folder });
  const library = { library: 'src/index.ts', testing: 'src/proof/index.ts' };
  await build({ ...COMMON, entryPoints: { main: 'src/cli/main.ts', ...library }, outdir: join(folder, 'cli') });
}

/**
 * The source behind a published entry, if it is code.
 * @param {string | { default: string }} entry
 */
function sourceOf(entry) {
  return typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')];
}
