// Owns deliveries from outside: each is accepted once, stored before the response, and then handled by the handler of its
// route. Hooks and forges share it: they verify deliveries, store them here, and set the handlers.
//
// DL1. A delivery is accepted once: a second one with the same route and id changes nothing.
// DL2. A stored delivery that was not handled yet is handled later, also by another server. A handler can be called twice for one
//      delivery, so what it starts has an id that is derived from the delivery (`runOf`).
// - Deliveries are kept for 30 days, and at most 10,000 of them, except that those which are not handled yet are always kept.
//   If the signature of a delivery does not cover a time, its digest is kept for a year, so that it cannot be replayed.

import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import { deriveRunId } from '../../base/id.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { jsonOf, nullable, number, oneOf, rowAs, text } from '../../base/sql-row.ts';
import type { Clock } from '../../engine/clock.ts';
import type { ServerDatabase } from '../server-database.ts';
import { Alarm } from './alarm.ts';

/** A delivery that was verified. */
export interface ReceivedDelivery {
  /** Who handles it: `hook/<name>`, `github`. */
  readonly route: string;
  /** The id that its sender gave it. */
  readonly id: string;
  /** The kind of event, if the sender names it: `issues.labeled`. */
  readonly event?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** Deliveries with the same key are debounced and counted together. */
  readonly key?: string;
  /** How long it waits for a later delivery with the same key, which would replace it. */
  readonly debounceMs?: number;
  /** The digest of its body, where the sender signs that and not the id: a second one is a repetition. */
  readonly digest?: string;
}

/** A delivery that is stored. */
export interface StoredDelivery {
  readonly number: number;
  readonly route: string;
  readonly delivery: string;
  readonly event: string | null;
  readonly receivedAt: number;
  /** `received`: not handled yet. `ignored`: it matched nothing. `limited`: too many came. `superseded`: a later one counts. */
  readonly status: 'received' | 'done' | 'ignored' | 'limited' | 'superseded' | 'failed';
  readonly reason: string | null;
  readonly run: string | null;
  readonly actedAt: number | null;
  readonly headers: JsonObject;
  readonly body: Json;
}

/** What a handler did with a delivery. `run` is the run it started or signalled. */
export type DeliveryResult =
  | { readonly status: 'done'; readonly run: string; readonly reason?: string }
  | { readonly status: 'ignored' | 'limited'; readonly reason: string }
  /** It cannot be handled before a time. */
  | { readonly status: 'later'; readonly at: number; readonly reason: string };

type EndedDelivery = Exclude<DeliveryResult, { readonly status: 'later' }> | { readonly status: 'failed'; readonly reason: string };

/** Handles a delivery. An error fails the delivery, with its message as the reason. */
export type DeliveryHandler = (delivery: StoredDelivery) => Promise<DeliveryResult>;

interface DeliveryParts {
  readonly database: ServerDatabase;
  readonly clock: Clock;
  readonly warn: (error: unknown) => void;
}

const KEPT_MS = 30 * 86_400_000;
const KEPT_MAX = 10_000;
/** Pruning reads all of them, which costs as much as storing a few. */
const PRUNE_EVERY = 100;
const DIGEST_KEPT_MS = 365 * 86_400_000;
/** How often a delivery is retried after a temporary error, and the first pause. */
const TRIES_MAX = 5;
const RETRY_MS = 5000;

/** The errors after which a delivery is retried. */
const TEMPORARY: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'RUN_LOCKED', 'ENGINE_CLOSED']);

/** Whether an error is temporary, so that a handler must throw it instead of ending the delivery. */
export function isTemporary({ code }: EngineError): boolean {
  return TEMPORARY.has(code);
}

/** The deliveries of a server. */
export class Deliveries extends Alarm<DeliveryParts> {
  private readonly handlers = new Map<string, DeliveryHandler>();
  private readonly listeners = new Set<(delivery: StoredDelivery) => void>();
  private receivedCount = 0;
  private batches = 0;

  /** The number of the current batch: all deliveries that were due at one time. */
  get batch(): number {
    return this.batches;
  }

  handle(route: string, handler: DeliveryHandler): void {
    this.handlers.set(route, handler);
  }

  /** Calls back after each delivery that was handled. */
  listen(handled: (delivery: StoredDelivery) => void): void {
    this.listeners.add(handled);
  }

  /** Stores a delivery (DL1). It is handled later, after the response. */
  receive({ route, id, event, headers, body, key = '', debounceMs = 0, digest }: ReceivedDelivery): 'stored' | 'duplicate' {
    const { database, clock } = this.parts;
    const now = clock.now();
    const isStored = database.transaction(() => {
      if (digest !== undefined && this.wasReceivedBefore(route, digest)) return false;
      const stored = { headers: JSON.stringify(headers), body: JSON.stringify(body), due: now + debounceMs, status: 'received' };
      const { isNew } = database.insert('deliveries', { route, delivery: id, receivedAt: now, event, key, digest, ...stored }, 'ignore');
      if (isNew && debounceMs > 0)
        database.run(
          "UPDATE deliveries SET status = 'superseded', reason = ?, acted_at = ? WHERE route = ? AND key = ? AND status = 'received' AND delivery != ?",
          ...['a later delivery with the same key arrived', now, route, key, id],
        );
      if (this.receivedCount % PRUNE_EVERY === 0) this.prune(now);
      this.receivedCount += 1;
      return isNew;
    });
    if (isStored) void this.ring();
    return isStored ? 'stored' : 'duplicate';
  }

