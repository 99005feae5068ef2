// Owns the copies of a run's files at its writes. A process that is killed leaves its files as they are at that moment, and
// takes its memory and its locks along, so a copy taken then is what the kill would have left. One process thus represents
// as many kills as it makes writes, and another one resumes all of its copies.
//
// - Store and ledger are written synchronously, and a copy is made synchronously: nothing of either is written meanwhile.
// - A copy is resumed when the process that made it has ended: its owner is then dead, as after a kill.

import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CrashOperation, CrashPoint, OnWrite } from './store.ts';

/** Copies all files of a folder to a new one at every write. */
export function copyTo(copies: string, directory: string): OnWrite {
  return (point) => copyFiles(directory, join(copies, folderOf(point)));
}

/** The folder of a copy. */
export function folderOf({ when, operation, nth }: CrashPoint): string {
  return `${when}-${operation}-${nth}`;
}

/** The points of which there is a copy. */
export function copiedPoints(copies: string): CrashPoint[] {
  return readdirSync(copies).map((name) => {
    const [when, operation, nth] = name.split('-') as [CrashPoint['when'], CrashOperation, string];
    return { when, operation, nth: Number(nth) };
  });
}

/** Copies the files of a folder to one that does not exist yet. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true }))
    if (entry.isFile()) copyFileSync(join(from, entry.name), join(to, entry.name));
}
