// Owns the interface of a protected database for functions of a workflow: the part of the client of `pawl/safe-db` that
// they get as `ctx.db`. The client itself is in `src/safe-db`.

import type { SqlValue, WhereClause } from '../base/sql-condition.ts';

/** Values of a statement's parameters: by position, or by name. */
export type StatementParameters = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/** The rows that a delete would remove, and the token that allows it. */
export interface DeleteRequest {
  readonly token: string;
  readonly table: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly digest: string;
  readonly total: number;
  readonly expiresAt: string;
}

/** A protected database as the functions of a step see it: their own copy, whose changes are accepted with the step. */
export interface ProtectedDatabase {
  /** The rows of one statement. */
  query<T extends object = Record<string, SqlValue>>(sql: string, parameters?: StatementParameters): T[];
  /** The first row of one statement. */
  get<T extends object = Record<string, SqlValue>>(sql: string, parameters?: StatementParameters): T | undefined;
  /** Runs one statement. */
  run(sql: string, parameters?: StatementParameters): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  /** Runs several statements; all or none. */
  exec(sql: string): void;
  /** What a delete would remove, with the token that `delete` needs. */
  getDeleteConfirmation(table: string, where: WhereClause): DeleteRequest;
  /** Deletes the rows of a confirmation and returns how many. */
  delete(table: string, where: WhereClause, confirmToken?: string | DeleteRequest): number;
  /** Keeps what a function wrote if it returns, and nothing if it throws. The writes of a whole step are atomic anyway. */
  transaction<T>(work: () => T | Promise<T>): Promise<T>;
}
