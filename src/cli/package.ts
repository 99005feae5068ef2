// Owns where this program is installed, and what it says of itself.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderAbove } from '../api/module/library.ts';

/** The folder of the package this file lies in. */
export function packageRoot(): string {
  return folderAbove('package.json');
}

/** The version of this program. */
export function versionOf(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
}
