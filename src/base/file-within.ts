// Reads a text file whose path comes from outside and must not lead out of a folder.

import { lstatSync, realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { isInsideFolder } from './inside-folder.ts';
import { readPlainFile } from './plain-file.ts';
import { isStoreFile } from './store-files.ts';

const BYTES_MAX = 2 << 20;

/** The text of a file below a folder; undefined when it is missing, leads outside, is too large, or is binary. */
export function readTextWithin(folder: string, path: string): string | undefined {
  try {
    if (isAbsolute(path) || !isInsideFolder(folder, path)) return undefined;
    const real = realpathSync(resolve(folder, path));
    const facts = lstatSync(real);
    if (!facts.isFile() || facts.size > BYTES_MAX || isStoreFile(real, facts)) return undefined;
    const bytes = readPlainFile(real);
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
