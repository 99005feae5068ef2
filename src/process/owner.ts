// Owns the name of an owner of runs, and whether that owner is dead: the identity of its process, and which engine of that
// process it is.
//
// W1. On the machine and in the container of the owner, its process tells.
// W2. From anywhere else (another container, another machine, after a restart of either) its sign of life does: a file
//     beside the database whose time the owner renews. An owner that gave none for a minute is dead. Should it only have
//     been asleep, the store refuses what it writes later.
// W3. An owner without such a file is given the same minute: whoever asks first makes the file.

import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestText } from '../base/digest.ts';
import { formatIdentity, identityOf, livenessOf, type ProcessIdentity, parseIdentity } from './identity.ts';
import { readProcess } from './process-table.ts';

/** How often an owner gives a sign of life, and after how long without one it counts as dead. */
const SIGN_MS = 5000;
const DEAD_MS = 60_000;

let engines = 0;
/** The folders with signs of life: one for each database that was opened here. */
const folders = new Set<string>();

/** A name for one more owner in this process. */
export function createOwner(): string {
  engines += 1;
  return `${formatIdentity(identityOf() ?? { host: 'unknown', boot: '', pid: process.pid, start: '' })}#${engines}`;
}

/** Lets the owners of the runs in a database be judged by their signs of life. */
export function watchOwners(db: string): void {
  folders.add(folderOf(db));
}

/** Gives signs of life for an owner until it is told to stop. A process that lives for a moment gives none. */
export function giveSigns(db: string, owner: string): () => Promise<void> {
  const file = join(folderOf(db), nameOf(owner));
  const sign = async (): Promise<void> => {
    const now = new Date();
    try {
      await utimes(file, now, now);
    } catch {
      // The first sign makes the file.
      await mkdir(folderOf(db), { recursive: true, mode: 0o700 });
      await writeFile(file, '', { mode: 0o600 });
    }
  };
  // A sign that cannot be written is missed only from elsewhere.
  const timer = setInterval(() => sign().catch(() => undefined), SIGN_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await rm(file, { force: true }).catch(() => undefined);
  };
}

/** Whether an owner of runs is dead. */
export function isDead(owner: string): boolean {
  const identity = identityIn(owner);
  if (identity === undefined) return false;
  const liveness = livenessOf(identity);
  return liveness === 'unknown' ? [...folders].some((folder) => isSilent(folder, owner)) : liveness === 'dead';
}

function isSilent(folder: string, owner: string): boolean {
  const file = join(folder, nameOf(owner));
  const seen = statSync(file, { throwIfNoEntry: false });
  if (seen !== undefined) return Date.now() - seen.mtimeMs > DEAD_MS;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch {
    // Somebody else was quicker, or the folder cannot be written: then nobody is called dead.
  }
  return false;
}

/** What is known of an owner, for people: `process 4711, which is stopped`. */
export function ownerText(owner: string): string {
  const identity = identityIn(owner);
  if (identity === undefined) return 'another process';
  const { pid } = identity;
  if (livenessOf(identity) === 'unknown')
    return `process ${pid} of another container or machine, which counts as dead ${DEAD_MS / 1000} s after its last sign of life`;
  return isStopped(owner) ? `process ${pid}, which is stopped ("kill -CONT ${pid}" lets it go on)` : `process ${pid}`;
}

/** The number of an owner's process, while it runs here. */
export function processOf(owner: string): number | undefined {
  const identity = identityIn(owner);
  return identity !== undefined && livenessOf(identity) === 'alive' ? identity.pid : undefined;
}

/** Whether somebody has stopped the process of an owner here. */
export function isStopped(owner: string): boolean {
  const identity = identityIn(owner);
  return identity !== undefined && livenessOf(identity) === 'alive' && readProcess(identity.pid)?.stopped === true;
}

function identityIn(owner: string): ProcessIdentity | undefined {
  return parseIdentity(owner.slice(0, owner.lastIndexOf('#')));
}

function folderOf(db: string): string {
  return `${db}.owners`;
}

function nameOf(owner: string): string {
  return digestText(owner).slice(0, 32);
}
