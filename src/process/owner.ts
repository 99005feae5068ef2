// Owns the names of run owners (the identity of a process plus the number of the engine in it), and whether one is dead.
//
// - On the owner's machine and in its container, its process decides.
// - From anywhere else (another container or machine, or after a restart of either) its heartbeat decides: a file next to
//   the database whose time the owner renews. An owner without a heartbeat for a minute is dead. If it was only suspended,
//   the store rejects its later writes.
// - If there is no such file, the first process that checks creates it, and the minute starts then.

import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestText } from '../base/digest.ts';
import { formatIdentity, identityOf, livenessOf, type ProcessIdentity, parseIdentity } from './identity.ts';
import { readProcess } from './process-table.ts';

/** How often an owner writes a heartbeat, and after how long without one it counts as dead. */
const HEARTBEAT_MS = 5000;
const DEAD_MS = 60_000;

let engines = 0;
/** The heartbeat folders: one for each database opened here. */
const folders = new Set<string>();

/** Creates the name of a new owner in this process. */
export function createOwner(): string {
  engines += 1;
  const identity = identityOf();
  // Where no process can be read, no proof that this one has ended is possible, and its name is no identity.
  return `${identity === undefined ? `process ${process.pid}` : formatIdentity(identity)}#${engines}`;
}

/** Uses the heartbeats of the owners of runs in a database. */
export function watchOwners(db: string): void {
  folders.add(folderOf(db));
}

/** Writes heartbeats for an owner until stopped. Short-lived processes do not write any. */
export function writeHeartbeats(db: string, owner: string): () => void {
  const file = join(folderOf(db), nameOf(owner));
  const beat = (): void => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // The first heartbeat creates the file.
      mkdirSync(folderOf(db), { recursive: true, mode: 0o700 });
      writeFileSync(file, '', { mode: 0o600 });
    }
  };
  // Only other machines miss a heartbeat that could not be written, or a file that could not be removed.
  const timer = setInterval(() => ignoreErrors(beat), HEARTBEAT_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    ignoreErrors(() => rmSync(file, { force: true }));
  };
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {}
}

/** Whether an owner of runs is dead. */
export function isDead(owner: string): boolean {
  const identity = identityIn(owner);
  if (identity === undefined) return false;
  const liveness = livenessOf(identity);
  return liveness === 'unknown' ? [...folders].some((folder) => isSilent(folder, owner)) : liveness === 'dead';
}

/** Whether a run with this owner is driven by a live process. */
export function isDriven(owner: string | undefined): owner is string {
  return owner !== undefined && !isDead(owner);
}

function isSilent(folder: string, owner: string): boolean {
  const file = join(folder, nameOf(owner));
  const seen = statSync(file, { throwIfNoEntry: false });
  if (seen !== undefined) return Date.now() - seen.mtimeMs > DEAD_MS;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch {
    // Another process created it first, or the folder is not writable: then no owner counts as dead.
  }
  return false;
}

/** Describes an owner in messages: `process 4711, which is stopped`. */
export function ownerText(owner: string): string {
  const identity = identityIn(owner);
  if (identity === undefined) return 'another process';
  const { pid } = identity;
  if (livenessOf(identity) === 'unknown')
    return `process ${pid} of another container or machine, which counts as dead ${DEAD_MS / 1000} s after its last heartbeat`;
  return isStopped(owner) ? `process ${pid}, which is stopped ("kill -CONT ${pid}" continues it)` : `process ${pid}`;
}

/** Returns the pid of an owner, if its process runs on this machine. */
export function processOf(owner: string): number | undefined {
  const identity = identityIn(owner);
  return identity !== undefined && livenessOf(identity) === 'alive' ? identity.pid : undefined;
}

/** Whether the process of an owner on this machine is stopped. */
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
