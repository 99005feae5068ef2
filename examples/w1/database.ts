// Owns the book database: what the workflow's conditions ask it, and what the commands read and write in it.

import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { migrate } from './schema.ts';

export interface Book {
  readonly id: string;
  readonly title: string;
  readonly analysisPath: string | null;
}

export interface Chapter {
  readonly number: number;
  readonly title: string;
  readonly text: string;
}

export interface Version {
  readonly id: string;
  readonly number: number;
}

const BUSY_MS = 10_000;

export class BookDatabase {
  readonly file: string;
  readonly #db: DatabaseSync;

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.file = file;
    this.#db = new DatabaseSync(file, { timeout: BUSY_MS });
    this.#db.exec('PRAGMA journal_mode = WAL');
    migrate(this.#db);
  }

  close(): void {
    this.#db.close();
  }

  row<T>(sql: string, ...values: readonly SQLInputValue[]): T | undefined {
    return this.#db.prepare(sql).get(...values) as T | undefined;
  }

  rows<T>(sql: string, ...values: readonly SQLInputValue[]): T[] {
    return this.#db.prepare(sql).all(...values) as T[];
  }

  write(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#db.prepare(sql).run(...values);
  }

  /**
   * Does a piece of work once: its writes and its result become visible together, and whoever comes with the same key
   * again gets the result without the work. A command that is run again after a crash has the same key.
   */
  once<T>(key: string, work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const done = this.row<{ result: string }>('SELECT result FROM work_done WHERE key = ?', key);
      const result = done === undefined ? work() : (JSON.parse(done.result) as T);
      if (done === undefined) this.write('INSERT INTO work_done (key, result) VALUES (?, ?)', key, JSON.stringify(result));
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  addBook(book: Book, chapters: readonly Chapter[]): void {
    this.write('INSERT INTO books (id, title, analysis_path) VALUES (?, ?, ?)', book.id, book.title, book.analysisPath);
    this.addVersion(book.id, chapters);
  }

  addVersion(bookId: string, chapters: readonly Chapter[]): Version {
    const number = (this.latestVersion(bookId)?.number ?? 0) + 1;
    const version = { id: `${bookId}-v${number}`, number };
    this.write('INSERT INTO versions (id, book_id, number) VALUES (?, ?, ?)', version.id, bookId, number);
    for (const { number: chapter, title, text } of chapters)
      this.write('INSERT INTO chapters (version_id, number, title, text) VALUES (?, ?, ?, ?)', version.id, chapter, title, text);
    return version;
  }

  latestVersion(bookId: string): Version | undefined {
    return this.row('SELECT id, number FROM versions WHERE book_id = ? ORDER BY number DESC LIMIT 1', bookId);
  }

  chapters(versionId: string): Chapter[] {
    return this.rows('SELECT number, title, text FROM chapters WHERE version_id = ? ORDER BY number', versionId);
  }

  bookOfRun(runId: string): Book | undefined {
    return this.row(
      `SELECT books.id, title, analysis_path AS analysisPath
       FROM books JOIN workflow_runs ON workflow_runs.book_id = books.id WHERE workflow_runs.id = ?`,
      runId,
    );
  }

  addWorkflow(runId: string, bookId: string): void {
    const base = this.latestVersion(bookId)?.id ?? null;
    const sql = "INSERT INTO workflow_runs (id, book_id, base_version_id, status, started_at) VALUES (?, ?, ?, 'running', ?)";
    this.write(sql, runId, bookId, base, new Date().toISOString());
  }

  closeWorkflow(runId: string, status: string): void {
    this.write('UPDATE workflow_runs SET status = ? WHERE id = ?', status, runId);
  }

  workflowStatus(runId: string): string | undefined {
    return this.row<{ status: string }>('SELECT status FROM workflow_runs WHERE id = ?', runId)?.status;
  }

  strategicPlanExists(runId: string): boolean {
    return this.row('SELECT 1 FROM strategic_plans WHERE run_id = ?', runId) !== undefined;
  }

  /** The version that the latest plan of a run was made for. */
  plannedVersion(runId: string): string | undefined {
    const sql = 'SELECT version_id AS id FROM strategic_plans WHERE run_id = ? ORDER BY id DESC LIMIT 1';
    return this.row<{ id: string | null }>(sql, runId)?.id ?? undefined;
  }

  versionExists(versionId: string): boolean {
    return this.row('SELECT 1 FROM versions WHERE id = ?', versionId) !== undefined;
  }

  artifactsExist(runId: string): boolean {
    return this.row('SELECT 1 FROM artifacts WHERE run_id = ?', runId) !== undefined;
  }

  /** Copies the whole database to `backups/project-{timestamp}.db` beside it, and notes that for the run. */
  async backup(runId: string): Promise<string> {
    const at = new Date().toISOString();
    const path = join(dirname(this.file), 'backups', `project-${at.replaceAll(':', '-')}-${runId}.db`);
    mkdirSync(dirname(path), { recursive: true });
    await backup(this.#db, path);
    const sql = 'INSERT INTO database_backups (id, created_at, path, workflow_run_id, size_bytes) VALUES (?, ?, ?, ?, ?)';
    this.write(sql, randomUUID(), at, path, runId, statSync(path).size);
    return path;
  }
}
