// Owns the client of a protected database. Reads and ordinary writes work as with any client; a statement that can lose data
// is rejected, needs a confirmation, or is undone if it changes too many rows.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { WhereClause } from '../base/sql-condition.ts';
import { type BackupOptions, type BackupRecord, backUp } from './backup.ts';
import { Confirmations, type DeleteConfirmation, rowsChanged } from './confirmation.ts';
import { GuardedConnection, type Method, type Row, type SqlParameters } from './guarded-connection.ts';
import { type DeletedRows, encoded } from './guards.ts';
import { quoted } from './names.ts';
import { Transactions } from './transactions.ts';
import { toCondition } from './where.ts';

/** How a database is protected. */
export interface SafeDatabaseOptions {
  /** How many rows one statement may update; default 1,000. */
  readonly rowLimit?: number;
  /** How long a confirmation is valid; default 5 minutes. */
  readonly confirmationMs?: number;
  /** The folder for backups; default: `backups` next to the database. */
  readonly backupFolder?: string;
  /** How many backups of each kind are kept; default 20. */
  readonly keepBackups?: number;
  /** The clock, for tests. */
  readonly now?: () => number;
}

/** The changes of a statement. */
export interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** How many rows one statement may update by default. */
export const ROW_LIMIT = 1000;
const CONFIRMATION_MS = 300_000;

/** A SQLite database whose rows cannot be lost by accident. */
export class SafeDatabaseClient {
  /** The file of the database. */
  readonly file: string;
  private readonly options: SafeDatabaseOptions;
  private readonly connection: GuardedConnection;
  private readonly confirmations: Confirmations;
  private readonly transactions: Transactions;

  /** Opens a database, which must exist; a migration creates one. */
  constructor(file: string, options: SafeDatabaseOptions = {}) {
    this.file = resolve(file);
    this.options = options;
    if (!existsSync(this.file))
      throw new EngineError('DATABASE_FAILED', `database ${this.file} does not exist; run its migrations to create it`, {
        details: { file: this.file },
      });
    this.connection = new GuardedConnection(this.file, { rowLimit: options.rowLimit ?? ROW_LIMIT });
    this.confirmations = new Confirmations(options.now ?? Date.now, options.confirmationMs ?? CONFIRMATION_MS);
    this.transactions = new Transactions(() => this.connection.begin());
  }

  /** The rows of one statement. */
  query<T extends object = Row>(sql: string, parameters: SqlParameters = []): T[] {
    return this.execute(sql, 'all', parameters) as T[];
  }

  /** The first row of one statement. */
  get<T extends object = Row>(sql: string, parameters: SqlParameters = []): T | undefined {
    return this.execute(sql, 'get', parameters) as T | undefined;
  }

  /** Runs one statement. */
  run(sql: string, parameters: SqlParameters = []): RunResult {
    return this.execute(sql, 'run', parameters) as RunResult;
  }

  /** Runs several statements; all or none. */
  exec(sql: string): void {
    this.transactions.assertMayUse();
    this.connection.executeAll(sql);
  }

  /** Always throws: only migrations drop tables. */
  dropTable(table: string): never {
    throw blocked('DROP TABLE', 'DROP TABLE blocked. Use migrations system.', table);
  }

  /** Always throws. */
  deleteDatabase(): never {
    throw blocked('DELETE DATABASE', 'Database deletion blocked.', this.file);
  }

  /** Always throws: rows are deleted by a condition, after a confirmation. */
  truncateTable(table: string): never {
    throw blocked('TRUNCATE', 'TRUNCATE blocked. Use explicit DELETE with confirmation.', table);
  }

  /** The rows that a delete would remove, with the token that `delete` needs. Nothing is deleted. */
  getDeleteConfirmation(table: string, where: WhereClause): DeleteConfirmation {
    this.transactions.assertMayUse();
    const { sql, values, identity } = this.deleteStatement(table, where);
    const deleted = this.connection.deleteRows(sql, values, () => 'rollback');
    return { ...this.confirmations.issue(identity, deleted), table, ...deleted, total: totalOf(deleted) };
  }

  /** Deletes the confirmed rows and returns their number, including those of cascades and triggers. */
  delete(table: string, where: WhereClause, confirmToken?: string | DeleteConfirmation): number {
    this.transactions.assertMayUse();
    const token = typeof confirmToken === 'object' ? confirmToken.token : confirmToken;
    if (token === undefined || token === '')
      throw blocked('DELETE', 'DELETE requires confirmation token from db.getDeleteConfirmation()', table);
    const { sql, values, identity } = this.deleteStatement(table, where);
    const confirmed = this.confirmations.redeem(token, identity);
    return totalOf(
      this.connection.deleteRows(sql, values, (found) => {
        if (found.digest !== confirmed.digest) throw rowsChanged(confirmed, found);
        return 'commit';
      }),
    );
  }

  /** Runs something in a transaction, which is committed if it returns and rolled back if it throws. */
  async transaction<T>(work: (db: this) => T | Promise<T>): Promise<T> {
    return this.transactions.run(() => work(this));
  }

  /** Copies the database to a file, verifies the copy and records it. */
  async backup(options: Pick<BackupOptions, 'runId' | 'runStartedAt' | 'reason'> = {}): Promise<BackupRecord> {
    if (this.transactions.isInside)
      throw new EngineError('USAGE', 'a backup inside a transaction would not contain its writes; back up before or after it');
    const { backupFolder: folder, keepBackups: keep, now } = this.options;
    return backUp(this.file, { ...options, ...omitUndefined({ folder, keep, now }) });
  }

  /** Closes the file. */
  close(): void {
    this.connection.close();
  }

  private execute(sql: string, method: Method, parameters: SqlParameters): unknown {
    this.transactions.assertMayUse();
    return this.connection.execute(sql, method, parameters);
  }

  private deleteStatement(table: string, where: WhereClause) {
    const { sql: condition, values } = toCondition(where);
    if (!this.connection.isTable(table))
      throw new EngineError('USAGE', `"${table}" is not a table of ${this.file} that rows can be deleted from`, { details: { table } });
    const sql = `DELETE FROM main.${quoted(table)} WHERE ${condition}`;
    return { sql, values, identity: JSON.stringify([sql, values.map(encoded)]) };
  }
}

function totalOf({ rows }: DeletedRows): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

function blocked(statement: string, message: string, on: string): EngineError {
  return new EngineError('DATA_PROTECTED', message, { details: { statement, on } });
}
