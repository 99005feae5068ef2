// Owns typed rows of SQLite, and the statements of a small database: a row is parsed by its columns, and a value of another
// type is an error, never a cast. Fields are named as in TypeScript and columns as in SQL: the field `createdAt` is the column
// `created_at`.

import { EngineError } from './error.ts';

/** A value of SQLite; written out, since published types do not need those of Node. */
type SqlValue = null | number | bigint | string | Uint8Array;

/** A row as SQLite returns it. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The values of a new row, by field. Undefined is stored as NULL, and a boolean as 1 or 0. */
type NewRow = Readonly<Record<string, SqlValue | boolean | undefined>>;

/** What to do with a row whose key exists. Default: an error. */
type OnConflict = 'ignore' | 'replace';

/** What an insert did. `id` is the row's number; it says nothing if the row is not new. */
interface InsertResult {
  readonly isNew: boolean;
  readonly id: number;
}

/** An open database. Its statements are prepared once. */
export interface Database {
  /** The rows that a statement returns. */
  all(sql: string, ...values: SqlValue[]): readonly SqlRow[];
  /** The first row, if there is one. */
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined;
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  insert(table: string, row: NewRow, onConflict?: OnConflict): InsertResult;
  /** Does all of `work` or nothing of it. Transactions cannot be nested. */
  transaction<T>(work: () => T): T;
}

/** Reads the value of a column; throws STORE_DAMAGED if it has another type. */
type Column<T> = (value: SqlValue | undefined, name: string) => T;

/** The name of the column of a field. */
export function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A column of text. */
export const text: Column<string> = (value, name) => (typeof value === 'string' ? value : invalid(value, name, 'text'));

/** A column of numbers. */
export const number: Column<number> = (value, name) => (typeof value === 'number' ? value : invalid(value, name, 'a number'));

/** A column with 1 for true and 0 for false. */
export const flag: Column<boolean> = (value, name) => (value === 1 || value === 0 ? value === 1 : invalid(value, name, '0 or 1'));

/** A column of text that is one of these words. */
export function oneOf<const T extends string>(...words: readonly T[]): Column<T> {
  return (value, name) => words.find((word) => word === value) ?? invalid(value, name, `one of ${words.join(', ')}`);
}

/** A column of JSON that only this program writes, always of this type. */
export function jsonOf<T>(): Column<T> {
  return (value, name) => JSON.parse(text(value, name)) as T;
}

/** A column that can be empty, or that an older file does not have; the field is undefined then. */
export function optional<T>(column: Column<T>): Column<T | undefined> {
  return (value, name) => (value === null || value === undefined ? undefined : column(value, name));
}

/** A column that can be empty; the field is null then. */
export function nullable<T>(column: Column<T>): Column<T | null> {
  return (value, name) => (value === null ? null : column(value, name));
}

/** The type of the rows that have these columns. */
type RowOf<C> = { readonly [Field in keyof C]: C[Field] extends Column<infer T> ? T : never };

/** Returns the function that reads rows with these columns. */
export function rowAs<const C extends Readonly<Record<string, Column<unknown>>>>(columns: C): (row: SqlRow) => RowOf<C> {
  const fields = Object.entries(columns).map(([field, column]) => ({ field, column, name: columnOf(field) }));
  return (row) => Object.fromEntries(fields.map(({ field, column, name }) => [field, column(row[name], name)])) as RowOf<C>;
}

function invalid(value: unknown, name: string, expected: string): never {
  const found = value === undefined ? 'missing' : value === null ? 'empty' : `of type ${typeof value}`;
  throw new EngineError(
    'STORE_DAMAGED',
    `a row of the database is damaged: its "${name}" must be ${expected} and is ${found}; restore a backup`,
    {
      details: { column: name },
    },
  );
}
