// Owns what a statement may do. SQLite asks the authorizer about every action while it compiles a statement, wherever the
// action is written: in a CTE, a view, a trigger or a cascade. So nothing here reads the text of a statement.
//
// D1. Only actions that are listed as allowed are allowed.
// D2. A statement about which SQLite asks nothing (VACUUM, DROP ... IF EXISTS of a missing table) is refused.
// D3. SQLite does not ask about the delete in REPLACE. It does compile delete triggers for it while recursive triggers are
//     on, and asks about those. So each table has a delete trigger of ours, and a statement that compiles one without
//     deleting replaces rows (`guards.ts`).

import { constants } from 'node:sqlite';
import { OWN_TABLES } from './names.ts';

/** The start of the names of our delete triggers; `guards.ts` creates them. */
export const GUARD_PREFIX = 'pawl_guard_';
/** The function that our delete triggers call. */
export const GUARD_FUNCTION = 'pawl_deleted';

/** Why a statement is refused. */
export interface Refusal {
  /** What the statement does, as SQL calls it: `DROP TABLE`. */
  readonly statement: string;
  readonly message: string;
  /** The table, file or setting it is about. */
  readonly on?: string;
}

/** What one statement does, as SQLite asked about it. */
export interface StatementFacts {
  readonly refusal: Refusal | undefined;
  readonly writes: boolean;
  readonly updates: boolean;
  /** It writes one table, by itself: no trigger and no foreign key writes for it, so SQLite's `changes` counts all its rows. */
  readonly isFlat: boolean;
}

/** One question of SQLite: the action, its two arguments, the database, and the innermost trigger or view. */
export interface Question {
  readonly action: number;
  readonly first: string | null;
  readonly second: string | null;
  readonly database: string | null;
  readonly source: string | null;
}

/** What the rules know of the schema. */
export interface SchemaFacts {
  /** Virtual tables and the tables they keep their data in. */
  readonly virtual: ReadonlySet<string>;
  /** The table of each of our delete triggers. */
  readonly guards: ReadonlyMap<string, string>;
  /** Tables that foreign keys refer to, in small letters. */
  readonly parents: ReadonlySet<string>;
}

const MIGRATE = 'Use migrations system.';
/** Actions that are always refused, with their name in SQL. */
const SCHEMA_ACTIONS = new Map<number, string>([
  [constants.SQLITE_DROP_TABLE, 'DROP TABLE'],
  [constants.SQLITE_DROP_TEMP_TABLE, 'DROP TABLE'],
  [constants.SQLITE_DROP_VTABLE, 'DROP TABLE'],
  [constants.SQLITE_DROP_INDEX, 'DROP INDEX'],
  [constants.SQLITE_DROP_TEMP_INDEX, 'DROP INDEX'],
  [constants.SQLITE_DROP_TRIGGER, 'DROP TRIGGER'],
  [constants.SQLITE_DROP_TEMP_TRIGGER, 'DROP TRIGGER'],
  [constants.SQLITE_DROP_VIEW, 'DROP VIEW'],
  [constants.SQLITE_DROP_TEMP_VIEW, 'DROP VIEW'],
  [constants.SQLITE_CREATE_TABLE, 'CREATE TABLE'],
  [constants.SQLITE_CREATE_TEMP_TABLE, 'CREATE TABLE'],
  [constants.SQLITE_CREATE_VTABLE, 'CREATE VIRTUAL TABLE'],
  [constants.SQLITE_CREATE_INDEX, 'CREATE INDEX'],
  [constants.SQLITE_CREATE_TEMP_INDEX, 'CREATE INDEX'],
  [constants.SQLITE_CREATE_TRIGGER, 'CREATE TRIGGER'],
  [constants.SQLITE_CREATE_TEMP_TRIGGER, 'CREATE TRIGGER'],
  [constants.SQLITE_CREATE_VIEW, 'CREATE VIEW'],
  [constants.SQLITE_CREATE_TEMP_VIEW, 'CREATE VIEW'],
  [constants.SQLITE_REINDEX, 'REINDEX'],
  [constants.SQLITE_ANALYZE, 'ANALYZE'],
]);
const READ_ACTIONS: ReadonlySet<number> = new Set([constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_RECURSIVE]);
const REFUSED_FUNCTIONS: readonly string[] = ['load_extension', 'fts3_tokenizer', GUARD_FUNCTION];
/** Pragmas that only read, also with an argument. */
const READ_PRAGMAS: ReadonlySet<string> = new Set([
  ...['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info', 'index_xinfo', 'foreign_key_list'],
  ...['foreign_key_check', 'integrity_check', 'quick_check'],
]);
/** Pragmas that read while they have no argument. */
const PLAIN_PRAGMAS: ReadonlySet<string> = new Set([
  ...['user_version', 'schema_version', 'application_id', 'data_version', 'page_count', 'page_size', 'freelist_count', 'encoding'],
  ...['journal_mode', 'foreign_keys', 'database_list', 'collation_list', 'function_list', 'compile_options', 'recursive_triggers'],
]);

/** Collects SQLite's questions about one statement and answers them. */
export class StatementJudge {
  private readonly schema: SchemaFacts;
  private readonly mayDelete: boolean;
  private readonly deleted = new Set<string>();
  private readonly guarded = new Set<string>();
  private readonly written = new Set<string>();
  private writesByTrigger = false;
  private refusal: Refusal | undefined;
  private isAsked = false;
  private writes = false;
  private updates = false;

  constructor(schema: SchemaFacts, { mayDelete }: { readonly mayDelete: boolean }) {
    this.schema = schema;
    this.mayDelete = mayDelete;
  }

