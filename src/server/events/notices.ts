// Owns the outbox of notifications: each is on disk before it is sent, and is sent at most once to each target.
//
// NB1. A notification is claimed in the database before it is sent, so that only one of two servers sends it.
// NB2. If the process that claimed a notification died, it may have been sent: it becomes `unknown` and is not sent again.
//      The next server sends those that were not claimed.
// - If a receiver does not accept a notification, it is sent again, 5 times in about an hour. None of this affects a run.

import { createHash } from 'node:crypto';
import type { Clock } from '../../engine/clock.ts';
import type { Notice, NoticeOutcome, Notifier } from '../../notify/notifier.ts';
import { createOwner, isDead } from '../../process/owner.ts';
import type { ServerDatabase, ServerRow } from '../server-database.ts';
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

interface NoticeReport {
  readonly id: string;
  readonly target: string;
  readonly run: string;
  readonly event: string;
  readonly madeAt: string;
  readonly status: 'open' | 'sending' | 'sent' | 'failed' | 'unknown';
  readonly tries: number;
  readonly message: string | null;
}

const TRIES_MAX = 6;
const RETRY_MS = 60_000;
/** After this time a claimed notice counts as abandoned by its process, on this machine or another. */
const SENDING_MS = 10 * 60_000;
const KEPT_MS = 30 * 86_400_000;

/** The outbox of a server. */
export class Notices extends Alarm<NoticeParts> {
  private readonly me = createOwner();
  private readonly stop = new AbortController();

  override close(): Promise<void> {
    this.stop.abort();
    return super.close();
  }

  /** Puts a notice into the outbox. A target gets one notice for each event of a run; `mark` distinguishes two events of one kind. */
  add(target: string, mark: string, notice: Omit<Notice, 'id' | 'at'>): boolean {
    const { database, clock } = this.parts;
    const now = clock.now();
    const id = createHash('sha256')
      .update(JSON.stringify([target, notice.run, notice.event, mark]))
      .digest('hex')
      .slice(0, 32);
    const whole: Notice = { ...notice, id, at: new Date(now).toISOString() };
    const added = database.run(
      "INSERT INTO notices (id, target, run, event, notice, made_at, due, status) VALUES (?, ?, ?, ?, ?, ?, ?, 'open') ON CONFLICT DO NOTHING",
      ...[id, target, notice.run, notice.event, JSON.stringify(whole), now, now],
    );
    return added === 1;
  }

  /** The last notices, newest first. */
  list(limit: number): NoticeReport[] {
    return this.parts.database.all('SELECT * FROM notices ORDER BY made_at DESC, id LIMIT ?', limit).map(reportOf);
  }

  protected override async work(): Promise<number | undefined> {
    const { database, clock } = this.parts;
    this.settleDead();
    database.run("DELETE FROM notices WHERE made_at < ? AND status NOT IN ('open', 'sending')", clock.now() - KEPT_MS);
    const due = database.all("SELECT * FROM notices WHERE status = 'open' AND due <= ? ORDER BY made_at", clock.now());
    // Targets do not wait for each other; the notices of one go out in order.
    await Promise.all([...Map.groupBy(due, ({ target }) => String(target)).values()].map((rows) => this.sendAll(rows)));
    const next = database.get("SELECT min(due) AS due FROM notices WHERE status = 'open'");
    return next?.due == null ? undefined : Number(next.due);
  }

  private async sendAll(rows: readonly ServerRow[]): Promise<void> {
    for (const row of rows) if (!this.stop.signal.aborted) await this.send(row);
  }

  private async send({ id, target, notice, tries }: ServerRow): Promise<void> {
    const { database, targets } = this.parts;
    const notifier = targets.get(String(target));
    if (notifier === undefined)
      return this.end(String(id), { kind: 'failed', message: 'this target no longer exists', isFinal: true }, TRIES_MAX);
    // NB1
    const claimed = database.run(
      "UPDATE notices SET status = 'sending', sender = ?, due = ?, tries = tries + 1 WHERE id = ? AND status = 'open'",
      ...[this.me, this.parts.clock.now(), String(id)],
    );
    if (claimed === 0) return;
    let outcome: NoticeOutcome;
    try {
      const stored = JSON.parse(String(notice)) as Notice;
      const whole = (await this.parts.complete?.(stored, String(target))) ?? stored;
      outcome = await notifier.send(whole, this.stop.signal);
    } catch (error) {
      outcome = { kind: 'unknown', message: (error as Error).message };
    }
    this.end(String(id), outcome, Number(tries) + 1);
  }

  private end(id: string, outcome: NoticeOutcome, tries: number): void {
    const { database, clock, warn } = this.parts;
    const now = clock.now();
    if (outcome.kind === 'failed' && outcome.isFinal !== true && tries < TRIES_MAX) {
      const due = Math.max(outcome.resumeAt ?? 0, now + RETRY_MS * 2 ** (tries - 1));
      database.run("UPDATE notices SET status = 'open', due = ?, message = ? WHERE id = ?", due, outcome.message, id);
      return;
    }
    const message = outcome.kind === 'sent' ? null : outcome.message;
    database.run('UPDATE notices SET status = ?, message = ?, ended_at = ? WHERE id = ?', outcome.kind, message, now, id);
    if (message !== null) warn(new Error(`a notice could not be sent: ${message}`));
  }

  /** NB2: settles the notices that a dead process was sending. */
  private settleDead(): void {
    const { database, clock } = this.parts;
    for (const { id, sender, due } of database.all("SELECT id, sender, due FROM notices WHERE status = 'sending'"))
      if (String(sender) !== this.me && (isDead(String(sender)) || Number(due) < clock.now() - SENDING_MS))
        database.run(
          "UPDATE notices SET status = 'unknown', message = 'the server ended while it was being sent', ended_at = ? WHERE id = ? AND status = 'sending'",
          ...[clock.now(), String(id)],
        );
  }
}

function reportOf({ id, target, run, event, made_at: madeAt, status, tries, message }: ServerRow): NoticeReport {
  return {
    ...{ id: String(id), target: String(target), run: String(run), event: String(event) },
    ...{ madeAt: new Date(Number(madeAt)).toISOString(), status: status as NoticeReport['status'], tries: Number(tries) },
    message: message as string | null,
  };
}
