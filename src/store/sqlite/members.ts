// Owns the live members of groups: a row each, so that the checkpoint does not grow with a fan-out.

import type { Activation } from '../../kernel/activation.ts';
import type { Delta } from '../store.ts';
import { sumOf } from './chain.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import { countMembers, decodeActivation } from './row-format.ts';
import type { RunRow } from './run-row.ts';

/** Writes and removes the members that a delta changed. */
export function writeMembers(connection: Connection, run: number, { members: { put, drop }, state }: Delta): void {
  if (drop.length > 1 && countMembers(state) === 0) {
    connection.sql('DELETE FROM members WHERE run = ?').run(run);
    return;
  }
  for (const path of drop) connection.sql('DELETE FROM members WHERE run = ? AND path = ?').run(run, path);
  for (const member of put) {
    const text = JSON.stringify(member);
    connection
      .sql(
        'INSERT INTO members (run, path, text, sum) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text, sum = excluded.sum',
      )
      .run(run, member.path, text, sumOf([run, member.path], text));
  }
}

/** The live members of a run, verified. */
export function readMembers(connection: Connection, { key, id, members: count }: RunRow): readonly Activation[] {
  if (count === 0) return [];
  const rows = connection.sql('SELECT path, text, sum FROM members WHERE run = ? ORDER BY path').all(key);
  if (rows.length !== count) throw damagedRun(id, `${count} members of groups are live, but ${rows.length} are stored`);
  return rows.map(({ path, text, sum }) => {
    if (sumOf([key, path], String(text)) !== sum)
      throw damagedRun(id, `the live member ${path} was changed after it was written`, { path });
    return parseStored(id, `the live member ${path}`, () => decodeActivation(String(text)));
  });
}
