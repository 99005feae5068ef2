// Owns where this program is installed, and its version.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { invariant } from '../base/invariant.ts';

/** The nearest folder above this file that contains one of the names. */
function above(...names: readonly string[]): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    invariant(folder !== dirname(folder), `none of ${names.join(', ')} exists above ${import.meta.dirname}`);
  }
}

/** The folder of this package. */
export function packageRoot(): string {
  return above('package.json');
}

/** The library of this program, from the same bundle or sources, by the names that users import. */
export function libraryEntries(): Readonly<Record<string, string>> {
  const folder = above('cli/library.js', 'index.ts');
  const isBundle = existsSync(join(folder, 'cli/library.js'));
  const entry = (path: string): string => pathToFileURL(join(folder, path)).href;
  return isBundle
    ? { pawl: entry('cli/library.js'), 'pawl/compat': entry('cli/compat.js'), 'pawl/testing': entry('cli/testing.js') }
    : { pawl: entry('index.ts'), 'pawl/compat': entry('compat/index.ts'), 'pawl/testing': entry('proof/index.ts') };
}

/** The version of this program. */
export function versionOf(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
}
