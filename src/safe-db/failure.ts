// Creates the errors for failures of SQLite or the system on a user's database, with what to do next.

import { EngineError, isEngineError, messageOf, systemCodeOf } from '../base/error.ts';

const BUSY = 5;
const LOCKED = 6;

const WAIT = 'try again when no other program writes it';
const ALLOW_WRITING = 'make the file and its folder writable for this user';
const RESTORE = 'it is damaged; "pawl data restore FILE" restores one of its backups';
const FREE_SPACE = 'free some space, then try again';

// By primary result code (https://www.sqlite.org/rescode.html), and by the codes of the system.
const NEXT: Readonly<Record<string | number, string>> = {
  ...{ [BUSY]: WAIT, [LOCKED]: WAIT, 8: ALLOW_WRITING, 11: RESTORE, 13: FREE_SPACE, 26: RESTORE },
  14: 'check that the folder exists and is writable for this user',
  ...{ ENOSPC: FREE_SPACE, EACCES: ALLOW_WRITING, EROFS: ALLOW_WRITING },
};

/** The operation that failed, and the state it left the database in. */
interface FailedOperation {
  /** Such as `back up /data/project.db`. */
  readonly action: string;
  readonly file: string;
  /** Such as `nothing was changed`. */
  readonly state?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The error for users; our own errors are returned unchanged. */
export function databaseFailure(cause: unknown, { action, file, state, details }: FailedOperation): EngineError {
  if (isEngineError(cause)) return cause;
  const reason = isBusy(cause) ? 'it is locked by another program' : messageOf(cause);
  const result = resultOf(cause) ?? systemCodeOf(cause);
  const next = result === undefined ? undefined : NEXT[result === 0 ? BUSY : result];
  const text = [`cannot ${action}: ${reason}`, state, next].filter((part) => part !== undefined).join('; ');
  return new EngineError('DATABASE_FAILED', text, { cause, details: { file, ...details } });
}

/** True for a failure of the database or the disk, which does not depend on the statement. */
export function isDatabaseFailure(cause: unknown): boolean {
  const result = resultOf(cause);
  return isBusy(cause) || (result !== undefined && NEXT[result] !== undefined);
}

/** True if another program holds the lock. Node's `backup` reports that as result 0, "not an error". */
export function isBusy(cause: unknown): boolean {
  return [0, BUSY, LOCKED].includes(resultOf(cause) ?? -1);
}

function resultOf(cause: unknown): number | undefined {
  if (systemCodeOf(cause) !== 'ERR_SQLITE_ERROR') return undefined;
  return cause instanceof Error && 'errcode' in cause ? Number(cause.errcode) & 0xff : undefined;
}
