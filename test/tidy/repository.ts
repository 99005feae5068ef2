// Owns reading the repository for the tidy test: which files there are, parsed once.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSource, type Source } from './source.ts';

const ROOT = join(import.meta.dirname, '../..');
const CODE = [
  'src/**/*.ts',
  'test/**/*.ts',
  'scripts/**/*.{ts,js}',
  'bin/*.js',
  'bench/**/*.ts',
  'examples/**/*.ts',
  'dashboard/src/**/*.{ts,tsx}',
  '*.config.ts',
];

/** The text of a file of the repository. */
export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The data in a JSON file of the repository. */
export function readJson(path: string): unknown {
  return JSON.parse(readText(path));
}

/** True if the repository has this file. */
export function fileExists(path: string): boolean {
  return existsSync(join(ROOT, path));
}

/** Paths that match, relative to the repository; what is installed or built is left out. */
export function findFiles(patterns: string[]): string[] {
  const found = globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] });
  return found.map((path) => path.replaceAll('\\', '/')).sort();
}

/** Every file of code in the repository, parsed. */
export function readSources(): Source[] {
  return findFiles(CODE).map((path) => parseSource(path, readText(path)));
}

/** The source files behind the entries of package.json, by the name users import. */
export function publishedEntries(): Record<string, string> {
  const { exports } = readJson('package.json') as { exports: Record<string, { default: string } | string> };
  const built = Object.entries(exports).flatMap(([name, target]) => (typeof target === 'string' ? [] : [[name, target.default] as const]));
  return Object.fromEntries(built.map(([name, file]) => [name, file.replace('./dist/', 'src/').replace(/\.mjs$/, '.ts')]));
}
