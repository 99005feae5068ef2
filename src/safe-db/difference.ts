// Owns the difference between a database and a copy of it: per table, how many rows were added, removed and changed.

import { DatabaseSync } from 'node:sqlite';
import { databaseFailure } from './failure.ts';
import { BUSY_MS, OWN_TABLES, quoted } from './names.ts';
import { differs } from './table-shape.ts';

/** How many rows of a table were changed. */
export interface TableChange {
  readonly table: string;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/** The difference of one table. */
export interface TableDifference {
  readonly table: string;
  /** `added` and `removed` are tables that only one of the two has. */
  readonly state: 'added' | 'removed' | 'changed';
  /** Rows that only the database has. */
  readonly added: number;
  /** Rows that only the copy has. */
  readonly removed: number;
  /** Rows with the same primary key and other values; always 0 without a primary key. */
  readonly changed: number;
  /** True if the table is defined differently. */
  readonly redefined: boolean;
}

interface TableFacts {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** The tables of a database that differ from an older copy. */
export function differences(file: string, older: string): TableDifference[] {
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    db.prepare('ATTACH ? AS older').run(older);
    return differencesIn(db);
  } catch (cause) {
    throw databaseFailure(cause, { action: `compare ${file} with ${older}`, file, details: { older } });
  }
}

function differencesIn(db: DatabaseSync): TableDifference[] {
  const [now, before] = [tablesOf(db, 'main'), tablesOf(db, 'older')];
  const names = [...new Set([...now.keys(), ...before.keys()])].sort();
  return names.flatMap((table) => differenceOf(db, { table, now: now.get(table), before: before.get(table) }));
}

function tablesOf(db: DatabaseSync, schema: string): Map<string, TableFacts> {
  const rows = db
    .prepare(`SELECT name, sql FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .all();
  const tables = rows.map(({ name, sql }) => [String(name), String(sql)] as const);
  return new Map(
    tables
      .filter(([name, sql]) => !OWN_TABLES.includes(name) && !/^create\s+virtual/i.test(sql))
      .map(([name, sql]) => {
        const columns = db.prepare('SELECT name, pk FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1').all(name, schema);
        const key = columns.filter(({ pk }) => Number(pk) > 0).map((column) => String(column.name));
        return [name, { sql, key, columns: columns.map((column) => String(column.name)) }];
      }),
  );
}

interface Pair {
  readonly table: string;
  readonly now: TableFacts | undefined;
  readonly before: TableFacts | undefined;
}

function differenceOf(db: DatabaseSync, { table, now, before }: Pair): TableDifference[] {
  const count = (sql: string): number => Number(db.prepare(sql).get()?.n ?? 0);
  const name = quoted(table);
  const none = { table, added: 0, removed: 0, changed: 0, redefined: false };
  if (before === undefined) return [{ ...none, state: 'added', added: count(`SELECT count(*) AS n FROM main.${name}`) }];
  if (now === undefined) return [{ ...none, state: 'removed', removed: count(`SELECT count(*) AS n FROM older.${name}`) }];
  const columns = now.columns.filter((column) => before.columns.includes(column));
  const key = now.key.filter((column) => before.key.includes(column));
  const hasKey = key.length > 0 && key.length === now.key.length && key.length === before.key.length;
  const rows = hasKey ? keyedCounts(count, name, { key, columns }) : plainCounts(count, name, columns);
  const redefined = now.sql !== before.sql;
  return redefined || rows.added + rows.removed + rows.changed > 0 ? [{ table, state: 'changed', ...rows, redefined }] : [];
}

type Count = (sql: string) => number;

function keyedCounts(count: Count, name: string, { key, columns }: Pick<TableFacts, 'key' | 'columns'>) {
  const isSame = key.map((column) => `a.${quoted(column)} IS b.${quoted(column)}`).join(' AND ');
  const isOther = columns.map((column) => differs(`a.${quoted(column)}`, `b.${quoted(column)}`)).join(' OR ');
  const only = (schema: string, other: string): number =>
    count(`SELECT count(*) AS n FROM ${schema}.${name} a WHERE NOT EXISTS (SELECT 1 FROM ${other}.${name} b WHERE ${isSame})`);
  return {
    added: only('main', 'older'),
    removed: only('older', 'main'),
    changed: count(`SELECT count(*) AS n FROM main.${name} a JOIN older.${name} b ON ${isSame} WHERE ${isOther}`),
  };
}

/** Without a key, equal rows of both sides cancel each other out. */
function plainCounts(count: Count, name: string, columns: readonly string[]) {
  const list = columns.map(quoted).join(', ');
  const both = `SELECT ${list}, 1 AS pawl_side FROM main.${name} UNION ALL SELECT ${list}, -1 FROM older.${name}`;
  const side = (sign: string): number =>
    count(`SELECT coalesce(sum(max(0, ${sign}d)), 0) AS n FROM (SELECT sum(pawl_side) AS d FROM (${both}) GROUP BY ${list})`);
  return { added: side(''), removed: side('-'), changed: 0 };
}
