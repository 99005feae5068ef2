// Owns what has to be known of a table to compare its rows and to write them: which columns hold data, and what tells one
// row from another.

import type { DatabaseSync } from 'node:sqlite';
import { OWN_TABLES, quoted } from './names.ts';

/** What tells one row of a table from another. */
export type RowIdentity =
  /** The primary key, which is the rowid itself (`INTEGER PRIMARY KEY`). */
  | { readonly by: 'rowid-key'; readonly columns: readonly string[] }
  /** A primary key beside the rowid, whose name here is free. */
  | { readonly by: 'key'; readonly columns: readonly string[]; readonly rowid: string }
  /** The primary key of a table without rowids. */
  | { readonly by: 'only-key'; readonly columns: readonly string[] }
  /** The rowid: there is no primary key, or it has empty values. */
  | { readonly by: 'rowid'; readonly rowid: string };

/** A table as it is compared and written. */
export interface TableShape {
  readonly table: string;
  /** The columns that hold data; generated ones follow from them. */
  readonly columns: readonly string[];
  readonly identity: RowIdentity;
  /** True for a table that a virtual one keeps its data in. */
  readonly isShadow: boolean;
}

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly hidden: number;
}

const ROWID_NAMES = ['rowid', '_rowid_', 'oid'];

/** The tables of a schema that hold rows, without those of SQLite and of Pawl. Virtual tables are not among them. */
export function tableShapes(db: DatabaseSync, schema: string): TableShape[] {
  const rows = db.prepare(`SELECT name, type, wr FROM pragma_table_list WHERE schema = ? ORDER BY name`).all(schema);
  return rows.flatMap(({ name: given, type, wr }) => {
    const table = String(given);
    if ((type !== 'table' && type !== 'shadow') || table.startsWith('sqlite_') || OWN_TABLES.includes(table)) return [];
    const all = db.prepare('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?, ?)').all(table, schema) as unknown as ColumnInfo[];
    const columns = all.filter(({ hidden }) => hidden === 0).map(({ name }) => name);
    return [{ table, columns, identity: identityOf(db, { schema, table, all, isWithoutRowid: wr === 1 }), isShadow: type === 'shadow' }];
  });
}

interface Found {
  readonly schema: string;
  readonly table: string;
  readonly all: readonly ColumnInfo[];
  readonly isWithoutRowid: boolean;
}

function identityOf(db: DatabaseSync, found: Found): RowIdentity {
  const { schema, table, all, isWithoutRowid } = found;
  const key = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const columns = key.map(({ name }) => name);
  if (isWithoutRowid) return { by: 'only-key', columns };
  if (isRowidAlias(db, found, key)) return { by: 'rowid-key', columns };
  const rowid = ROWID_NAMES.find((name) => !all.some((column) => column.name.toLowerCase() === name));
  if (columns.length > 0) {
    const empty = columns.map((name) => `${quoted(name)} IS NULL`).join(' OR ');
    const hasEmpty = db.prepare(`SELECT 1 AS found FROM ${schema}.${quoted(table)} WHERE ${empty} LIMIT 1`).get() !== undefined;
    if (!hasEmpty) return rowid === undefined ? { by: 'only-key', columns } : { by: 'key', columns, rowid };
  }
  // A table whose columns take all names of the rowid, and that has no key, has no way to name a row.
  return { by: 'rowid', rowid: rowid ?? '' };
}

/** Whether the primary key is the rowid: one column of exactly this type, and no index of its own. */
function isRowidAlias(db: DatabaseSync, { schema, table }: Found, key: readonly ColumnInfo[]): boolean {
  const [only] = key;
  if (key.length !== 1 || only?.type.toUpperCase() !== 'INTEGER') return false;
  // `INTEGER PRIMARY KEY DESC` is an ordinary key, for historical reasons; such a key has an index.
  return db.prepare("SELECT 1 AS found FROM pragma_index_list(?, ?) WHERE origin = 'pk'").get(table, schema) === undefined;
}

/** The names, as SQL, by which a row is told from another. */
export function identityNames(identity: RowIdentity): readonly string[] {
  return identity.by === 'rowid' ? [quoted(identity.rowid)] : identity.columns.map(quoted);
}

/** True where two values differ in any way: SQLite's own comparison ignores case by collation, and takes 1 for 1.0. */
export function differs(one: string, other: string): string {
  return `(${one} IS NOT ${other} COLLATE BINARY OR typeof(${one}) IS NOT typeof(${other}))`;
}
