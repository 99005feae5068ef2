// Owns one connection on which every statement of the user is analyzed before it runs. A statement is compiled twice: first
// with recursive triggers on, only for the analysis (SD3), then as it will run. If it writes, both happen inside the
// transaction that runs it, so that the schema cannot change in between.
//
// The analysis is cached with the compiled statement. When SQLite runs a compiled statement after the schema has changed,
// it recompiles it and calls the authorizer, which denies that for a cached statement (SD11). So the statement fails before
// it does anything, and is analyzed again.
//
// SD4. A statement that updates is undone if it changed more rows than the limit, including rows that triggers and cascades
//     changed. It needs no savepoint and no count if it cannot change so many (`row-bound.ts`).
// SD11. A cached statement runs exactly as it was analyzed, or not at all.

import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { EngineError, messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { SqlValue } from '../base/sql-condition.ts';
import { createGuards, type DeletedRows, DeletedRowsRecorder } from './guards.ts';
import { BUSY_MS } from './names.ts';
import { type Instruction, rowsAtMost } from './row-bound.ts';
import { GUARD_FUNCTION, type Rejection, type SchemaFacts, StatementAuthorizer, type StatementFacts } from './statement-rules.ts';
import type { TransactionEnd } from './transactions.ts';

/** Values of a statement's parameters: by position, or by name. */
export type SqlParameters = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/** A row of a result. */
export type Row = Record<string, SqlValue>;

interface Plan extends StatementFacts {
  readonly statement: StatementSync;
  readonly schemaVersion: number;
  /** The SQL after the statement. */
  readonly rest: string;
  /** Set after the first run. */
  count?: RowCount;
}

/** A method of a prepared statement. */
export type Method = 'all' | 'get' | 'run';

/** A statement that was analyzed and can run again unchanged. */
interface CachedStatement {
  readonly statement: StatementSync;
  readonly count: RowCount;
  /** How many analyses this connection had made when the statement was cached. */
  readonly analyses: number;
}

/** How the row limit is enforced: the statement cannot exceed it, or SQLite's `changes` or `total_changes()` is compared. */
type RowCount = 'none' | 'changes' | 'total';

type Result = ReturnType<StatementSync[Method]>;

/** SQLite tried to recompile a cached statement. */
const RECOMPILED = Symbol('recompiled');
/** The authorizer while a cached statement runs: nothing may be compiled (SD11). */
class RecompileGuard {
  wasCalled = false;

  allows(): boolean {
    this.wasCalled = true;
    return false;
  }
}

const PLANS_MAX = 200;

/**
 * A connection that enforces the rules for every statement.
 * @internal
 */
export class GuardedConnection {
  readonly file: string;
  private readonly db: DatabaseSync;
  private readonly rowLimit: number;
  private readonly plans = new Map<string, Plan>();
  private readonly cached = new Map<string, CachedStatement>();
  /** The SQL of statements that SQLite recompiles at every call, such as LIKE with a parameter. */
  private readonly uncacheable = new Set<string>();
  private readonly controls = new Map<string, StatementSync>();
  private readonly recompileGuard = new RecompileGuard();
  private authorizer: Pick<StatementAuthorizer, 'allows'> | undefined;
  private recorder: DeletedRowsRecorder | undefined;
  private schema: SchemaFacts = { guards: new Map(), virtual: new Set(), parents: new Set() };
  private guardedVersion: number | undefined;
  private areGuardsUncommitted = false;
  private depth = 0;
  /** False if the transaction may have been rolled back since that was last checked. */
  private isKnownOpen = false;
  private analyses = 0;
  private readonly readVersion: StatementSync;
  private readonly readChanges: StatementSync;

  constructor(file: string, { rowLimit }: { readonly rowLimit: number }) {
    this.file = file;
    this.rowLimit = rowLimit;
    this.db = openFile(file);
    this.readVersion = this.db.prepare('PRAGMA main.schema_version');
    this.readChanges = this.db.prepare('SELECT total_changes()');
    this.readChanges.setReturnArrays(true);
    this.db.function(GUARD_FUNCTION, { varargs: true, useBigIntArguments: true }, (table: SqlValue, ...values: SqlValue[]) => {
      this.recorder?.add(String(table), values);
      return null;
    });
    this.db.setAuthorizer((action, ...[first, second, database, source]) => {
      const isAllowed = this.authorizer === undefined || this.authorizer.allows({ action, first, second, database, source });
      return isAllowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
    });
  }

  /** Runs one statement; rejects SQL with more than one. */
  execute(sql: string, method: Method, parameters: SqlParameters): Result {
    const cached = this.cached.get(sql);
    if (cached !== undefined) {
      if (!this.isKnownOpen) this.assertNotRolledBack();
      const result = cached.count === 'none' ? this.runCached(cached, method, parameters) : this.runCounted(cached, method, parameters);
      if (result !== RECOMPILED) {
        this.isKnownOpen = cached.count === 'none';
        return result;
      }
      this.cached.delete(sql);
      // An analysis sets a pragma, after which SQLite recompiles every statement once. Without one, it recompiles this
      // statement at every call.
      if (cached.analyses === this.analyses) this.uncacheable.add(sql);
    }
    return this.runUncached(sql, method, parameters);
  }

  /** Runs every statement of the SQL; all or none. */
  executeAll(sql: string): void {
    this.atomically(() => {
      for (let rest = sql; this.hasStatement(rest); ) {
        const text = rest;
        rest = this.planOf(text).rest;
        this.runPlan(text, (statement) => statement.run());
      }
    });
  }

  /** Deletes rows, then commits or rolls back as `decide` says; it may also throw. */
  deleteRows(sql: string, values: readonly SqlValue[], decide: (deleted: DeletedRows) => TransactionEnd): DeletedRows {
    return this.atomically(() => {
      this.refreshGuards();
      this.analyze(sql, { mayDelete: true });
      this.recorder = new DeletedRowsRecorder();
      try {
        this.db.prepare(sql).run(...values);
        return this.recorder.result();
      } finally {
        this.recorder = undefined;
      }
    }, decide);
  }

  /** Runs something in a transaction, or in a savepoint of the open one; rolls back if it throws. */
  atomically<T>(work: () => T, decide: (result: T) => TransactionEnd = () => 'commit'): T {
    const end = this.begin();
    try {
      const result = work();
      end(decide(result));
      return result;
    } catch (error) {
      end('rollback');
      throw error;
    }
  }

  /** Begins a transaction or a savepoint and returns the function that ends it. Ending twice does nothing. */
  begin(): (end: TransactionEnd) => void {
    this.isKnownOpen = false;
    this.assertNotRolledBack();
    const name = `pawl_${this.depth}`;
    const isOuter = this.depth === 0;
    this.control(isOuter ? 'BEGIN IMMEDIATE' : `SAVEPOINT ${name}`);
    this.depth += 1;
    let isOpen = true;
    return (end) => {
      if (!isOpen) return;
      this.isKnownOpen = false;
      if (end === 'commit') {
        this.assertNotRolledBack();
        this.control(isOuter ? 'COMMIT' : `RELEASE ${name}`);
        if (isOuter) this.areGuardsUncommitted = false;
      } else {
        // SQLite may have ended the transaction already.
        if (this.db.isTransaction) this.db.exec(isOuter ? 'ROLLBACK' : `ROLLBACK TO ${name}; RELEASE ${name}`);
        // Our triggers are rolled back too if they were created inside.
        if (this.areGuardsUncommitted) this.forgetSchema();
      }
      isOpen = false;
      this.depth -= 1;
    };
  }

  /** True for a table of the main database, false for a view or an unknown name. */
  isTable(name: string): boolean {
    this.refreshGuards();
    return [...this.schema.guards.values()].includes(name);
  }

  close(): void {
    if (this.db.isOpen) this.db.close();
  }

  /**
   * OR ROLLBACK, RAISE(ROLLBACK) and a full disk end the whole transaction. Later writes would be committed separately, so
   * they are rejected until the function of the transaction has ended.
   */
  private assertNotRolledBack(): void {
    if (this.depth === 0 || this.db.isTransaction) return;
    throw new EngineError('DATA_PROTECTED', 'the transaction was rolled back by SQLite, and none of it was applied; begin a new one', {
      details: { statement: 'ROLLBACK' },
    });
  }

  /** Analyzes a statement, runs it, and caches it. */
  private runUncached(sql: string, method: Method, parameters: SqlParameters): Result {
    const { rest } = this.planOf(sql);
    if (this.hasStatement(rest))
      throw new EngineError('USAGE', 'the SQL has more than one statement; use exec(), which runs all of them or none', {
        details: { sql, rest },
      });
    const result = this.runPlan(sql, (statement) => call(statement, method, parameters));
    this.cache(sql);
    return result;
  }

  private cache(sql: string): void {
    const plan = this.plans.get(sql);
    // There is no plan if the schema changed since the analysis.
    if (plan === undefined || this.uncacheable.has(sql)) return;
    plan.count ??= this.countOf(sql, plan);
    this.cached.set(sql, { statement: plan.statement, count: plan.count, analyses: this.analyses });
  }

  private countOf(sql: string, { updates, isFlat }: Plan): RowCount {
    if (!updates || this.boundOf(sql) <= this.rowLimit) return 'none';
    return isFlat ? 'changes' : 'total';
  }

  /** How many rows a statement can change at most. */
  private boundOf(sql: string): number {
    try {
      return rowsAtMost(this.db.prepare(`EXPLAIN ${sql}`).all() as unknown as Instruction[]);
    } catch {
      // The statement is an EXPLAIN itself.
      return Infinity;
    }
  }

  private runCached({ statement }: CachedStatement, method: Method, parameters: SqlParameters): Result | typeof RECOMPILED {
    this.recompileGuard.wasCalled = false;
    this.authorizer = this.recompileGuard;
    try {
      return call(statement, method, parameters);
    } catch (error) {
      this.isKnownOpen = false;
      if (this.recompileGuard.wasCalled) return RECOMPILED;
      throw error;
    } finally {
      this.authorizer = undefined;
    }
  }

  private runCounted(cached: CachedStatement, method: Method, parameters: SqlParameters): Result | typeof RECOMPILED {
    return this.atomically(() => {
      const isExact = cached.count === 'changes' && method === 'run';
      const before = isExact ? 0 : this.totalChanges();
      const result = this.runCached(cached, method, parameters);
      if (result !== RECOMPILED)
        this.assertRowLimit(isExact ? Number((result as { changes: number | bigint }).changes) : this.totalChanges() - before);
      return result;
    });
  }

  private runPlan<T>(sql: string, run: (statement: StatementSync) => T): T {
    const plan = this.planOf(sql);
    this.assertNotRolledBack();
    // In a transaction the schema is fixed, and a statement that only inserts needs no savepoint, because it has no limit.
    if (!plan.writes || (this.depth > 0 && !plan.updates)) return this.authorized(() => run(plan.statement));
    return this.atomically(() => {
      const { statement, updates } = this.planOf(sql);
      const before = this.totalChanges();
      const result = this.authorized(() => run(statement));
      if (updates) this.assertRowLimit(this.totalChanges() - before);
      return result;
    });
  }

  private assertRowLimit(changed: number): void {
    if (changed <= this.rowLimit) return;
    throw new EngineError(
      'DATA_PROTECTED',
      `UPDATE changed ${changed} rows of ${this.file}, more than its row limit of ${this.rowLimit}, and was undone. Change fewer rows per statement, or raise the row limit.`,
      { details: { statement: 'UPDATE', changed, rowLimit: this.rowLimit } },
    );
  }

  private planOf(sql: string): Plan {
    const schemaVersion = this.refreshGuards();
    const known = this.plans.get(sql);
    if (known?.schemaVersion === schemaVersion) return known;
    const facts = this.analyze(sql, { mayDelete: false });
    const statement = this.authorized(() => this.db.prepare(sql));
    const plan: Plan = { ...facts, statement, schemaVersion, rest: sql.slice(statement.sourceSQL.length) };
    if (this.plans.size >= PLANS_MAX) this.forgetPlans();
    this.plans.set(sql, plan);
    return plan;
  }

  /** The facts about a statement; throws if it breaks a rule. */
  private analyze(sql: string, rights: { readonly mayDelete: boolean }): StatementFacts {
    const authorizer = new StatementAuthorizer(this.schema, rights);
    let failure: unknown;
    this.analyses += 1;
    this.db.exec('PRAGMA recursive_triggers = ON');
    this.authorizer = authorizer;
    try {
      this.db.prepare(sql);
    } catch (error) {
      failure = error;
    } finally {
      this.authorizer = undefined;
      this.db.exec('PRAGMA recursive_triggers = OFF');
    }
    const facts = authorizer.facts();
    if (failure !== undefined && !isDenied(failure)) throw systemTableError(failure) ?? failure;
    if (facts.rejection !== undefined) throw rejectionError(facts.rejection, failure);
    return facts;
  }

  /** Runs something with the rules as the authorizer, which SQLite also calls when it recompiles a statement. */
  private authorized<T>(work: () => T): T {
    const authorizer = new StatementAuthorizer(this.schema, { mayDelete: false });
    this.authorizer = authorizer;
    try {
      return work();
    } catch (error) {
      const { rejection } = authorizer.facts();
      throw isDenied(error) && rejection !== undefined ? rejectionError(rejection, error) : error;
    } finally {
      this.authorizer = undefined;
    }
  }

  /** Creates our triggers again if the schema has changed, and returns the version of the schema. */
  private refreshGuards(): number {
    this.isKnownOpen = false;
    const version = this.readVersion.get()?.schema_version as number;
    if (version !== this.guardedVersion) {
      this.schema = createGuards(this.db);
      this.guardedVersion = version;
      this.areGuardsUncommitted = this.depth > 0;
      this.forgetPlans();
    }
    return version;
  }

  /** Makes the next statement create our triggers again. */
  private forgetSchema(): void {
    this.guardedVersion = undefined;
    this.forgetPlans();
  }

  private forgetPlans(): void {
    this.plans.clear();
    this.cached.clear();
    this.uncacheable.clear();
  }

  /** Runs a statement that begins or ends a transaction; it is compiled once. */
  private control(sql: string): void {
    const statement = this.controls.get(sql) ?? this.db.prepare(sql);
    this.controls.set(sql, statement);
    statement.run();
  }

  private totalChanges(): number {
    return (this.readChanges.get() as unknown as [number])[0];
  }

  /** Whether the SQL has a statement, according to SQLite, which parses comments and empty statements. */
  private hasStatement(sql: string): boolean {
    if (sql.trim() === '') return false;
    try {
      this.planOf(sql);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_INVALID_STATE' || messageOf(error).includes('contains no statements')) return false;
      throw error;
    }
  }
}

/** Calls a method of a statement. Common calls are written out, because spreading an array takes a tenth of a small write. */
function call(statement: StatementSync, method: Method, parameters: SqlParameters): Result {
  const values = (Array.isArray(parameters) ? parameters : [parameters]) as SqlValue[];
  if (method !== 'run') return method === 'get' ? statement.get(...values) : statement.all(...values);
  if (values.length === 1) return statement.run(values[0] as SqlValue);
  return values.length === 2 ? statement.run(values[0] as SqlValue, values[1] as SqlValue) : statement.run(...values);
}

/** Opens a file that exists, without extensions and with SQLite's own defences. */
function openFile(file: string): DatabaseSync {
  try {
    const db = new DatabaseSync(file, { timeout: BUSY_MS, allowExtension: false, defensive: true, enableForeignKeyConstraints: true });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (cause) {
    const message = `cannot open database ${file}: ${messageOf(cause)}; check the path and that it is a SQLite file`;
    throw new EngineError('DATABASE_FAILED', message, { cause, details: { file } });
  }
}

function isDenied(error: unknown): boolean {
  const { errcode, message = '' } = error as { errcode?: unknown; message?: string };
  return errcode === 23 || message.includes('prohibited') || message.includes('not authorized');
}

/** The error for a table that SQLite itself protects. */
function systemTableError(failure: unknown): EngineError | undefined {
  const [, on] = /^table (.+) may not be (?:modified|altered|dropped)$/.exec(messageOf(failure)) ?? [];
  return on === undefined
    ? undefined
    : rejectionError({ statement: 'UPDATE', message: `${messageOf(failure)}; use a migration`, on }, failure);
}

function rejectionError({ statement, message, on }: Rejection, cause: unknown): EngineError {
  return new EngineError('DATA_PROTECTED', message, { cause, details: { statement, ...omitUndefined({ on }) } });
}
