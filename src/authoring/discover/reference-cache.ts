// Owns the cache of parsed modules: the references in their text, by its digest. Parsing costs every command that loads a
// user's module 10 ms, or 50 ms with types, and usually nothing has changed.
//
// It is in the folder of Node's compile cache, so a process without one caches nothing. Anyone who can write there can
// already put code into this process, so it needs no further protection.

import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { digestText } from '../../base/digest.ts';
import type { Reference } from './references.ts';

/** A module whose references are needed. */
interface CachedModule {
  readonly path: string;
  /** The digest of its text. */
  readonly digest: string;
}

/** The references of a module: from the cache, or read and then cached. Without a folder they are always read. */
export async function rememberedReferences(
  folder: string | undefined,
  module: CachedModule,
  read: () => Promise<readonly Reference[]>,
): Promise<readonly Reference[]> {
  if (folder === undefined) return read();
  const file = join(folder, 'references', `${keyOf(module)}.json`);
  const remembered = readEntry(file);
  if (remembered !== undefined) return remembered;
  const references = await read();
  writeEntry(file, references);
  return references;
}

/** The key includes the build of Pawl, which may find more in the same text, and the file extension, which decides the parser. */
function keyOf({ path, digest }: CachedModule): string {
  const { mtimeMs, size } = statSync(import.meta.filename);
  return digestText([digest, extname(path), import.meta.filename, mtimeMs, size].join('\n'));
}

function readEntry(file: string): readonly Reference[] | undefined {
  try {
    const entry: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(entry) ? (entry as Reference[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes an entry. A cache that cannot be written only costs time. */
function writeEntry(file: string, references: readonly Reference[]): void {
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    const whole = `${file}.${process.pid}`;
    writeFileSync(whole, JSON.stringify(references), { mode: 0o600 });
    renameSync(whole, file);
  } catch {
    // Parsed again next time.
  }
}
