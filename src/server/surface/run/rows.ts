// Owns the table of the comment and checks of each run, so that a server that starts later catches up and posts nothing
// twice.

import { jsonOf, number, optional, rowAs, text } from '../../../base/sql-row.ts';
import type { ServerDatabase } from '../../server-database.ts';

/** A question that is shown at the forge. */
export interface ShownQuestion {
  readonly run: string;
  readonly path: string;
  readonly digest: string;
  /** The head of the pull request that was shown with it; null without one. */
  readonly head: string | null;
  /** When it was first shown, by the clock of the forge. */
  readonly at: number;
}

/** The record of a run. */
export interface RunRow {
  readonly run: string;
  /** The state of the run that was shown last; empty if the comment is out of date. */
  readonly mark: string;
  readonly issue: number | undefined;
  readonly pr: number | undefined;
  /** The ids of the comments at the issue and at the pull request. */
  readonly issueComment: string | undefined;
  readonly prComment: string | undefined;
  /** The digest of the text that was posted last. */
  readonly body: string | undefined;
  readonly postedAt: number;
  readonly shown: readonly ShownQuestion[];
  /** What was reported last, by the name of the check. */
  readonly checks: Readonly<Record<string, string>>;
  /** The steps whose people were asked. */
  readonly asked: readonly string[];
  /** Why the forge rejected the comment. */
  readonly problem: string | undefined;
}

/** The rows of a server's database. */
export class RunRows {
  private readonly database: ServerDatabase;

  constructor(database: ServerDatabase) {
    this.database = database;
  }

  get(run: string): RunRow | undefined {
    const row = this.database.get('SELECT * FROM run_comments WHERE run = ?', run);
    return row === undefined ? undefined : rowOf(row);
  }

  /** The runs whose comment is at an issue or pull request. The comment is at the pull request once the run has one. */
  at(number: number): RunRow[] {
    const sql = 'SELECT * FROM run_comments WHERE pr = ?1 OR (pr IS NULL AND issue = ?1) ORDER BY run';
    return this.database.all(sql, number).map(rowOf);
  }

  /** The runs that were started for an issue and whose comment is at a pull request. */
  movedFrom(issue: number): RunRow[] {
    return this.database.all('SELECT * FROM run_comments WHERE issue = ? AND pr IS NOT NULL ORDER BY run', issue).map(rowOf);
  }

  /** The state that was shown last, by run. */
  marks(): Map<string, string> {
    const rows = this.database.all('SELECT run, mark FROM run_comments');
    return new Map(rows.map(({ run, mark }) => [String(run), String(mark)]));
  }

  /** Whether Pawl wrote a comment. */
  isOwn(comment: string): boolean {
    const sql = `SELECT 1 FROM run_comments WHERE issue_comment = ?1 OR pr_comment = ?1
      UNION SELECT 1 FROM forge_commands WHERE reply = ?1`;
    return this.database.get(sql, comment) !== undefined;
  }

  /** A new number for a change of a run's comment, unique also after a crash and across servers. */
  nextVersion(run: string, { issue, pr }: { readonly issue: number | undefined; readonly pr: number | undefined }): number {
    return this.database.transaction(() => {
      this.database.run(
        `INSERT INTO run_comments (run, mark, issue, pr, version, posted_at, shown, checks, asked) VALUES (?1, '', ?2, ?3, 0, 0, '[]', '{}', '[]')
         ON CONFLICT (run) DO UPDATE SET version = version + 1, issue = ?2, pr = ?3`,
        ...[run, issue ?? null, pr ?? null],
      );
      return Number(this.database.get('SELECT version FROM run_comments WHERE run = ?', run)?.version);
    });
  }

  save(row: Omit<RunRow, 'issue' | 'pr'>): void {
    this.database.run(
      `UPDATE run_comments SET mark = ?, issue_comment = ?, pr_comment = ?, body = ?, posted_at = ?, shown = ?, checks = ?, asked = ?,
         problem = ? WHERE run = ?`,
      ...[row.mark, row.issueComment ?? null, row.prComment ?? null, row.body ?? null, row.postedAt],
      ...[JSON.stringify(row.shown), JSON.stringify(row.checks), JSON.stringify(row.asked), row.problem ?? null, row.run],
    );
  }

  /** Marks the comments of an issue or pull request as out of date, so that they are written again. */
  markStale(number: number): void {
    this.database.run("UPDATE run_comments SET mark = '' WHERE pr = ?1 OR issue = ?1", number);
  }
}

const rowOf = rowAs({
  ...{ run: text, mark: text, issue: optional(number), pr: optional(number), issueComment: optional(text), prComment: optional(text) },
  ...{ body: optional(text), postedAt: number, shown: jsonOf<ShownQuestion[]>(), checks: jsonOf<Record<string, string>>() },
  ...{ asked: jsonOf<string[]>(), problem: optional(text) },
});
