// Owns one connection on which every statement of the user is judged before it runs. A statement is compiled twice: first
// with recursive triggers on, only to be judged (D3), then as it will run. Both happen inside of the transaction that
// runs it, if it writes, so that the schema cannot change in between.
//
// What was judged is kept with the compiled statement. Before SQLite runs it again, SQLite itself compares the schema,
// and compiles the statement anew if that changed, for which it asks the authorizer. That is not allowed for a kept
// statement (D11), so it fails before it did anything, and is judged again.
//
// D4. A statement that updates is undone if it changed more rows than the limit, with those that triggers and cascades
//     changed. It needs no savepoint and no count if it cannot change so many (`row-bound.ts`).
// D11. A kept statement runs exactly as it was judged, or not at all.

import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { EngineError, messageOf } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { createGuards, type DeletedRows, DeletedRowsRecorder } from './guards.ts';
import { BUSY_MS } from './names.ts';
import { type Instruction, rowsAtMost } from './row-bound.ts';
import { GUARD_FUNCTION, type Refusal, type SchemaFacts, type StatementFacts, StatementJudge } from './statement-rules.ts';
import type { SqlValue } from './where.ts';

/** Values of a statement's parameters: by position, or by name. */
export type SqlParameters = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/** A row of a result. */
export type Row = Record<string, SqlValue>;

interface Plan extends StatementFacts {
  readonly statement: StatementSync;
  readonly schemaVersion: number;
  /** The text after the statement. */
  readonly rest: string;
  /** Known after it ran once. */
  count?: Count;
}

/** A method of a prepared statement. */
export type Method = 'all' | 'get' | 'run';

/** A statement that was judged and can run again as it is. */
interface KeptStatement {
  readonly statement: StatementSync;
  readonly count: Count;
  /** How often a statement was judged on this connection before. */
  readonly judgings: number;
}

/** How the rows of a statement are held to the limit: they cannot be too many, or are counted. */
type Count = 'none' | 'changes' | 'total';

type Result = ReturnType<StatementSync[Method]>;

/** SQLite wanted to compile a kept statement anew. */
const RECOMPILED = Symbol('recompiled');
/** Answers SQLite while a kept statement runs: nothing may be compiled (D11). */
class RecompileGuard {
  isAsked = false;

  allows(): boolean {
    this.isAsked = true;
    return false;
  }
}

const PLANS_MAX = 200;

/**
 * A connection that holds every statement to the rules.
 * @internal
 */
