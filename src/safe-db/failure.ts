// Owns what a failure of SQLite or of the system means for a user's database, and what to do next.

import { EngineError, isEngineError, messageOf } from '../base/error.ts';

const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

// By primary result code (https://www.sqlite.org/rescode.html), and by the codes of the system.
const NEXT: Readonly<Record<string | number, string>> = {
  [BUSY]: 'try again when no other program writes it',
  [LOCKED]: 'try again when no other program writes it',
  8: 'make the file and its folder writable for this user',
  [CORRUPT]: 'it is damaged; "pawl data restore FILE" restores one of its backups',
  [FULL]: 'free some space, then try again',
  14: 'check that the folder exists and is writable for this user',
  [NOT_A_DATABASE]: 'it is damaged; "pawl data restore FILE" restores one of its backups',
  ENOSPC: 'free some space, then try again',
  EACCES: 'make the file and its folder writable for this user',
  EROFS: 'make the file and its folder writable for this user',
};

/** What was tried with a database, and what became of the database. */
interface FailedWork {
  /** Such as `back up /data/project.db`. */
  readonly what: string;
  readonly file: string;
  /** Such as `nothing was changed`. */
  readonly state?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The failure as users see it; one that is already told passes unchanged. */
export function databaseFailure(cause: unknown, { what, file, state, details }: FailedWork): EngineError {
  if (isEngineError(cause)) return cause;
  const reason = isBusy(cause) ? 'it is locked by another program' : messageOf(cause);
  const next = NEXT[resultOf(cause) === 0 ? BUSY : (resultOf(cause) ?? codeOf(cause))];
  const text = [`cannot ${what}: ${reason}`, state, next].filter((part) => part !== undefined).join('; ');
  return new EngineError('DATABASE_FAILED', text, { cause, details: { file, ...details } });
}

/** True for a failure of the database or the disk itself, whatever statement was run. */
export function isDatabaseFailure(cause: unknown): boolean {
  return isBusy(cause) || NEXT[resultOf(cause) ?? ''] !== undefined;
}

/** True when another program holds the lock that was wanted. Node's `backup` reports that as result 0, "not an error". */
export function isBusy(cause: unknown): boolean {
  return [0, BUSY, LOCKED].includes(resultOf(cause) ?? -1);
}

function resultOf(cause: unknown): number | undefined {
  if (codeOf(cause) !== 'ERR_SQLITE_ERROR') return undefined;
  return Number((cause as { errcode?: unknown }).errcode) & 0xff;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error ? String((cause as { code?: unknown }).code ?? '') : '';
}