  /** The deliveries, newest first. */
  list({
    route,
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: {
    readonly route?: string;
    readonly before?: number;
    readonly limit: number;
  }): StoredDelivery[] {
    const rows = this.parts.database.all(
      'SELECT * FROM deliveries WHERE number < ?1 AND (?2 IS NULL OR route = ?2) ORDER BY number DESC LIMIT ?3',
      ...[before, route ?? null, limit],
    );
    return rows.map(deliveryOf);
  }

  get(number: number): StoredDelivery {
    const row = this.parts.database.get('SELECT * FROM deliveries WHERE number = ?', number);
    if (row !== undefined) return deliveryOf(row);
    throw new EngineError('DELIVERY_UNKNOWN', `there is no delivery ${number}; "pawl deliveries" lists those that are kept`);
  }

  /** Handles a delivery again, as if it had just arrived. A run that it started before is not started again. */
  async resend(number: number): Promise<StoredDelivery> {
    this.get(number);
    this.parts.database.run(
      "UPDATE deliveries SET status = 'received', reason = NULL, due = ?, tries = 0 WHERE number = ?",
      ...[this.parts.clock.now(), number],
    );
    await this.ring();
    return this.get(number);
  }

  /** The deliveries of a key before the one with this number, except failed ones. */
  withKey(route: string, key: string, before: number): StoredDelivery[] {
    const rows = this.parts.database.all(
      "SELECT * FROM deliveries WHERE route = ? AND key = ? AND number < ? AND status != 'failed' ORDER BY number DESC LIMIT 50",
      ...[route, key, before],
    );
    return rows.map(deliveryOf);
  }

  /** How many deliveries of a key were handled since a time, not counting the given one. */
  countSince({
    route,
    key,
    since,
    except,
  }: {
    readonly route: string;
    readonly key: string;
    readonly since: number;
    readonly except: number;
  }): number {
    const row = this.parts.database.get(
      "SELECT count(*) AS n FROM deliveries WHERE route = ? AND key = ? AND acted_at > ? AND status = 'done' AND number != ?",
      ...[route, key, since, except],
    );
    return Number(row?.n ?? 0);
  }

  protected override async work(): Promise<number | undefined> {
    const { database, clock } = this.parts;
    this.batches += 1;
    const due = database.all("SELECT * FROM deliveries WHERE status = 'received' AND due <= ? ORDER BY number", clock.now());
    for (const row of due) await this.act(deliveryOf(row), number(row.tries, 'tries'));
    const next = database.get("SELECT min(due) AS due FROM deliveries WHERE status = 'received'");
    return next?.due == null ? undefined : Number(next.due);
  }

  private async act(delivery: StoredDelivery, tries: number): Promise<void> {
    const { clock, warn } = this.parts;
    const handler = this.handlers.get(delivery.route);
    if (handler === undefined)
      return this.end(delivery, { status: 'ignored', reason: `this server no longer has a handler for "${delivery.route}"` });
    try {
      const result = await handler(delivery);
      if (result.status === 'later') this.postpone(delivery, result);
      else this.end(delivery, result);
    } catch (error) {
      // The engine is closing: the next server handles it (DL2).
      if (isEngineError(error) && error.code === 'ENGINE_CLOSED') return;
      if (isEngineError(error) && isTemporary(error) && tries < TRIES_MAX) {
        const due = clock.now() + RETRY_MS * 2 ** tries;
        this.parts.database.run('UPDATE deliveries SET due = ?, tries = tries + 1 WHERE number = ?', due, delivery.number);
        return;
      }
      this.end(delivery, { status: 'failed', reason: messageOf(error as Error) });
      warn(error);
    }
  }

  private postpone({ number }: StoredDelivery, { at, reason }: { readonly at: number; readonly reason: string }): void {
    this.parts.database.run('UPDATE deliveries SET due = ?, reason = ? WHERE number = ?', at, reason, number);
  }

  private end(delivery: StoredDelivery, result: EndedDelivery): void {
    const { number } = delivery;
    this.parts.database.run(
      'UPDATE deliveries SET status = ?, reason = ?, run = ?, acted_at = ? WHERE number = ?',
      ...[result.status, result.reason ?? null, 'run' in result ? result.run : null, this.parts.clock.now(), number],
    );
    for (const handled of this.listeners) handled(delivery);
  }

  private wasReceivedBefore(route: string, digest: string): boolean {
    return this.parts.database.get('SELECT 1 FROM past_digests WHERE route = ? AND digest = ?', route, digest) !== undefined;
  }

  private prune(now: number): void {
    const { database } = this.parts;
    const kept = database.get('SELECT number FROM deliveries ORDER BY number DESC LIMIT 1 OFFSET ?', KEPT_MAX)?.number ?? -1;
    const old = "status != 'received' AND (received_at < ?1 OR number <= ?2)";
    const values = [now - KEPT_MS, Number(kept)];
    database.run(
      `INSERT OR IGNORE INTO past_digests SELECT route, digest, received_at FROM deliveries WHERE digest IS NOT NULL AND ${old}`,
      ...values,
    );
    database.run(`DELETE FROM deliveries WHERE ${old}`, ...values);
    database.run('DELETE FROM past_digests WHERE at < ?', now - DIGEST_KEPT_MS);
  }
}

/** The id of the run that a delivery starts (DL2). */
export function runOfDelivery({ route, delivery }: Pick<StoredDelivery, 'route' | 'delivery'>): string {
  return deriveRunId(`delivery/${route}`, delivery);
}

const deliveryOf = rowAs({
  ...{ number, route: text, delivery: text, event: nullable(text), receivedAt: number },
  status: oneOf('received', 'done', 'ignored', 'limited', 'superseded', 'failed'),
  ...{ reason: nullable(text), run: nullable(text), actedAt: nullable(number), headers: jsonOf<JsonObject>(), body: jsonOf<Json>() },
});