  /** Whether the action is allowed. */
  allows(question: Question): boolean {
    this.isAsked = true;
    if (isOfGuard(question)) {
      const { source } = question;
      this.guarded.add(this.schema.guards.get(source) ?? source);
      return true;
    }
    const refusal = this.refusalOf(question);
    this.refusal ??= refusal;
    return refusal === undefined;
  }

  /** What the statement does. */
  facts(): StatementFacts {
    const { writes, updates } = this;
    const refusal = this.replaceRefusal() ?? this.refusal ?? this.silentRefusal();
    // SQLite does not name a foreign key as the source of what it writes, so a table that has any is not counted as flat.
    const isFlat = this.written.size === 1 && !this.writesByTrigger && ![...this.written].some((name) => this.schema.parents.has(name));
    return { refusal, writes, updates, isFlat };
  }

  private refusalOf(question: Question): Refusal | undefined {
    const { action, first, second } = question;
    if (READ_ACTIONS.has(action)) return undefined;
    const schema = SCHEMA_ACTIONS.get(action);
    if (schema !== undefined) return { statement: schema, message: `${schema} blocked. ${MIGRATE}`, ...onOf(first) };
    switch (action) {
      case constants.SQLITE_INSERT:
      case constants.SQLITE_UPDATE:
      case constants.SQLITE_DELETE:
        return this.writeRefusal(question);
      case constants.SQLITE_FUNCTION:
        return REFUSED_FUNCTIONS.includes(second?.toLowerCase() ?? '')
          ? { statement: 'SELECT', message: `function ${second} blocked: it accesses something outside this database.`, ...onOf(second) }
          : undefined;
      case constants.SQLITE_PRAGMA:
        return pragmaRefusal(first ?? '', second);
      case constants.SQLITE_ALTER_TABLE:
        return { statement: 'ALTER TABLE', message: `ALTER TABLE blocked. ${MIGRATE}`, ...onOf(second) };
      case constants.SQLITE_TRANSACTION:
      case constants.SQLITE_SAVEPOINT:
        return { statement: first ?? '', message: `${first} blocked. Use db.transaction().` };
      default:
        // D1: an action that nobody thought of is refused, too.
        return attachRefusal(action, first);
    }
  }

  private writeRefusal({ action, first, database, source }: Question): Refusal | undefined {
    const table = first ?? '';
    // Every change of the schema writes here first; the question that follows says which change it is.
    if (isSchemaTable(table)) return undefined;
    this.writes = true;
    this.written.add(table.toLowerCase());
    if (source !== null) this.writesByTrigger = true;
    if (action === constants.SQLITE_UPDATE) this.updates = true;
    const statement = action === constants.SQLITE_INSERT ? 'INSERT' : action === constants.SQLITE_UPDATE ? 'UPDATE' : 'DELETE';
    if (database !== null && database !== 'main')
      return { statement, message: `${statement} in database "${database}" blocked. Only the main database can be written.`, on: table };
    if (table.startsWith('sqlite_') || OWN_TABLES.includes(table))
      return { statement, message: `${statement} in table "${table}" blocked: SQLite or Pawl keeps its own records there.`, on: table };
    if (this.schema.virtual.has(table))
      return {
        statement,
        message: `${statement} in virtual table "${table}" blocked: SQLite cannot protect its rows. ${MIGRATE}`,
        on: table,
      };
    if (action !== constants.SQLITE_DELETE) return undefined;
    this.deleted.add(table);
    return this.mayDelete ? undefined : deleteRefusal(table, source);
  }

  private replaceRefusal(): Refusal | undefined {
    const table = [...this.guarded].find((name) => !this.deleted.has(name));
    if (table === undefined) return undefined;
    return {
      statement: 'REPLACE',
      message: `REPLACE blocked: it deletes the rows of table "${table}" that conflict. Use INSERT ... ON CONFLICT DO UPDATE, or db.delete() with confirmation.`,
      on: table,
    };
  }

  /** A statement about which nothing was asked (D2). */
  private silentRefusal(): Refusal | undefined {
    if (this.isAsked) return undefined;
    return { statement: 'VACUUM', message: `statement blocked: it neither reads nor writes rows. ${MIGRATE}` };
  }
}

/** True for what our triggers do: they read the old row and call our function. */
function isOfGuard(question: Question): question is Question & { readonly source: string } {
  const { action, second, source } = question;
  if (source?.startsWith(GUARD_PREFIX) !== true) return false;
  return READ_ACTIONS.has(action) || (action === constants.SQLITE_FUNCTION && second === GUARD_FUNCTION);
}

function isSchemaTable(table: string): boolean {
  return table === 'sqlite_master' || table === 'sqlite_temp_master';
}

function deleteRefusal(table: string, source: string | null): Refusal {
  const where = source === null ? '' : `; trigger "${source}" deletes from table "${table}"`;
  return { statement: 'DELETE', message: `DELETE requires confirmation token from db.getDeleteConfirmation()${where}`, on: table };
}

function pragmaRefusal(name: string, argument: string | null): Refusal | undefined {
  const pragma = name.toLowerCase();
  if (READ_PRAGMAS.has(pragma) || (argument === null && PLAIN_PRAGMAS.has(pragma))) return undefined;
  return { statement: 'PRAGMA', message: `PRAGMA ${pragma} blocked. Only pragmas that read are allowed.`, on: pragma };
}

function attachRefusal(action: number, name: string | null): Refusal {
  const statement = action === constants.SQLITE_ATTACH ? 'ATTACH' : action === constants.SQLITE_DETACH ? 'DETACH' : `action ${action}`;
  return { statement, message: `${statement} blocked. Open another database with a client of its own.`, ...onOf(name) };
}

function onOf(name: string | null): { readonly on?: string } {
  return name === null ? {} : { on: name };
}
