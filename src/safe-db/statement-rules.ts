// Owns the rules for statements. SQLite calls the authorizer for every action while it compiles a statement, wherever the
// action is written: in a CTE, a view, a trigger or a cascade. So nothing here parses SQL.
//
// SD1. Only actions that are listed as allowed are allowed.
// SD2. A statement for which SQLite does not call the authorizer (VACUUM, DROP ... IF EXISTS of a missing table) is rejected.
// SD3. SQLite does not call it for the delete in REPLACE. But while recursive triggers are on, it compiles delete triggers
//     for REPLACE and calls the authorizer for their bodies. So each table has a delete trigger of ours, and a statement
//     that compiles one without deleting replaces rows (`guards.ts`).

import { constants } from 'node:sqlite';
import { OWN_TABLES } from './names.ts';

/** The start of the names of our delete triggers; `guards.ts` creates them. */
export const GUARD_PREFIX = 'pawl_guard_';
/** The function that our delete triggers call. */
export const GUARD_FUNCTION = 'pawl_deleted';

/** Why a statement is rejected. */
export interface Rejection {
  /** The statement or action in SQL: `DROP TABLE`. */
  readonly statement: string;
  readonly message: string;
  /** The table, file or setting. */
  readonly on?: string;
}

/** The facts about one statement, according to the calls of the authorizer. */
export interface StatementFacts {
  readonly rejection: Rejection | undefined;
  readonly writes: boolean;
  readonly updates: boolean;
  /** It writes one table, and no trigger or foreign key writes for it, so SQLite's `changes` counts all its rows. */
  readonly isFlat: boolean;
}

/** One call of the authorizer: the action, its two arguments, the database, and the innermost trigger or view. */
interface AuthorizerCall {
  readonly action: number;
  readonly first: string | null;
  readonly second: string | null;
  readonly database: string | null;
  readonly source: string | null;
}

/** The facts about the schema that the rules need. */
export interface SchemaFacts {
  /** Virtual tables and their shadow tables. */
  readonly virtual: ReadonlySet<string>;
  /** The table of each of our delete triggers. */
  readonly guards: ReadonlyMap<string, string>;
  /** Tables that foreign keys refer to, in lower case. */
  readonly parents: ReadonlySet<string>;
}

const MIGRATE = 'Use migrations system.';
/** Actions that are always rejected, with their name in SQL. */
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
const REJECTED_FUNCTIONS: readonly string[] = ['load_extension', 'fts3_tokenizer', GUARD_FUNCTION];
/** Pragmas that only read, even with an argument. */
const READ_PRAGMAS: ReadonlySet<string> = new Set([
  ...['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info', 'index_xinfo', 'foreign_key_list'],
  ...['foreign_key_check', 'integrity_check', 'quick_check'],
]);
/** Pragmas that only read if they have no argument. */
const PLAIN_PRAGMAS: ReadonlySet<string> = new Set([
  ...['user_version', 'schema_version', 'application_id', 'data_version', 'page_count', 'page_size', 'freelist_count', 'encoding'],
  ...['journal_mode', 'foreign_keys', 'database_list', 'collation_list', 'function_list', 'compile_options', 'recursive_triggers'],
]);

/** The authorizer of one statement; collects the facts about it. */
export class StatementAuthorizer {
  private readonly schema: SchemaFacts;
  private readonly mayDelete: boolean;
  private readonly deleted = new Set<string>();
  private readonly guarded = new Set<string>();
  private readonly written = new Set<string>();
  private writesByTrigger = false;
  private rejection: Rejection | undefined;
  private wasCalled = false;
  private writes = false;
  private updates = false;

  constructor(schema: SchemaFacts, { mayDelete }: { readonly mayDelete: boolean }) {
    this.schema = schema;
    this.mayDelete = mayDelete;
  }

  /** Whether the action is allowed. */
  allows(call: AuthorizerCall): boolean {
    this.wasCalled = true;
    if (isOfGuard(call)) {
      this.guarded.add(this.schema.guards.get(call.source) ?? call.source);
      return true;
    }
    const rejection = this.rejectionOf(call);
    this.rejection ??= rejection;
    return rejection === undefined;
  }

  /** Returns the facts about the statement. */
  facts(): StatementFacts {
    const { writes, updates } = this;
    const rejection = this.replaceRejection() ?? this.rejection ?? this.silentRejection();
    // SQLite does not name a foreign key as the source of a write, so no table that a foreign key refers to counts as flat.
    const isFlat = this.written.size === 1 && !this.writesByTrigger && ![...this.written].some((name) => this.schema.parents.has(name));
    return { rejection, writes, updates, isFlat };
  }

