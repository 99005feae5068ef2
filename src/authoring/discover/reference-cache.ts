// Owns what is remembered of modules that were parsed: which references their text has, by its digest. Parsing takes 10
// ms, and 50 with types, of each command that loads a module of the user; most of the time nothing has changed.
//
// It lies in the folder of Node's compile cache, so a process without one remembers nothing. Whoever can write there can
// already put code into this process, so it needs no protection of its own.

import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { digestText } from '../../base/digest.ts';
import type { Reference } from './references.ts';

/** A module whose references are asked for. */
interface CachedModule {
  readonly path: string;
  /** The digest of its text. */
  readonly digest: string;
}

/** The references of a module: remembered in the folder, or read and then remembered. Without a folder they are read. */
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

/** Another build of Pawl may find more in the same text, and the ending of a file decides how it is parsed. */
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

/** A cache that cannot be written costs time only. */
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
