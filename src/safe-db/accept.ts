// Applies the changes of a private copy to the database: in one transaction, together with the record of the step, or not
// at all. Only that transaction holds the write lock.
//
// SD12. A row is written only if it has not changed since the copy was made; otherwise nothing is written.
// SD13. The changes of a copy include those of its triggers and foreign keys, so these do not run again here. Rows of a table
//      with triggers are accepted only if the triggers always existed: SQLite numbers each change of a schema.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { EngineError, messageOf } from '../base/error.ts';
import { recordStep } from './accepted-steps.ts';
import { BASE, COPY, type CollectedTable, collectChanges, schemaChanges } from './copy-changes.ts';
import type { TableChange } from './difference.ts';
import type { Row } from './guarded-connection.ts';
import { BUSY_MS, quoted, type StepKey } from './names.ts';
import { differs, identityNames, type TableShape } from './table-shape.ts';

/** The files of a database and its private copy. */
export interface CopyFiles {
  /** The database. */
  readonly file: string;
  /** The unchanged copy. */
  readonly base: string;
  /** The copy that the step changes. */
  readonly copy: string;
}

/** How a copy is accepted. */
export interface AcceptOptions {
  readonly step: StepKey;
  readonly at: string;
  /** The maximum number of deleted rows in all tables; unlimited by default. */
  readonly deletesMax?: number;
  /** The maximum number of updated rows per table; unlimited by default. */
  readonly updatesMax?: number;
  /** The result to record, given the changes. */
  readonly result: (tables: readonly TableChange[]) => string;
  /** Called just before the commit. */
  readonly isStopped?: () => boolean;
}

/** A row that another program changed since the copy was made. */
interface ConflictingRow {
  readonly table: string;
  /** The columns that identify the row. */
  readonly key: Readonly<Record<string, string>>;
  readonly change: 'insert' | 'update' | 'delete';
  /** `exists`: another row has this key; `changed`: the row has other values; `gone`: the row was deleted. */
  readonly found: 'exists' | 'changed' | 'gone';
}

/** The result of accepting a copy. Only `accepted` changed the database. */
export type Acceptance =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'accepted'; readonly tables: readonly TableChange[] }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused'; readonly why: string; readonly tables: readonly TableChange[] }
  | {
      readonly kind: 'conflict';
      readonly why: string;
      readonly rows: readonly ConflictingRow[];
      readonly tables: readonly TableChange[];
    };

const LOCK_TRY_MS = 50;
const LOCK_WAIT_MS = 30_000;
const ROWS_NAMED = 20;
const CONSTRAINT = 19;
/** Extended codes of CHECK, NOT NULL and STRICT: constraints on one row, which changes of others cannot violate. */
const ROW_RULES: ReadonlySet<number> = new Set([275, 1299, 3091]);
const BUSY = 5;

/** Applies the changes of a copy and records its step. */
export async function acceptCopy({ file, base, copy }: CopyFiles, options: AcceptOptions): Promise<Acceptance> {
  // Foreign keys are off, so that cascades do not run again (SD13); they are checked at the end.
  const db = new DatabaseSync(file, { timeout: BUSY_MS, allowExtension: false, defensive: true, enableForeignKeyConstraints: false });
  try {
    attach(db, { base, copy });
    const redefined = schemaChange(db);
    if (redefined !== undefined) return { kind: 'refused', why: redefined, tables: [] };
    const collected = collectChanges(db);
    if (collected.length === 0) return { kind: 'unchanged' };
    const tables = collected.map(({ table, inserted, updated, deleted }) => ({ table, inserted, updated, deleted }));
    const why = rejectionOf(collected, options) ?? bypassedTriggers(db, collected);
    if (why !== undefined) return { kind: 'refused', why, tables };
    await takeLock(db, file, options);
    return applyLocked(db, collected, { ...options, tables });
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    const message = `the changes in a copy of ${file} could not be applied: ${messageOf(cause)}; nothing was changed`;
    throw new EngineError('DATABASE_FAILED', message, { cause, details: { file, copy } });
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.close();
  }
}

/** Describes the changes in a copy: changes of the schema, and the tables whose rows differ. */
export function changesIn(copy: Pick<CopyFiles, 'base' | 'copy'>): string[] {
  return compareCopy(copy, (db) => [...schemaChanges(db, BASE, COPY), ...collectChanges(db).map(({ table }) => `table "${table}"`)]);
}

