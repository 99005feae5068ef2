// Owns our delete triggers: a temporary one per table, which is not stored in the user's file. They show which statements
// replace rows (SD3 in `statement-rules.ts`) and which rows a confirmed delete removes, including cascades.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { digestText } from '../base/digest.ts';
import { quoted } from './names.ts';
import { GUARD_FUNCTION, GUARD_PREFIX, type SchemaFacts } from './statement-rules.ts';

// A function takes at most 1,000 arguments.
const COLUMNS_MAX = 900;

/** Rows that a statement deleted: how many per table, and a digest of their values. */
export interface DeletedRows {
  readonly rows: Readonly<Record<string, number>>;
  readonly digest: string;
}

/**
 * Drops and creates the delete triggers of a connection and returns the facts about the schema that the rules need.
 * @internal
 */
export function createGuards(db: DatabaseSync): SchemaFacts {
  const taken = dropGuards(db);
  const tables = db.prepare('PRAGMA main.table_list').all() as { readonly schema: string; readonly name: string; readonly type: string }[];
  const guards = new Map<string, string>();
  const virtual = new Set<string>();
  const parents = new Set<string>();
  let number = 0;
  const freeName = (): string => {
    while (taken.has(`${GUARD_PREFIX}${number}`)) number += 1;
    return `${GUARD_PREFIX}${number++}`;
  };
  for (const { schema, name, type } of tables) {
    if (schema !== 'main' || name.startsWith('sqlite_')) continue;
    if (type === 'virtual' || type === 'shadow') virtual.add(name);
    if (type !== 'table') continue;
    const guard = freeName();
    createGuard(db, { guard, table: name });
    guards.set(guard, name);
    for (const key of db.prepare('SELECT "table" AS parent FROM pragma_foreign_key_list(?)').all(name))
      parents.add(String(key.parent).toLowerCase());
  }
  return { guards, virtual, parents };
}

/** Drops our triggers and returns the names of the others: a trigger whose table was dropped cannot be dropped. */
function dropGuards(db: DatabaseSync): ReadonlySet<string> {
  // Reading the main schema makes SQLite reload both schemas after a change, so a trigger whose table is back can be dropped.
  db.prepare('SELECT count(*) FROM main.sqlite_schema').get();
  const list = db.prepare(`SELECT name FROM temp.sqlite_schema WHERE type = 'trigger' AND name GLOB '${GUARD_PREFIX}*'`);
  for (const { name } of list.all()) db.exec(`DROP TRIGGER IF EXISTS temp.${quoted(String(name))}`);
  return new Set(list.all().map(({ name }) => String(name)));
}

function createGuard(db: DatabaseSync, { guard, table }: { readonly guard: string; readonly table: string }): void {
  const columns = db.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1 LIMIT ?').all(table, COLUMNS_MAX);
  const values = columns.map(({ name }) => `OLD.${quoted(String(name))}`);
  const label = `'${table.replaceAll("'", "''")}'`;
  const call = `SELECT ${GUARD_FUNCTION}(${[label, ...values].join(', ')})`;
  db.exec(`CREATE TEMP TRIGGER ${guard} AFTER DELETE ON main.${quoted(table)} BEGIN ${call}; END`);
}

/**
 * Counts rows and computes a digest that does not depend on their order.
 * @internal
 */
export class DeletedRowsRecorder {
  private readonly digests: string[] = [];
  private readonly counts = new Map<string, number>();

  add(table: string, values: readonly SQLInputValue[]): void {
    this.counts.set(table, (this.counts.get(table) ?? 0) + 1);
    this.digests.push(digestOf([table, ...values.map(encoded)]));
  }

  result(): DeletedRows {
    return { rows: Object.fromEntries([...this.counts].sort()), digest: digestOf(this.digests.sort()) };
  }
}

function digestOf(parts: readonly string[]): string {
  return digestText(JSON.stringify(parts));
}

/**
 * A value as text that keeps its type: 1, 1.0, '1' and x'31' differ.
 * @internal
 */
export function encoded(value: SQLInputValue): string {
  if (value === null) return 'null';
  if (ArrayBuffer.isView(value)) return `blob ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  return `${typeof value} ${value}`;
}
