// Owns the locations of the files of this program that user modules, and the processes that load them, import.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { invariant } from '../../base/invariant.ts';

/** Returns the nearest folder above this file that contains one of the named files. */
export function folderAbove(...names: readonly string[]): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    invariant(folder !== dirname(folder), `none of ${names.join(', ')} is in a folder above ${import.meta.dirname}`);
  }
}

function libraryFile(bundled: string, source: string): string {
  const folder = folderAbove('cli/library.js', 'index.ts');
  return join(folder, existsSync(join(folder, 'cli/library.js')) ? bundled : source);
}

/** The library that belongs to this program, from the same bundle or the same sources, by the names users import. */
export function libraryEntries(): Readonly<Record<string, string>> {
  return {
    pawl: pathToFileURL(libraryFile('cli/library.js', 'index.ts')).href,
    'pawl/compat': pathToFileURL(libraryFile('cli/compat.js', 'compat/index.ts')).href,
    'pawl/safe-db': pathToFileURL(libraryFile('cli/safe-db.js', 'safe-db/index.ts')).href,
    'pawl/skills': pathToFileURL(libraryFile('cli/skills.js', 'skills/index.ts')).href,
    'pawl/testing': pathToFileURL(libraryFile('cli/testing.js', 'proof/index.ts')).href,
  };
}

/** The program that loads one module in a separate process. */
export function loaderProgram(): string {
  return libraryFile('cli/loader.cjs', 'api/module/loader.ts');
}
