// Owns the folder of this program, and its version.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderAbove } from '../api/module/library.ts';

/** The folder of the package that contains this file. */
export function packageRoot(): string {
  return folderAbove('package.json');
}

/** The version of this program. */
export function versionOf(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
}
