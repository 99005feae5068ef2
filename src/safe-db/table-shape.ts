// Owns the facts about a table that are needed to compare and write its rows: the columns that hold data, and the columns
// that identify a row.

import type { DatabaseSync } from 'node:sqlite';
import { OWN_TABLES, quoted } from './names.ts';

/** The columns that identify a row of a table. */
type RowIdentity =
  /** The primary key, which is the rowid itself (`INTEGER PRIMARY KEY`). */
  | { readonly by: 'rowid-key'; readonly columns: readonly [string] }
  /** A primary key next to the rowid; `rowid` is a name of it that no column has. */
  | { readonly by: 'key'; readonly columns: readonly string[]; readonly rowid: string }
  /** The primary key of a table without rowids. */
  | { readonly by: 'only-key'; readonly columns: readonly string[] }
  /** The rowid: there is no primary key, or it has NULL values. */
  | { readonly by: 'rowid'; readonly rowid: string };

/** The facts about one table. Rows without a key, in a table whose columns use all names of the rowid, have no identity. */
export interface TableShape<Identity extends RowIdentity | undefined = RowIdentity> {
  readonly table: string;
  /** The columns that hold data, without generated ones. */
  readonly columns: readonly string[];
  readonly identity: Identity;
  /** True for a table that holds the data of a virtual one. */
  readonly isShadow: boolean;
}

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly hidden: number;
}

const ROWID_NAMES = ['rowid', '_rowid_', 'oid'];

/** The tables of a schema that hold rows, without virtual tables and those of SQLite and Pawl. */
export function tableShapes(db: DatabaseSync, schema: string): TableShape<RowIdentity | undefined>[] {
  const rows = db.prepare(`SELECT name, type, wr FROM pragma_table_list WHERE schema = ? ORDER BY name`).all(schema);
  return rows.flatMap(({ name, type, wr }) => {
    const table = String(name);
    if ((type !== 'table' && type !== 'shadow') || table.startsWith('sqlite_') || OWN_TABLES.includes(table)) return [];
    const all = db.prepare('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?, ?)').all(table, schema) as unknown as ColumnInfo[];
    const columns = all.filter(({ hidden }) => hidden === 0).map((column) => column.name);
    return [{ table, columns, identity: identityOf(db, { schema, table, all, isWithoutRowid: wr === 1 }), isShadow: type === 'shadow' }];
  });
}

interface TableInfo {
  readonly schema: string;
  readonly table: string;
  readonly all: readonly ColumnInfo[];
  readonly isWithoutRowid: boolean;
}

function identityOf(db: DatabaseSync, info: TableInfo): RowIdentity | undefined {
  const { schema, table, all, isWithoutRowid } = info;
  const key = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const columns = key.map(({ name }) => name);
  if (isWithoutRowid) return { by: 'only-key', columns };
  const [only, ...others] = key;
  if (only !== undefined && others.length === 0 && isRowidAlias(db, info, only)) return { by: 'rowid-key', columns: [only.name] };
  const rowid = ROWID_NAMES.find((name) => !all.some((column) => column.name.toLowerCase() === name));
  if (columns.length > 0) {
    const isNull = columns.map((name) => `${quoted(name)} IS NULL`).join(' OR ');
    const hasNull = db.prepare(`SELECT 1 AS found FROM ${schema}.${quoted(table)} WHERE ${isNull} LIMIT 1`).get() !== undefined;
    if (!hasNull) return rowid === undefined ? { by: 'only-key', columns } : { by: 'key', columns, rowid };
  }
  return rowid === undefined ? undefined : { by: 'rowid', rowid };
}

/** Whether the primary key is the rowid: one column of exactly this type, without an index. */
function isRowidAlias(db: DatabaseSync, { schema, table }: TableInfo, { type }: ColumnInfo): boolean {
  if (type.toUpperCase() !== 'INTEGER') return false;
  // `INTEGER PRIMARY KEY DESC` is an ordinary key, for historical reasons; such a key has an index.
  return db.prepare("SELECT 1 AS found FROM pragma_index_list(?, ?) WHERE origin = 'pk'").get(table, schema) === undefined;
}

/** The names, as SQL, of the columns that identify a row. */
export function identityNames(identity: RowIdentity): readonly string[] {
  return identity.by === 'rowid' ? [quoted(identity.rowid)] : identity.columns.map(quoted);
}

/** SQL that is true if two values differ in any way: by SQLite's own comparison, 1 equals 1.0 and a collation may ignore case. */
export function differs(left: string, right: string): string {
  return `(${left} IS NOT ${right} COLLATE BINARY OR typeof(${left}) IS NOT typeof(${right}))`;
}
