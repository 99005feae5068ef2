// Owns which files belong to a database that this process has open. SQLite keeps its locks per process, and the system
// drops all of them when the process closes the file for any other reason: another process then believes that nobody
// uses the database and removes its log, with what was committed. So no file of an open database is ever opened but by
// SQLite, and whoever reads files that others named asks here first, without opening them.
//
// F1. A file is told by its device and number, so a hard link, a symbolic link or a bind mount is the same file.
// F2. What lies beside a database is told by its name: bells, keys, transcripts and backups are no work of a step.

import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A file as the system numbers it. */
export interface FileNumber {
  readonly dev: number;
  readonly ino: number;
}

/** What SQLite itself puts beside a database. */
const SIDES = ['', '-wal', '-shm', '-journal'];
const BESIDE = /^(?:-wal|-shm|-journal)?$|^\.(?:bells?|pids|transcripts)(?:[\\/]|$)|^\.key(?:\.|$)|^\.(?:backup|restoring|replaced)-/;

interface HeldDatabase {
  readonly path: string;
  /** The numbers of its files by what is put after the name; those that exist are known for as long as it is open. */
  readonly numbers: Map<string, FileNumber>;
}

const held = new Set<HeldDatabase>();

/** Says that SQLite has a database open; gives what says that it has closed it. */
export function holdDatabase(file: string): () => void {
  const database: HeldDatabase = { path: realPathOf(file), numbers: new Map() };
  held.add(database);
  return () => {
    held.delete(database);
  };
}

/** Whether a file, by the path it was found at and its number, belongs to a database that is open in this process. */
export function isStoreFile(path: string, facts: FileNumber): boolean {
  if (held.size === 0) return false;
  const absolute = resolve(path);
  for (const database of held) if (lookAtSides(database, facts) || isBeside(database, absolute)) return true;
  return false;
}

function lookAtSides({ path, numbers }: HeldDatabase, { dev, ino }: FileNumber): boolean {
  return SIDES.some((side) => {
    const known = numbers.get(side) ?? statSync(`${path}${side}`, { throwIfNoEntry: false });
    if (known === undefined) return false;
    numbers.set(side, { dev: known.dev, ino: known.ino });
    return known.dev === dev && known.ino === ino;
  });
}

function isBeside({ path }: HeldDatabase, file: string): boolean {
  return file.startsWith(path) && BESIDE.test(file.slice(path.length));
}

/** The path without links; of a file that does not exist yet, that of its folder. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    try {
      return join(realpathSync(dirname(file)), basename(file));
    } catch {
      return resolve(file);
    }
  }
}
