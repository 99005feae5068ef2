// Owns the record of actions at a forge without idempotency keys, in a SQLite file next to that of the runs.
//
// - An action is recorded before it is requested and again with its result. After a crash in between, a repetition checks
//   first whether the action has happened.
// - Actions of all processes run one at a time, so that no two do the same one at the same time.
// - A failure that certainly changed nothing leaves no record. After one that may have changed something, such as a
//   lost response, the action stays recorded without a result.

import type { DatabaseSync } from 'node:sqlite';
import { EngineError, messageOf } from '../base/error.ts';
import { jsonOf, number, optional, rowAs, type SqlRow, text } from '../base/sql-row.ts';
import { databaseOf, openPrivateDatabase } from '../base/sqlite.ts';
import { holdDatabase } from '../base/store-files.ts';
import { withFileLock } from './file-lock.ts';
import type { CompletedAction, ForgeAnswer, ForgeFailure } from './forge.ts';

/** The name and the key of an action. */
interface LedgerAction {
  readonly name: string;
  readonly key: string;
}

/** How to do an action. */
export interface LedgerWork<T> {
  /** Searches for the result of an earlier attempt that began at this time. */
  adopt?(begunAt: number): Promise<T | undefined>;
  act(): Promise<T>;
}

/** Returns the failure that an error of `act` stands for; undefined for a bug, which is thrown again. */
export type ErrorClassifier = (error: unknown) => { readonly failure: ForgeFailure; readonly mayHaveHappened: boolean } | undefined;

/** The record of actions. */
export interface Ledger {
  /** Does an action once, however often it is requested under its key. */
  once<T extends object>(action: LedgerAction, work: LedgerWork<T>): Promise<ForgeAnswer<T>>;
  done(prefix: string): CompletedAction[];
  close(): void;
}

/** Options for opening a ledger. */
interface LedgerOptions {
  readonly file: string;
  readonly now: () => number;
  readonly classify: ErrorClassifier;
  /** Called between the record of an action and its request. If it throws, nothing is requested. */
  readonly beforeRequest?: (action: LedgerAction) => Promise<void>;
}

/** Creates an action that is done once for each key. */
export function keyed<Request, T extends object>(
  ledger: Ledger,
  name: string,
  work: (request: Request, key: string) => LedgerWork<T>,
): (request: Request, key: string) => Promise<ForgeAnswer<T>> {
  return (request, key) => ledger.once({ name, key }, work(request, key));
}

const ledgerRow = rowAs({ name: text, at: number, value: optional(text) });

type LedgerRow = ReturnType<typeof ledgerRow>;

/** Opens a ledger, creating its file if needed. */
export function openLedger({ file, now, classify, beforeRequest }: LedgerOptions): Ledger {
  const db = openFile(file);
  const release = holdDatabase(file);
  const database = databaseOf(db);
  const find = (key: string): LedgerRow | undefined => {
    const row = database.get('SELECT name, at, value FROM actions WHERE key = ?', key);
    return row === undefined ? undefined : ledgerRow(row);
  };
  const write = ({ name, key }: LedgerAction, value: object | null): void => {
    const insert = 'INSERT INTO actions (key, name, at, value) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
    database.run(insert, key, name, now(), value === null ? null : JSON.stringify(value));
  };
  const finish = <T extends object>(action: LedgerAction, value: T): ForgeAnswer<T> => {
    write(action, value);
    return { result: 'ok', value };
  };
  const tryOnce = async <T extends object>(action: LedgerAction, work: LedgerWork<T>): Promise<ForgeAnswer<T>> => {
    const begun = find(action.key);
    const known = recall<T>(action, begun);
    if (known !== undefined) return known;
    if (begun !== undefined) {
      const adopted = await work.adopt?.(begun.at);
      if (adopted !== undefined) return finish(action, adopted);
    } else write(action, null);
    await beforeRequest?.(action);
    try {
      return finish(action, await work.act());
    } catch (error) {
      const classified = classify(error);
      if (classified === undefined) throw error;
      if (classified.mayHaveHappened) {
        const adopted = await work.adopt?.(begun?.at ?? now()).catch(() => undefined);
        return adopted === undefined ? classified.failure : finish(action, adopted);
      }
      database.run('DELETE FROM actions WHERE key = ? AND value IS NULL', action.key);
      return classified.failure;
    }
  };
  return {
    once: async (action, work) => {
      // A finished action needs no lock.
      const known = recall<never>(action, find(action.key));
      if (known !== undefined) return known;
      try {
        return await withFileLock(`${file}.turn`, () => tryOnce(action, work));
      } catch (error) {
        const classified = classify(error);
        if (classified === undefined) throw error;
        return classified.failure;
      }
    },
    done: (prefix) => database.all(SELECT_DONE, prefix, prefix).map(doneAction),
    close: () => {
      if (db.isOpen) db.close();
      release();
    },
  };
}

/** Returns the recorded result of an action, if it is finished. */
function recall<T>({ name, key }: LedgerAction, row: LedgerRow | undefined): ForgeAnswer<T> | undefined {
  if (row === undefined) return undefined;
  if (row.name !== name)
    return { result: 'denied', message: `the key "${key}" was used for ${row.name}, so it cannot be used for ${name}` };
  return row.value === undefined ? undefined : { result: 'ok', value: JSON.parse(row.value) as T };
}

/** Selects the finished actions whose keys begin with a prefix, which is bound twice. */
export const SELECT_DONE =
  'SELECT key, name AS action, at, value FROM actions WHERE substr(key, 1, length(?)) = ? AND value IS NOT NULL ORDER BY rowid';

/** A row of `SELECT_DONE`. */
export const doneAction: (row: SqlRow) => CompletedAction = rowAs({ key: text, action: text, at: number, value: jsonOf<object>() });

function openFile(file: string): DatabaseSync {
  try {
    const db = openPrivateDatabase(file);
    db.exec('CREATE TABLE IF NOT EXISTS actions (key TEXT PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL, value TEXT) STRICT');
    return db;
  } catch (error) {
    const message = `the record of forge actions cannot be opened: ${file}: ${messageOf(error)}; check the path and its permissions`;
    throw new EngineError('STORE_UNAVAILABLE', message, { cause: error, details: { file } });
  }
}