export class GuardedConnection {
  readonly file: string;
  private readonly db: DatabaseSync;
  private readonly rowLimit: number;
  private readonly plans = new Map<string, Plan>();
  private readonly kept = new Map<string, KeptStatement>();
  /** Texts that SQLite compiles anew at every call, such as LIKE with a parameter. */
  private readonly neverKept = new Set<string>();
  private readonly controls = new Map<string, StatementSync>();
  private readonly recompileGuard = new RecompileGuard();
  private judge: Pick<StatementJudge, 'allows'> | undefined;
  private recorder: DeletedRowsRecorder | undefined;
  private schema: SchemaFacts = { guards: new Map(), virtual: new Set(), parents: new Set() };
  private guardedVersion: number | undefined;
  private areGuardsUncommitted = false;
  private depth = 0;
  /** True while only kept statements ran, without a failure, since it was last seen that the transaction is still open. */
  private isUndisturbed = false;
  private judgings = 0;
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
      const isAllowed = this.judge === undefined || this.judge.allows({ action, first, second, database, source });
      return isAllowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
    });
  }

  /** Runs one statement; a text with more than one is refused. */
  one(sql: string, method: Method, parameters: SqlParameters): Result {
    const kept = this.kept.get(sql);
    if (kept !== undefined) {
      if (!this.isUndisturbed) this.assertNotRolledBack();
      const result = kept.count === 'none' ? this.runKept(kept, method, parameters) : this.runCounted(kept, method, parameters);
      if (result !== RECOMPILED) {
        this.isUndisturbed = kept.count === 'none';
        return result;
      }
      this.kept.delete(sql);
      // Judging changes a pragma, after which SQLite compiles everything anew. Without it, it will do so every time.
      if (kept.judgings === this.judgings) this.neverKept.add(sql);
    }
    return this.firstTime(sql, method, parameters);
  }

  /** Runs every statement of a text; all or none. */
  all(sql: string): void {
    this.atomically(() => {
      for (let rest = sql; this.hasStatement(rest); ) {
        const text = rest;
        rest = this.planOf(text).rest;
        this.runPlan(text, (statement) => statement.run());
      }
    });
  }

  /** Runs a confirmed delete inside of `judgeRows`, which may throw to undo it. */
  deleteRows(sql: string, values: readonly SqlValue[], judgeRows: (deleted: DeletedRows) => void): DeletedRows {
    return this.atomically(() => {
      this.refreshGuards();
      this.judged(sql, { mayDelete: true });
      this.recorder = new DeletedRowsRecorder();
      try {
        this.db.prepare(sql).run(...values);
        const deleted = this.recorder.result();
        judgeRows(deleted);
        return deleted;
      } finally {
        this.recorder = undefined;
      }
    });
  }

  /** Runs something as one: in a transaction, or in a savepoint of the one that is open. */
  atomically<T>(work: () => T): T {
    const end = this.begin();
    try {
      const result = work();
      end('keep');
      return result;
    } catch (error) {
      end('undo');
      throw error;
    }
  }

  /** Begins a transaction or a savepoint; the function ends it. Ending twice does nothing. */
  begin(): (how: 'keep' | 'undo') => void {
    this.isUndisturbed = false;
    this.assertNotRolledBack();
    const name = `pawl_${this.depth}`;
    const isOuter = this.depth === 0;
    this.control(isOuter ? 'BEGIN IMMEDIATE' : `SAVEPOINT ${name}`);
    this.depth += 1;
    let isOpen = true;
    return (how) => {
      if (!isOpen) return;
      this.isUndisturbed = false;
      if (how === 'keep') {
        this.assertNotRolledBack();
        this.control(isOuter ? 'COMMIT' : `RELEASE ${name}`);
        if (isOuter) this.areGuardsUncommitted = false;
      } else {
        // SQLite may have ended the transaction already.
        if (this.db.isTransaction) this.db.exec(isOuter ? 'ROLLBACK' : `ROLLBACK TO ${name}; RELEASE ${name}`);
        // Our triggers are undone with the rest if they were created inside.
        if (this.areGuardsUncommitted) this.forgetSchema();
      }
      isOpen = false;
      this.depth -= 1;
    };
  }

  /** True for a table of the main database, false for a view or a name that is not there. */
  isTable(name: string): boolean {
    this.refreshGuards();
    return [...this.schema.guards.values()].includes(name);
  }

  close(): void {
    if (this.db.isOpen) this.db.close();
  }

  /**
   * OR ROLLBACK, RAISE(ROLLBACK) and a full disk end the whole transaction. What follows would be written on its own, so
   * it is refused until the transaction's function has ended.
   */
  private assertNotRolledBack(): void {
    if (this.depth === 0 || this.db.isTransaction) return;
    throw new EngineError('DATA_PROTECTED', 'the transaction was rolled back by SQLite, and none of it was applied; begin a new one', {
      details: { statement: 'ROLLBACK' },
    });
  }

  /** Judges a statement, runs it, and keeps it for the next time. */
  private firstTime(sql: string, method: Method, parameters: SqlParameters): Result {
    const { rest } = this.planOf(sql);
    if (this.hasStatement(rest))
      throw new EngineError('USAGE', 'the text has more than one statement; use exec() for several: either all of them run, or none', {
        details: { sql, rest },
      });
    const result = this.runPlan(sql, (statement) => call(statement, method, parameters));
    this.keep(sql);
    return result;
  }

  private keep(sql: string): void {
    const plan = this.plans.get(sql);
    // The schema changed since it was judged, or SQLite would compile it at each call.
    if (plan === undefined || this.neverKept.has(sql)) return;
    plan.count ??= this.countOf(sql, plan);
    this.kept.set(sql, { statement: plan.statement, count: plan.count, judgings: this.judgings });
  }

  private countOf(sql: string, { updates, isFlat }: Plan): Count {
    if (!updates || this.boundOf(sql) <= this.rowLimit) return 'none';
    return isFlat ? 'changes' : 'total';
  }

  /** How many rows a statement can change at most. */
  private boundOf(sql: string): number {
    try {
      return rowsAtMost(this.db.prepare(`EXPLAIN ${sql}`).all() as unknown as Instruction[]);
    } catch {
      // A text that already is an EXPLAIN has none.
      return Infinity;
    }
  }

  private runKept({ statement }: KeptStatement, method: Method, parameters: SqlParameters): Result | typeof RECOMPILED {
    this.recompileGuard.isAsked = false;
    this.judge = this.recompileGuard;
    try {
      return call(statement, method, parameters);
    } catch (error) {
      this.isUndisturbed = false;
      if (this.recompileGuard.isAsked) return RECOMPILED;
      throw error;
    } finally {
      this.judge = undefined;
    }
  }

  private runCounted(kept: KeptStatement, method: Method, parameters: SqlParameters): Result | typeof RECOMPILED {
    return this.atomically(() => {
      const isExact = kept.count === 'changes' && method === 'run';
      const before = isExact ? 0 : this.totalChanges();
      const result = this.runKept(kept, method, parameters);
      if (result !== RECOMPILED)
        this.assertRowLimit(isExact ? Number((result as { changes: number | bigint }).changes) : this.totalChanges() - before);
      return result;
    });
  }

  private runPlan<T>(sql: string, run: (statement: StatementSync) => T): T {
    const plan = this.planOf(sql);
    this.assertNotRolledBack();
    // In a transaction the schema is fixed, and a statement that only inserts needs no savepoint: it is never undone.
    if (!plan.writes || (this.depth > 0 && !plan.updates)) return this.underRules(() => run(plan.statement));
    return this.atomically(() => {
      const { statement, updates } = this.planOf(sql);
      const before = this.totalChanges();
      const result = this.underRules(() => run(statement));
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
    const facts = this.judged(sql, { mayDelete: false });
    const statement = this.underRules(() => this.db.prepare(sql));
    const plan: Plan = { ...facts, statement, schemaVersion, rest: sql.slice(statement.sourceSQL.length) };
    if (this.plans.size >= PLANS_MAX) this.forgetPlans();
    this.plans.set(sql, plan);
    return plan;
  }

  /** What a statement does; one that breaks a rule is refused. */
  private judged(sql: string, rights: { readonly mayDelete: boolean }): StatementFacts {
    const judge = new StatementJudge(this.schema, rights);
    let failure: unknown;
    this.judgings += 1;
    this.db.exec('PRAGMA recursive_triggers = ON');
    this.judge = judge;
    try {
      this.db.prepare(sql);
    } catch (error) {
      failure = error;
    } finally {
      this.judge = undefined;
      this.db.exec('PRAGMA recursive_triggers = OFF');
    }
    const facts = judge.facts();
    if (failure !== undefined && !isDenied(failure)) throw systemTableError(failure) ?? failure;
    if (facts.refusal !== undefined) throw refusalError(facts.refusal, failure);
    return facts;
  }

  /** Runs something while SQLite asks the rules, also when it compiles a statement again by itself. */
  private underRules<T>(work: () => T): T {
    const judge = new StatementJudge(this.schema, { mayDelete: false });
    this.judge = judge;
    try {
      return work();
    } catch (error) {
      const { refusal } = judge.facts();
      throw isDenied(error) && refusal !== undefined ? refusalError(refusal, error) : error;
    } finally {
      this.judge = undefined;
    }
  }

  /** Creates our triggers if the schema changed since, and returns the version of the schema. */
  private refreshGuards(): number {
    this.isUndisturbed = false;
    const version = this.readVersion.get()?.schema_version as number;
    if (version !== this.guardedVersion) {
      this.schema = createGuards(this.db);
      this.guardedVersion = version;
      this.areGuardsUncommitted = this.depth > 0;
      this.forgetPlans();
    }
    return version;
  }

  /** Our triggers are created again before the next statement. */
  private forgetSchema(): void {
    this.guardedVersion = undefined;
    this.forgetPlans();
  }

  private forgetPlans(): void {
    this.plans.clear();
    this.kept.clear();
    this.neverKept.clear();
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

  /** Whether a text has a statement at all; SQLite knows comments and empty statements. */
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

/** Calls a method of a statement. The common calls are written out: spreading an array takes a tenth of a small write. */
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

/** The refusal for a table that SQLite itself does not let anybody write. */
function systemTableError(failure: unknown): EngineError | undefined {
  const [, on] = /^table (.+) may not be (?:modified|altered|dropped)$/.exec(messageOf(failure)) ?? [];
  return on === undefined
    ? undefined
    : refusalError({ statement: 'UPDATE', message: `${messageOf(failure)}. Use migrations system.`, on }, failure);
}

function refusalError({ statement, message, on }: Refusal, cause: unknown): EngineError {
  return new EngineError('DATA_PROTECTED', message, { cause, details: { statement, ...present({ on }) } });
}