/** Why a copy cannot be accepted regardless of its rows: its schema was changed. */
export function schemaChangeIn(copy: Pick<CopyFiles, 'base' | 'copy'>): string | undefined {
  return compareCopy(copy, schemaChange);
}

function schemaChange(db: DatabaseSync): string | undefined {
  const schema = schemaChanges(db, BASE, COPY);
  return schema.length === 0 ? undefined : `it changed the schema: ${schema.join(', ')}; use a migration`;
}

function compareCopy<Result>({ base, copy }: Pick<CopyFiles, 'base' | 'copy'>, compare: (db: DatabaseSync) => Result): Result {
  using db = new DatabaseSync(':memory:');
  attach(db, { base, copy });
  return compare(db);
}

function attach(db: DatabaseSync, { base, copy }: Pick<CopyFiles, 'base' | 'copy'>): void {
  db.prepare(`ATTACH ? AS ${BASE}`).run(base);
  db.prepare(`ATTACH ? AS ${COPY}`).run(copy);
}

function rejectionOf(collected: readonly CollectedTable[], { deletesMax, updatesMax }: AcceptOptions): string | undefined {
  const shadow = collected.find(({ shape }) => shape.isShadow);
  if (shadow !== undefined)
    return `it changed table "${shadow.table}", in which a virtual table keeps its data; SQLite cannot protect its rows, so use a migration`;
  const deleted = collected.filter((table) => table.deleted > 0);
  const total = deleted.reduce((sum, table) => sum + table.deleted, 0);
  if (deletesMax !== undefined && total > deletesMax) {
    const named = deleted.map((table) => `${table.deleted} of table "${table.table}"`).join(', ');
    return `it deleted ${total} rows (${named}), but may delete only ${deletesMax}; raise \`deletes\` if that is intended`;
  }
  const many = updatesMax === undefined ? undefined : collected.find(({ updated }) => updated > updatesMax);
  return many === undefined
    ? undefined
    : `it updated ${many.updated} rows of table "${many.table}", more than its row limit of ${updatesMax}; change fewer rows per step, or raise the row limit`;
}

/** Why rows may have been written while a trigger was dropped, although it exists again. */
function bypassedTriggers(db: DatabaseSync, collected: readonly CollectedTable[]): string | undefined {
  // Dropping a trigger and creating it again are two changes; VACUUM and ANALYZE are one each.
  const changes = schemaNumber(db, COPY) - schemaNumber(db, BASE);
  if (changes === 0 || changes === 1) return undefined;
  const triggers = db.prepare(`SELECT tbl_name FROM ${BASE}.sqlite_schema WHERE type = 'trigger'`).all();
  const watched = new Set(triggers.map(({ tbl_name: table }) => String(table).toLowerCase()));
  const found = collected.find(({ table }) => watched.has(table.toLowerCase()));
  if (found === undefined) return undefined;
  return `it changed rows of table "${found.table}", which has triggers, and changed the schema and back, so these triggers may not have run; a step must not drop a trigger or create a table, even temporarily, nor run VACUUM or ANALYZE more than once; use a migration`;
}

function schemaNumber(db: DatabaseSync, schema: string): number {
  return db.prepare(`PRAGMA ${schema}.schema_version`).get()?.schema_version as number;
}

/** Takes the write lock without blocking this process while another program holds it. */
async function takeLock(db: DatabaseSync, file: string, { isStopped }: AcceptOptions): Promise<void> {
  db.exec(`PRAGMA busy_timeout = ${LOCK_TRY_MS}`);
  for (let waited = 0; ; waited += LOCK_TRY_MS * 2) {
    try {
      db.exec('BEGIN IMMEDIATE');
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== BUSY || isStopped?.() === true) throw error;
      if (waited >= LOCK_WAIT_MS) {
        const message = `${file} was locked by another program for ${LOCK_WAIT_MS / 1000} seconds; nothing was changed`;
        throw new EngineError('DATABASE_FAILED', message, { cause: error, details: { file } });
      }
    }
    await pause(LOCK_TRY_MS);
  }
}

interface Applying extends AcceptOptions {
  readonly tables: readonly TableChange[];
}

