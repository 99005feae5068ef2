// Owns semaphores: their holders, and their queues of waiters.
//
// - An activation takes all the semaphores it asks for, or none.
// - If one is full, it waits in its queue. A queue is checked again whenever a holder or a waiter leaves, so that a waiter
//   that left does not block the next.

import type { Path } from '../../kernel/activation.ts';
import type { SlotClaim, SlotUse } from '../store.ts';
import type { Connection } from './connection.ts';

/** The semaphores that one delta takes and frees. */
interface SlotChange {
  readonly run: number;
  readonly take: readonly SlotClaim[];
  readonly free: readonly Path[];
}

/** The first semaphore without room, or undefined when the whole change fits. Writes nothing. */
export function findFull(
  connection: Connection,
  change: SlotChange,
): { readonly path: Path; readonly key: string; readonly limit: number } | undefined {
  const free = JSON.stringify(change.free);
  const taken = new Map<string, number>();
  for (const { path, keys } of change.take) {
    for (const { key, limit } of keys) {
      const others = (taken.get(key) ?? 0) + countOthers(connection, { key, run: change.run, path, free });
      if (others >= limit) return { path, key, limit };
    }
    for (const { key } of keys) taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return undefined;
}

function countOthers(connection: Connection, of: { key: string; run: number; path: Path; free: string }): number {
  const found = connection
    .sql('SELECT count(*) AS n FROM slots WHERE key = ?1 AND NOT (run = ?2 AND (path = ?3 OR path IN (SELECT value FROM json_each(?4))))')
    .get(of.key, of.run, of.path, of.free);
  return found?.n as number;
}

/** Takes and frees semaphores that `findFull` found to have room; returns the keys whose queues must be checked. */
export function changeSlots(connection: Connection, change: SlotChange): readonly string[] {
  const left = change.free.flatMap((path) => leave(connection, change.run, path));
  for (const { path, keys } of change.take) {
    connection.sql('DELETE FROM slot_waiters WHERE run = ? AND path = ?').run(change.run, path);
    for (const { key } of keys)
      connection.sql('INSERT INTO slots (key, run, path) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(key, change.run, path);
  }
  return left;
}

/** Removes a run, or one of its activations, from queues and holders; returns the keys whose queues must be checked. */
export function leave(connection: Connection, run: number, path?: Path): string[] {
  const values = path === undefined ? [run] : [run, path];
  const where = path === undefined ? 'run = ?' : 'run = ? AND path = ?';
  const left = ['slots', 'slot_waiters'].flatMap((table) =>
    connection.sql(`DELETE FROM ${table} WHERE ${where} RETURNING key`).all(...values),
  );
  return left.map(({ key }) => String(key));
}

/** Joins the queue of a semaphore; a place it already has is kept. */
export function queueForSlot(
  connection: Connection,
  waiter: { readonly run: number; readonly path: Path; readonly key: string; readonly limit: number },
): void {
  connection
    .sql('INSERT INTO slot_waiters (key, run, path, room) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET room = excluded.room')
    .run(waiter.key, waiter.run, waiter.path, waiter.limit);
}

/** The runs at the head of a queue that have room now: by the priority of the run, then by age. */
export function nextInQueue(connection: Connection, key: string): string[] {
  const held = connection.sql('SELECT count(*) AS n FROM slots WHERE key = ?').get(key)?.n as number;
  const waiters = connection
    .sql(
      "SELECT r.id, w.room FROM slot_waiters w JOIN runs r ON r.key = w.run WHERE w.key = ? ORDER BY coalesce(json_extract(r.origin, '$.priority'), 0) DESC, w.id",
    )
    .iterate(key);
  const next: string[] = [];
  for (const { id, room } of waiters) {
    if (held + next.length >= (room as number)) break;
    next.push(String(id));
  }
  return next;
}

/** The semaphores that are held or waited for. */
export function readSlots(connection: Connection, limit: number): SlotUse[] {
  const rows = connection
    .sql(
      `SELECT s.key, r.id AS run, s.path, 1 AS held, 0 AS n FROM slots s JOIN runs r ON r.key = s.run
       UNION ALL SELECT w.key, r.id, w.path, 0, w.id FROM slot_waiters w JOIN runs r ON r.key = w.run ORDER BY 1, 4 DESC, 5 LIMIT ?`,
    )
    .all(limit);
  return rows.map(({ key, run, path, held }) => ({ key: String(key), run: String(run), path: String(path), isHeld: held === 1 }));
}
