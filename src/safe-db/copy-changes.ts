// Finds the changes in a private copy of a database: the rows of each table that differ from the state it was made from,
// whichever program changed them. They are collected in temporary tables of a connection to the database, so that
// statements can apply them without passing them through this process.

import type { DatabaseSync } from 'node:sqlite';
import { EngineError } from '../base/error.ts';
import type { TableChange } from './difference.ts';
import { OWN_TABLES, quoted } from './names.ts';
import { differs, identityNames, type TableShape, tableShapes } from './table-shape.ts';

/**
 * The changed rows of one table, and the temporary table that holds them: `kind`, `live` (the rowid in the database), and
 * each column before (`b0`, …) and after (`a0`, …); `bi` and `ai` are the rowid if it identifies the rows.
 */
export interface CollectedTable extends TableChange {
  readonly shape: TableShape;
  readonly temporary: string;
}

/** The attached database with the state that a copy was made from. */
export const BASE = 'pawl_base';
/** The attached copy. */
export const COPY = 'pawl_copy';

/** Collects the rows of all tables that differ. */
export function collectChanges(db: DatabaseSync): CollectedTable[] {
  const before = new Map(tableShapes(db, BASE).map((shape) => [shape.table, shape]));
  return tableShapes(db, COPY).flatMap((now, index) => {
    const base = before.get(now.table);
    if (base === undefined) return [];
    // A key with NULL values on either side cannot identify rows.
    const { identity, ...shape } = base.identity === undefined || base.identity.by === 'rowid' ? base : now;
    if (identity === undefined) return assertSame(db, shape);
    const collected = collectTable(db, { ...shape, identity }, `temp.pawl_changes_${index}`);
    return collected.inserted + collected.updated + collected.deleted === 0 ? [] : [collected];
  });
}

/** Throws if a table was changed whose rows cannot be identified. */
function assertSame(db: DatabaseSync, { table, columns }: Pick<TableShape, 'table' | 'columns'>): CollectedTable[] {
  const list = columns.map(quoted).join(', ');
  const both = `SELECT ${list}, 1 AS pawl_side FROM ${COPY}.${quoted(table)} UNION ALL SELECT ${list}, -1 FROM ${BASE}.${quoted(table)}`;
  const other = db.prepare(`SELECT 1 AS found FROM (${both}) GROUP BY ${list} HAVING sum(pawl_side) <> 0 LIMIT 1`).get();
  if (other === undefined) return [];
  throw new EngineError(
    'DATA_PROTECTED',
    `table "${table}" was changed, but its rows cannot be identified: it has no primary key, and its columns use all names of the rowid. Add a primary key with a migration.`,
    { details: { statement: 'UPDATE', on: table } },
  );
}

function collectTable(db: DatabaseSync, shape: TableShape, temporary: string): CollectedTable {
  const { table, columns, identity } = shape;
  const before = columns.map((_, index) => `b${index}`);
  const after = columns.map((_, index) => `a${index}`);
  db.exec(`CREATE TEMP TABLE ${temporary.slice('temp.'.length)} (kind, live, bi, ai, ${[...before, ...after].join(', ')})`);
  const name = quoted(table);
  const id = identity.by === 'rowid' ? quoted(identity.rowid) : 'NULL';
  const isSame = identityNames(identity)
    .map((column) => `o.${column} = n.${column}`)
    .join(' AND ');
  const of = (alias: string): string => columns.map((column) => `${alias}.${quoted(column)}`).join(', ');
  const rowid = (alias: string): string => (id === 'NULL' ? id : `${alias}.${id}`);
  const order = (alias: string): string => orderOf(shape, alias);
  const run = (sql: string): number => Number(db.prepare(sql).run().changes);
  const isChanged = columns.map((column) => differs(`o.${quoted(column)}`, `n.${quoted(column)}`)).join(' OR ');
  const only = (schema: string, other: string, alias: readonly [string, string]): string =>
    `FROM ${schema}.${name} ${alias[0]} WHERE NOT EXISTS (SELECT 1 FROM ${other}.${name} ${alias[1]} WHERE ${isSame}) ORDER BY ${order(alias[0])}`;
  const deleted = run(
    `INSERT INTO ${temporary} (kind, bi, ${before.join(', ')}) SELECT 'delete', ${rowid('o')}, ${of('o')} ${only(BASE, COPY, ['o', 'n'])}`,
  );
  const inserted = run(
    `INSERT INTO ${temporary} (kind, ai, ${after.join(', ')}) SELECT 'insert', ${rowid('n')}, ${of('n')} ${only(COPY, BASE, ['n', 'o'])}`,
  );
  const updated = run(
    `INSERT INTO ${temporary} (kind, bi, ai, ${[...before, ...after].join(', ')}) SELECT 'update', ${rowid('o')}, ${rowid('n')}, ${of('o')}, ${of('n')} FROM ${BASE}.${name} o JOIN ${COPY}.${name} n ON ${isSame} WHERE ${isChanged} ORDER BY ${order('o')}`,
  );
  return { table, shape, temporary, inserted, updated, deleted };
}

/** The order in which rows were inserted, as far as the table has it. */
function orderOf({ identity }: TableShape, alias: string): string {
  const names = 'rowid' in identity ? [quoted(identity.rowid)] : identityNames(identity);
  return names.map((name) => `${alias}.${name}`).join(', ');
}

/** Describes how two attached schemas differ, such as `table "notes" was dropped`; tables of Pawl and SQLite do not count. */
export function schemaChanges(db: DatabaseSync, from: string, to: string): string[] {
  const [before, after] = [schemaOf(db, from), schemaOf(db, to)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === is) return [];
    return [`${name} was ${is === undefined ? 'dropped' : was === undefined ? 'created' : 'redefined'}`];
  });
}

function schemaOf(db: DatabaseSync, schema: string): Map<string, string> {
  const rows = db.prepare(`SELECT type, name, tbl_name, sql FROM ${schema}.sqlite_schema WHERE sql IS NOT NULL`).all();
  return new Map(
    rows
      .filter(({ name, tbl_name: table }) => !String(name).startsWith('sqlite_') && !OWN_TABLES.includes(String(table)))
      .map(({ type, name, sql }) => [`${type} "${name}"`, String(sql)]),
  );
}