function applyLocked(db: DatabaseSync, collected: readonly CollectedTable[], options: Applying): Acceptance {
  const { tables } = options;
  const refused = (why: string): Acceptance => ({ kind: 'refused', why, tables });
  const conflict = (why: string, rows: readonly ConflictingRow[] = []): Acceptance => ({ kind: 'conflict', why, rows, tables });
  const schema = schemaChanges(db, BASE, 'main');
  if (schema.length > 0) return conflict(`the schema changed since the step began: ${schema.join(', ')}`);
  const rows = collected.flatMap((table) => conflictsIn(db, table));
  if (rows.length > 0) return conflict(conflictText(rows), rows.slice(0, ROWS_NAMED));
  const broken = violations(db);
  try {
    withoutTriggers(db, collected, () => {
      for (const table of collected) removeRows(db, table);
      for (const table of collected) insertRows(db, table);
    });
  } catch (error) {
    const code = (error as { errcode?: number }).errcode ?? 0;
    if (code % 256 !== CONSTRAINT) throw error;
    if (ROW_RULES.has(code)) return refused(`its rows violate a constraint of the schema: ${messageOf(error)}`);
    return conflict(`together with the changes of others since the step began, its rows violate a constraint: ${messageOf(error)}`);
  }
  const dangling = newIn(violations(db), broken);
  if (dangling.length > 0) {
    const own = newIn(violations(db, COPY), violations(db, BASE));
    if (own.length > 0)
      return refused(
        `it left dangling foreign keys: ${own.slice(0, ROWS_NAMED).join(', ')}; set PRAGMA foreign_keys = ON, so that SQLite checks them`,
      );
    return conflict(
      `together with the changes of others since the step began, it leaves dangling foreign keys: ${dangling.slice(0, ROWS_NAMED).join(', ')}`,
    );
  }
  recordStep(db, options.step, { at: options.at, result: options.result(tables) });
  if (options.isStopped?.() === true) return { kind: 'stopped' };
  db.exec('COMMIT');
  return { kind: 'accepted', tables };
}

const FOUND_TEXTS = { exists: 'was inserted by another program', gone: 'was deleted', changed: 'was changed' } as const;

function conflictText(rows: readonly ConflictingRow[]): string {
  const named = rows.slice(0, 3).map(({ table, key, found }) => {
    const columns = Object.entries(key).map(([name, value]) => `${name} = ${value}`);
    return `table "${table}", ${columns.join(', ')}: ${FOUND_TEXTS[found]}`;
  });
  const more = rows.length > named.length ? `; and ${rows.length - named.length} more` : '';
  return `rows that the step wrote were changed by others since it began: ${named.join('; ')}${more}`;
}

/** The condition that finds the row of the database for a changed row: `l` is the table, `c` the change. */
function matching({ identity, columns }: TableShape, side: 'a' | 'b'): string {
  if (identity.by === 'rowid') return `l.${quoted(identity.rowid)} = c.${side}i`;
  return identity.columns.map((column) => `l.${quoted(column)} = c.${side}${columns.indexOf(column)}`).join(' AND ');
}

function conflictsIn(db: DatabaseSync, { shape, temporary }: CollectedTable): ConflictingRow[] {
  const { table, columns, identity } = shape;
  const [first] = identityNames(identity);
  const key = (side: 'a' | 'b'): string => keyColumns(shape, side).join(', ');
  const isOther = columns.map((column, index) => differs(`l.${quoted(column)}`, `c.b${index}`)).join(' OR ');
  const live = `main.${quoted(table)} l`;
  const rows = (sql: string): Row[] => db.prepare(sql).all() as unknown as Row[];
  const written = rows(
    `SELECT c.kind AS pawl_kind, l.${first} IS NULL AS pawl_gone, ${key('b')} FROM ${temporary} c LEFT JOIN ${live} ON ${matching(shape, 'b')} WHERE c.kind <> 'insert' AND (l.${first} IS NULL OR ${isOther})`,
  );
  // A row without a key gets the next rowid, so it cannot collide.
  const taken =
    identity.by === 'rowid'
      ? []
      : rows(
          `SELECT 'insert' AS pawl_kind, 2 AS pawl_gone, ${key('a')} FROM ${temporary} c JOIN ${live} ON ${matching(shape, 'a')} WHERE c.kind = 'insert'`,
        );
  return [...written, ...taken].map(({ pawl_kind: change, pawl_gone: gone, ...values }) => ({
    table,
    key: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    change: change as ConflictingRow['change'],
    found: gone === 2 ? 'exists' : gone === 1 ? 'gone' : 'changed',
  }));
}

