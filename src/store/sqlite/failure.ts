// Maps SQLite's failures to error codes, with what to do next.

import { EngineError, type ErrorCode, isEngineError, messageOf } from '../../base/error.ts';

const BUSY = 5;
const LOCKED = 6;

// By primary result code: https://www.sqlite.org/rescode.html
const BY_RESULT: Readonly<Record<number, { readonly code: ErrorCode; readonly next: string }>> = {
  [BUSY]: { code: 'STORE_UNAVAILABLE', next: 'another process kept it locked; try again' },
  [LOCKED]: { code: 'STORE_UNAVAILABLE', next: 'another process kept it locked; try again' },
  3: { code: 'STORE_READONLY', next: 'make the file and its directory writable for this user, then resume' },
  8: { code: 'STORE_READONLY', next: 'make the file and its directory writable for this user, then resume' },
  11: { code: 'STORE_DAMAGED', next: 'nothing was run on it; "pawl doctor" shows what can be recovered' },
  13: { code: 'STORE_FULL', next: 'nothing was written in part; free some space, then resume' },
  18: { code: 'VALUE_TOO_LARGE', next: 'keep the value in a file and return its path' },
  26: { code: 'STORE_DAMAGED', next: 'it is not a database; name another file, or restore a backup' },
};
const OTHERWISE = { code: 'STORE_UNAVAILABLE', next: 'check the disk and the directory of the file, then try again' } as const;

function resultOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || (thrown as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') return undefined;
  return Number((thrown as { errcode?: unknown }).errcode) & 0xff;
}

/** True if another connection holds the lock, so that trying again can help. */
export function isBusy(thrown: unknown): boolean {
  const result = resultOf(thrown);
  return result === BUSY || result === LOCKED;
}

/** True if SQLite itself failed, so that the transaction may be lost. */
export function isSqliteFailure(thrown: unknown): boolean {
  return resultOf(thrown) !== undefined;
}

/** The error for users; our own errors and bugs are returned unchanged. */
export function toStoreError(thrown: unknown, file: string): unknown {
  const result = resultOf(thrown);
  if (result === undefined || isEngineError(thrown)) return thrown;
  const { code, next } = BY_RESULT[result] ?? OTHERWISE;
  return new EngineError(code, `SQLite failed on the store ${file}: ${messageOf(thrown)}; ${next}`, { cause: thrown, details: { file } });
}

/** The error for a record that was changed or lost. */
export function damagedRun(run: string, fault: string, details: Readonly<Record<string, unknown>> = {}): EngineError {
  const next = 'it will not be continued; "pawl doctor" shows the damage, and a backup restores it';
  return new EngineError('RUN_DAMAGED', `run ${run} is damaged: ${fault}; ${next}`, { details: { runId: run, ...details } });
}

/** The error for a run that does not exist. */
export function unknownRun(run: string, file: string): EngineError {
  // No command can open a store in memory.
  const [place, list] = file === ':memory:' ? ['this store, which is in memory', 'engine.list()'] : [file, '"pawl runs"'];
  return new EngineError('RUN_NOT_FOUND', `no run "${run}" in ${place}; ${list} shows those that exist`, { details: { runId: run } });
}

/** Parses a stored text; RUN_DAMAGED if that fails. */
export function parseStored<T>(run: string, subject: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw damagedRun(run, `${subject} cannot be parsed`, { cause: String(error) });
  }
}
