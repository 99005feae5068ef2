// Owns the book database: what the workflow's conditions ask it, and what the commands read and write in it.

import type { SafeDatabaseClient, SqlValue } from '../../src/safe-db/index.ts';

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

type Client = Pick<SafeDatabaseClient, 'get' | 'query' | 'run'>;

export class BookDatabase {
  readonly #db: Client;

  /** Around a protected client: of the books themselves, or of the copy that a step works on. */
  constructor(db: Client) {
    this.#db = db;
  }

  row<T extends object>(sql: string, ...values: readonly SqlValue[]): T | undefined {
    return this.#db.get<T>(sql, values);
  }

  rows<T extends object>(sql: string, ...values: readonly SqlValue[]): T[] {
    return this.#db.query<T>(sql, values);
  }

  write(sql: string, ...values: readonly SqlValue[]): void {
    this.#db.run(sql, values);
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
}
