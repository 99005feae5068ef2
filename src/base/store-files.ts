// Owns the list of files that belong to a database that this process has open. SQLite's locks belong to the process,
// and the system releases all of them when the process closes the file anywhere else: another process then takes the
// database for unused and removes its log, with committed data. So only SQLite may open a file of an open database, and
// code that reads files named by others checks here first, without opening them.
//
// - A file is identified by its device and inode, so a hard link, a symbolic link or a bind mount is the same file.
// - Files beside a database are recognised by name: notification files, keys, transcripts and backups are not the
//   work of a step.

import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';

/** A file's device and inode. */
interface FileNumber {
  readonly dev: number;
  readonly ino: number;
}

/** The files that SQLite itself puts beside a database. */
const SIDES = ['', '-wal', '-shm', '-journal'];
const BESIDE =
  /^(?:-wal|-shm|-journal)?$|^\.(?:bells?|owners|pids|transcripts|snapshots)(?:[\\/]|$)|^\.(?:anchor|lost-wal)$|^\.key(?:\.|$)|^\.(?:backup|restoring|replaced|damaged|recovered)-/;

interface HeldDatabase {
  readonly path: string;
  /** The numbers of its files by suffix; existing ones stay known while it is open. */
  readonly numbers: Map<string, FileNumber>;
  /** How the paths of its backups begin. */
  readonly backups: string | undefined;
}

const held = new Set<HeldDatabase>();

/** Registers a database that SQLite has open, or may open at any time, and the folder of its backups. Returns a function that unregisters it. */
export function holdDatabase(file: string, backups?: string): () => void {
  const stem = `${basename(file, extname(file))}-`;
  const database: HeldDatabase = {
    path: realPathOf(file),
    numbers: new Map(),
    backups: backups === undefined ? undefined : join(realPathOf(backups), stem),
  };
  held.add(database);
  return () => {
    held.delete(database);
  };
}

/** Whether a file, by its path and its number, belongs to a database that is open in this process. */
export function isStoreFile(path: string, facts: FileNumber): boolean {
  if (held.size === 0) return false;
  const absolute = resolve(path);
  for (const database of held) if (isFileOf(database, facts) || isBeside(database, absolute)) return true;
  return false;
}

/** Whether a path, whose file may not exist any more, is that of a file of such a database. */
export function isStorePath(path: string): boolean {
  const absolute = resolve(path);
  return [...held].some((database) => isBeside(database, absolute));
}

function isFileOf({ path, numbers }: HeldDatabase, { dev, ino }: FileNumber): boolean {
  return SIDES.some((side) => {
    const known = numbers.get(side) ?? statSync(`${path}${side}`, { throwIfNoEntry: false });
    if (known === undefined) return false;
    numbers.set(side, { dev: known.dev, ino: known.ino });
    return known.dev === dev && known.ino === ino;
  });
}

function isBeside({ path, backups }: HeldDatabase, file: string): boolean {
  if (backups !== undefined && file.startsWith(backups)) return true;
  return file.startsWith(path) && BESIDE.test(file.slice(path.length));
}

/** Returns the path without links; for a file that does not exist yet, its folder is resolved. */
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
