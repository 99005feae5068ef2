// Owns the outbox of notices: each is on disk before it is sent, and is sent at most once to each target.
//
// NB1. A notice is claimed in the database before it is sent, so that only one of two servers sends it.
// NB2. If the process that claimed a notice died, the notice may have been sent: it becomes `unknown` and is not sent again.
//      The next server sends those that were not claimed.
// - If a target does not accept a notice, it is retried 5 times in about an hour. None of this affects a run.

import type { DeepReadonly } from '../../base/deep-readonly.ts';
import { digestText } from '../../base/digest.ts';
import { jsonOf, nullable, number, oneOf, rowAs, type SqlRow, text } from '../../base/sql-row.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Notice, NoticeOutcome, Notifier } from '../../notify/notifier.ts';
import { createOwner, isDead } from '../../process/owner.ts';
import type { NoticeList } from '../contract.ts';
import type { ServerDatabase } from '../server-database.ts';
import { Alarm } from './alarm.ts';

interface NoticeParts {
  readonly database: ServerDatabase;
  readonly clock: Clock;
  /** The notifiers by the name of their target. */
  readonly targets: ReadonlyMap<string, Notifier>;
  /** Adds data that must not be stored, such as a link to decide. */
  readonly complete?: (notice: Notice, target: string) => Promise<Notice>;
  readonly warn: (error: unknown) => void;
}

type NoticeReport = DeepReadonly<NoticeList['notices'][number]>;

const sendingRow = rowAs({ id: text, sender: text, due: number });
const noticeRow = rowAs({ id: text, target: text, run: text, event: text, notice: jsonOf<Notice>(), tries: number });
const reportRow = rowAs({
  ...{ id: text, target: text, run: text, event: text, createdAt: number, tries: number, message: nullable(text) },
  status: oneOf('open', 'sending', 'sent', 'failed', 'unknown'),
});

type NoticeRow = ReturnType<typeof noticeRow>;

const TRIES_MAX = 6;
const RETRY_MS = 60_000;
/** After this time a claimed notice counts as abandoned by its process, on this machine or another. */
const SENDING_MS = 10 * 60_000;
const KEPT_MS = 30 * 86_400_000;

/** The outbox of a server. */
export class Notices extends Alarm<NoticeParts> {
  private readonly owner = createOwner();
  private readonly stop = new AbortController();

  override close(): Promise<void> {
    this.stop.abort();
    return super.close();
  }

  /** Puts a notice into the outbox. A target gets one notice for each event of a run; `mark` distinguishes two events of one kind. */
  add(target: string, mark: string, notice: Omit<Notice, 'id' | 'at'>): boolean {
    const { database, clock } = this.parts;
    const now = clock.now();
    const id = digestText(JSON.stringify([target, notice.run, notice.event, mark])).slice(0, 32);
    const stored: Notice = { ...notice, id, at: new Date(now).toISOString() };
    const row = { id, target, run: notice.run, event: notice.event, notice: JSON.stringify(stored) };
    return database.insert('notices', { ...row, createdAt: now, due: now, status: 'open' }, 'ignore').isNew;
  }

  /** The last notices, newest first. */
  list(limit: number): NoticeReport[] {
    return this.parts.database.all('SELECT * FROM notices ORDER BY created_at DESC, id LIMIT ?', limit).map(reportOf);
  }

  protected override async work(): Promise<number | undefined> {
    const { database, clock } = this.parts;
    this.settleDead();
    database.run("DELETE FROM notices WHERE created_at < ? AND status NOT IN ('open', 'sending')", clock.now() - KEPT_MS);
    const sql = "SELECT * FROM notices WHERE status = 'open' AND due <= ? ORDER BY created_at";
    const due = database.all(sql, clock.now()).map(noticeRow);
    // Targets do not wait for each other; the notices to one target are sent in order.
    await Promise.all([...Map.groupBy(due, ({ target }) => target).values()].map((rows) => this.sendAll(rows)));
    const next = database.get("SELECT min(due) AS due FROM notices WHERE status = 'open'");
    return next?.due == null ? undefined : Number(next.due);
  }

  private async sendAll(rows: readonly NoticeRow[]): Promise<void> {
    for (const row of rows) if (!this.stop.signal.aborted) await this.send(row);
  }

  private async send(row: NoticeRow): Promise<void> {
    const { id, target, notice, tries } = row;
    const { database, targets } = this.parts;
    const notifier = targets.get(target);
    if (notifier === undefined)
      return this.end(row, { kind: 'failed', message: `the settings no longer have a target "${target}"`, isFinal: true }, TRIES_MAX);
    // NB1
    const claimed = database.run(
      "UPDATE notices SET status = 'sending', sender = ?, due = ?, tries = tries + 1 WHERE id = ? AND status = 'open'",
      ...[this.owner, this.parts.clock.now(), id],
    );
    if (claimed === 0) return;
    let outcome: NoticeOutcome;
    try {
      const completed = (await this.parts.complete?.(notice, target)) ?? notice;
      outcome = await notifier.send(completed, this.stop.signal);
    } catch (error) {
      outcome = { kind: 'unknown', message: (error as Error).message };
    }
    this.end(row, outcome, tries + 1);
  }

  private end({ id, target, run, event }: NoticeRow, outcome: NoticeOutcome, tries: number): void {
    const { database, clock, warn } = this.parts;
    const now = clock.now();
    if (outcome.kind === 'failed' && outcome.isFinal !== true && tries < TRIES_MAX) {
      const due = Math.max(outcome.resumeAt ?? 0, now + RETRY_MS * 2 ** (tries - 1));
      database.run("UPDATE notices SET status = 'open', due = ?, message = ? WHERE id = ?", due, outcome.message, id);
      return;
    }
    const message = outcome.kind === 'sent' ? null : outcome.message;
    database.run('UPDATE notices SET status = ?, message = ?, ended_at = ? WHERE id = ?', outcome.kind, message, now, id);
    if (message !== null) warn(new Error(`the notice "${event}" of run ${run} to "${target}" could not be sent: ${message}`));
  }

  /** NB2: settles the notices that a dead process was sending. */
  private settleDead(): void {
    const { database, clock } = this.parts;
    for (const { id, sender, due } of database.all("SELECT id, sender, due FROM notices WHERE status = 'sending'").map(sendingRow))
      if (sender !== this.owner && (isDead(sender) || due < clock.now() - SENDING_MS))
        database.run(
          "UPDATE notices SET status = 'unknown', message = 'the server ended while it was being sent', ended_at = ? WHERE id = ? AND status = 'sending'",
          ...[clock.now(), id],
        );
  }
}

function reportOf(row: SqlRow): NoticeReport {
  const { createdAt, ...report } = reportRow(row);
  return { ...report, createdAt: new Date(createdAt).toISOString() };
}