function keyColumns({ identity, columns }: TableShape, side: 'a' | 'b'): string[] {
  if (identity.by === 'rowid') return [`c.${side}i AS rowid`];
  return identity.columns.map((column) => `c.${side}${columns.indexOf(column)} AS ${quoted(column)}`);
}

/** The name of the rowid, if the table has one. */
function rowidOf({ identity }: TableShape): string | undefined {
  if (identity.by === 'only-key') return undefined;
  return quoted(identity.by === 'rowid-key' ? identity.columns[0] : identity.rowid);
}

/** Changed rows are removed and inserted again, all of a table together: two rows may have swapped unique values. */
function removeRows(db: DatabaseSync, { shape, temporary }: CollectedTable): void {
  const { table, columns, identity } = shape;
  const name = `main.${quoted(table)}`;
  const rowid = rowidOf(shape);
  if (rowid === undefined) {
    const keys = identityNames(identity).join(', ');
    const values = 'columns' in identity ? identity.columns.map((column) => `b${columns.indexOf(column)}`).join(', ') : '';
    db.exec(`DELETE FROM ${name} WHERE (${keys}) IN (SELECT ${values} FROM ${temporary} WHERE kind <> 'insert')`);
    return;
  }
  db.exec(`UPDATE ${temporary} AS c SET live = (SELECT l.${rowid} FROM ${name} l WHERE ${matching(shape, 'b')}) WHERE c.kind <> 'insert'`);
  db.exec(`DELETE FROM ${name} WHERE ${rowid} IN (SELECT live FROM ${temporary} WHERE kind <> 'insert')`);
}

function insertRows(db: DatabaseSync, { shape, temporary }: CollectedTable): void {
  const { table, columns, identity } = shape;
  const after = columns.map((_, index) => `a${index}`).join(', ');
  const list = columns.map(quoted).join(', ');
  // An updated row keeps its rowid. OR ABORT overrides an ON CONFLICT REPLACE of the schema.
  const [place, value] = 'rowid' in identity ? [`${quoted(identity.rowid)}, `, 'live, '] : ['', ''];
  const into = `INSERT OR ABORT INTO main.${quoted(table)}`;
  db.exec(`${into} (${place}${list}) SELECT ${value}${after} FROM ${temporary} WHERE kind = 'update' ORDER BY rowid`);
  db.exec(`${into} (${list}) SELECT ${after} FROM ${temporary} WHERE kind = 'insert' ORDER BY rowid`);
}

/** Runs work without the triggers of the changed tables, which are created again in the same transaction. */
function withoutTriggers(db: DatabaseSync, collected: readonly CollectedTable[], work: () => void): void {
  const all = db.prepare("SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY rowid").all();
  const changed = new Set(collected.map(({ table }) => table.toLowerCase()));
  const triggers = all.filter(({ tbl_name: table }) => changed.has(String(table).toLowerCase()));
  for (const { name } of triggers) db.exec(`DROP TRIGGER main.${quoted(String(name))}`);
  work();
  for (const { sql } of triggers) db.exec(String(sql));
}

function newIn(now: ReadonlySet<string>, before: ReadonlySet<string>): string[] {
  return [...now].filter((violation) => !before.has(violation));
}

/** The dangling foreign keys, each as text. */
function violations(db: DatabaseSync, schema = 'main'): Set<string> {
  const hasKeys = db
    .prepare("SELECT 1 AS found FROM main.sqlite_schema s JOIN pragma_foreign_key_list(s.name) WHERE s.type = 'table' LIMIT 1")
    .get();
  if (hasKeys === undefined) return new Set();
  const rows = db.prepare(`PRAGMA ${schema}.foreign_key_check`).all();
  const counts = new Map<string, number>();
  return new Set(
    rows.map(({ table, rowid, parent, fkid }) => {
      const text = `table "${table}"${rowid === null ? '' : ` rowid ${rowid}`} to table "${parent}" (${fkid})`;
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      return count === 1 ? text : `${text} #${count}`;
    }),
  );
}
