// Builds `dist`: one bundle per published entry, with what they share in common chunks, since a library of one file
// starts in a fraction of the time; and the types beside them, as the compiler writes them.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** @type {{ exports: Record<string, string | { default: string }> }} */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

rmSync(join(root, 'dist'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: Object.values(manifest.exports).flatMap(sourceOf),
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
});
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const types = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
process.exitCode = types.status ?? 1;

/**
 * The source behind a published entry, if it is code.
 * @param {string | { default: string }} entry
 */
function sourceOf(entry) {
  return typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')];
}
