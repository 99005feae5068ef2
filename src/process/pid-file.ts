// Owns the pid files, with which a later engine finds processes that a crashed one left running: one per command, written
// before the command starts (with only the mark) and again when its pid is known.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestText } from '../base/digest.ts';
import { systemCodeOf } from '../base/error.ts';
import { isJsonObject, parseJsonObject } from '../base/json.ts';
import { formatIdentity, type ProcessIdentity, parseIdentity } from './identity.ts';

/** The content of a pid file. */
export interface PidRecord {
  readonly mark: string;
  /** The first process of the command, once it has started, and its start time. */
  readonly first?: Pick<ProcessIdentity, 'pid' | 'start'>;
  /** The engine that started the command. */
  readonly owner: ProcessIdentity;
}

/** Returns the path of a mark's pid file. The name is readable and unique per mark. */
export function pidFilePath(pidDir: string, mark: string): string {
  const readable = mark.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 80);
  return join(pidDir, `${readable}-${digestText(mark).slice(0, 12)}.json`);
}

/** Writes the pid file of a command atomically and creates the directory. Throws file system errors. */
export function writePidFile(pidDir: string, record: PidRecord): void {
  mkdirSync(pidDir, { recursive: true, mode: 0o700 });
  const path = pidFilePath(pidDir, record.mark);
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify({ ...record, owner: formatIdentity(record.owner) })}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Removes the pid file of a command that has no process left, if it still exists. */
export function removePidFile(pidDir: string, mark: string): void {
  rmSync(pidFilePath(pidDir, mark), { force: true });
}

/** Reads all complete pid files of a directory. A missing directory has none. */
export function readPidFiles(pidDir: string): PidRecord[] {
  let names: string[];
  try {
    names = readdirSync(pidDir);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
  const records = names.filter((name) => name.endsWith('.json')).map((name) => readRecord(join(pidDir, name)));
  return records.filter((record) => record !== undefined);
}

// A file that is not ours, or was removed meanwhile, is skipped.
function readRecord(path: string): PidRecord | undefined {
  try {
    const { mark, first, owner } = parseJsonObject(readFileSync(path, 'utf8')) ?? {};
    const identity = typeof owner === 'string' ? parseIdentity(owner) : undefined;
    if (typeof mark !== 'string' || mark === '' || identity === undefined) return undefined;
    if (first === undefined) return { mark, owner: identity };
    const { pid, start } = isJsonObject(first) ? first : {};
    const isStarted = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 && typeof start === 'string';
    return isStarted ? { mark, first: { pid, start }, owner: identity } : undefined;
  } catch {
    return undefined;
  }
}