  private rejectionOf(call: AuthorizerCall): Rejection | undefined {
    const { action, first, second } = call;
    if (READ_ACTIONS.has(action)) return undefined;
    const schema = SCHEMA_ACTIONS.get(action);
    if (schema !== undefined) return { statement: schema, message: `${schema} blocked. ${MIGRATE}`, ...onTarget(first) };
    switch (action) {
      case constants.SQLITE_INSERT:
      case constants.SQLITE_UPDATE:
      case constants.SQLITE_DELETE:
        return this.writeRejection(call);
      case constants.SQLITE_FUNCTION:
        return REJECTED_FUNCTIONS.includes(second?.toLowerCase() ?? '')
          ? {
              statement: 'SELECT',
              message: `function ${second} blocked: it accesses something outside this database.`,
              ...onTarget(second),
            }
          : undefined;
      case constants.SQLITE_PRAGMA:
        return pragmaRejection(first ?? '', second);
      case constants.SQLITE_ALTER_TABLE:
        return { statement: 'ALTER TABLE', message: `ALTER TABLE blocked. ${MIGRATE}`, ...onTarget(second) };
      case constants.SQLITE_TRANSACTION:
      case constants.SQLITE_SAVEPOINT:
        return { statement: first ?? '', message: `${first} blocked. Use db.transaction().` };
      default:
        // SD1: unknown actions are rejected, too.
        return attachRejection(action, first);
    }
  }

  private writeRejection({ action, first, database, source }: AuthorizerCall): Rejection | undefined {
    const table = first ?? '';
    // Every change of the schema writes here first; the next call names the change.
    if (isSchemaTable(table)) return undefined;
    this.writes = true;
    this.written.add(table.toLowerCase());
    if (source !== null) this.writesByTrigger = true;
    if (action === constants.SQLITE_UPDATE) this.updates = true;
    const statement = action === constants.SQLITE_INSERT ? 'INSERT' : action === constants.SQLITE_UPDATE ? 'UPDATE' : 'DELETE';
    if (database !== null && database !== 'main')
      return { statement, message: `${statement} in database "${database}" blocked. Only the main database can be written.`, on: table };
    if (table.startsWith('sqlite_') || OWN_TABLES.includes(table))
      return { statement, message: `${statement} in table "${table}" blocked: only SQLite and Pawl may write it.`, on: table };
    if (this.schema.virtual.has(table))
      return {
        statement,
        message: `${statement} in virtual table "${table}" blocked: SQLite cannot protect its rows. ${MIGRATE}`,
        on: table,
      };
    if (action !== constants.SQLITE_DELETE) return undefined;
    this.deleted.add(table);
    return this.mayDelete ? undefined : deleteRejection(table, source);
  }

  private replaceRejection(): Rejection | undefined {
    const table = [...this.guarded].find((name) => !this.deleted.has(name));
    if (table === undefined) return undefined;
    return {
      statement: 'REPLACE',
      message: `REPLACE blocked: it deletes the rows of table "${table}" that conflict. Use INSERT ... ON CONFLICT DO UPDATE, or db.delete() with confirmation.`,
      on: table,
    };
  }

  /** The rejection of a statement without a call of the authorizer (SD2). */
  private silentRejection(): Rejection | undefined {
    if (this.wasCalled) return undefined;
    return { statement: 'VACUUM', message: `statement blocked: it neither reads nor writes rows. ${MIGRATE}` };
  }
}

/** True for the actions of our triggers: they read the old row and call our function. */
function isOfGuard(call: AuthorizerCall): call is AuthorizerCall & { readonly source: string } {
  const { action, second, source } = call;
  if (source?.startsWith(GUARD_PREFIX) !== true) return false;
  return READ_ACTIONS.has(action) || (action === constants.SQLITE_FUNCTION && second === GUARD_FUNCTION);
}

function isSchemaTable(table: string): boolean {
  return table === 'sqlite_master' || table === 'sqlite_temp_master';
}

function deleteRejection(table: string, source: string | null): Rejection {
  const where = source === null ? '' : `; trigger "${source}" deletes from table "${table}"`;
  return { statement: 'DELETE', message: `DELETE requires confirmation token from db.getDeleteConfirmation()${where}`, on: table };
}

function pragmaRejection(name: string, argument: string | null): Rejection | undefined {
  const pragma = name.toLowerCase();
  if (READ_PRAGMAS.has(pragma) || (argument === null && PLAIN_PRAGMAS.has(pragma))) return undefined;
  return { statement: 'PRAGMA', message: `PRAGMA ${pragma} blocked. Only pragmas that read are allowed.`, on: pragma };
}

function attachRejection(action: number, name: string | null): Rejection {
  const statement = action === constants.SQLITE_ATTACH ? 'ATTACH' : action === constants.SQLITE_DETACH ? 'DETACH' : `action ${action}`;
  return { statement, message: `${statement} blocked. Open another database with a separate client.`, ...onTarget(name) };
}

function onTarget(name: string | null): { readonly on?: string } {
  return name === null ? {} : { on: name };
}
