// Owns the inbox. Mail is unique per run and dedupe key, even after it was consumed; the commit that acts on it consumes it.

import type { Mail, ReceivedMail } from '../store.ts';
import { sumOf } from './chain.ts';
import type { Connection } from './connection.ts';
import { writeValues } from './contents.ts';
import { damagedRun, parseStored } from './failure.ts';
import { decodeInput } from './row-format.ts';

/** Puts a message into the inbox of a run that exists. */
export function insertMail(connection: Connection, run: number, mail: Mail): 'posted' | 'duplicate' {
  const body = JSON.stringify(mail.input);
  const { changes } = connection
    .sql('INSERT INTO mail (run, dedupe, sum, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
    .run(run, mail.dedupe, sumOf([run, mail.dedupe], body), body);
  if (changes === 0) return 'duplicate';
  writeValues(connection, mail.values);
  return 'posted';
}

/** Removes an unread message. */
export function removeMail(connection: Connection, run: number, dedupe: string): 'withdrawn' | 'gone' {
  const { changes } = connection.sql('DELETE FROM mail WHERE run = ? AND dedupe = ? AND consumed IS NULL').run(run, dedupe);
  return changes === 0 ? 'gone' : 'withdrawn';
}

/** Marks messages as read by the commit at position `seq`; their content is in the log from then on. */
export function consumeMail(
  connection: Connection,
  run: number,
  consumed: { readonly ids: readonly number[]; readonly seq: number },
): void {
  for (const id of consumed.ids) {
    connection
      .sql('UPDATE mail SET consumed = ?, sum = NULL, body = NULL WHERE id = ? AND run = ? AND consumed IS NULL')
      .run(consumed.seq, id, run);
  }
}

/** Unread messages, oldest first. */
export function readInbox(connection: Connection, run: { readonly key: number; readonly id: string }, after: number): ReceivedMail[] {
  const rows = connection
    .sql('SELECT id, dedupe, sum, body FROM mail WHERE run = ? AND consumed IS NULL AND id > ? ORDER BY id')
    .all(run.key, after);
  return rows.map(({ id, dedupe, sum, body }) => {
    if (sumOf([run.key, dedupe], String(body)) !== sum)
      throw damagedRun(run.id, `its mail ${id} was changed after it was posted`, { mail: id });
    const input = parseStored(run.id, `its mail ${id}`, () => decodeInput(String(body)));
    return { id: id as number, dedupe: String(dedupe), input };
  });
}

/** True when there is an unread message newer than `after`. */
export function hasMail(connection: Connection, run: number, after: number): boolean {
  return connection.sql('SELECT 1 FROM mail WHERE run = ? AND consumed IS NULL AND id > ? LIMIT 1').get(run, after) !== undefined;
}
