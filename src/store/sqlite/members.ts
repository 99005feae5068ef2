// Owns where the live members of groups lie, so that a checkpoint does not grow with a fan-out. A member that is as it
// was when it opened is not written again: the row of the log that opened it holds it, and `openings` says of each such
// row which of its events stand for a live member, a digit an event. One that has changed since is a row of `members`.

import type { Activation, Path } from '../../kernel/activation.ts';
import type { Delta } from '../store.ts';
import { sumOf } from './chain.ts';
import { countMembers } from './checkpoint.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import { readLog } from './log.ts';
import { unpackJson } from './packing.ts';
import type { RunRow } from './run-row.ts';

const LIVE = '1';
const GONE = '0';

/** Members that are as they opened: by path, the row of the log and the event in it; and of each row which are live. */
export interface Openings {
  readonly places: ReadonlyMap<Path, { readonly seq: number; readonly index: number }>;
  readonly rows: ReadonlyMap<number, string>;
}

/** No member is live, or none is as it opened. */
export const NO_OPENINGS: Openings = { places: new Map(), rows: new Map() };

/** Writes the members that a delta touched; gives what is as it opened after that. */
export function writeMembers(connection: Connection, run: { readonly key: number; readonly openings: Openings }, delta: Delta): Openings {
  const { put, drop } = delta.members;
  if (put.length + drop.length === 0) return run.openings;
  if (drop.length > 1 && countMembers(delta.state) === 0) {
    for (const table of ['members', 'openings']) connection.sql(`DELETE FROM ${table} WHERE run = ?`).run(run.key);
    return NO_OPENINGS;
  }
  const seq = delta.seq + 1;
  const places = new Map(run.openings.places);
  const changed = new Map<number, string[]>();
  const digitsOf = (row: number): string[] => {
    const known = changed.get(row) ?? [...(run.openings.rows.get(row) ?? GONE.repeat(delta.events.length))];
    changed.set(row, known);
    return known;
  };
  const leave = (path: Path): boolean => {
    const place = places.get(path);
    if (place !== undefined) digitsOf(place.seq)[place.index] = GONE;
    return places.delete(path);
  };
  for (const path of drop) if (!leave(path)) connection.sql('DELETE FROM members WHERE run = ? AND path = ?').run(run.key, path);
  const born = openedBy(delta);
  for (const member of put) {
    const index = born.get(member);
    if (index === undefined) {
      leave(member.path);
      writeMember(connection, run.key, member);
    } else {
      places.set(member.path, { seq, index });
      digitsOf(seq)[index] = LIVE;
    }
  }
  const rows = new Map(run.openings.rows);
  for (const [row, digits] of changed) writeOpening(connection, { run: run.key, row, live: digits.join('') }, rows);
  return { places, rows };
}

function openedBy({ events }: Delta): ReadonlyMap<Activation, number> {
  const born = new Map<Activation, number>();
  for (const [index, event] of events.entries()) if (event.type === 'step.opened') born.set(event.activation, index);
  return born;
}

function writeMember(connection: Connection, run: number, member: Activation): void {
  const text = JSON.stringify(member);
  connection
    .sql(
      'INSERT INTO members (run, path, text, sum) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text, sum = excluded.sum',
    )
    .run(run, member.path, text, sumOf([run, member.path, text]));
}

interface Opening {
  readonly run: number;
  readonly row: number;
  readonly live: string;
}

function writeOpening(connection: Connection, { run, row, live }: Opening, rows: Map<number, string>): void {
  if (!live.includes(LIVE)) {
    rows.delete(row);
    connection.sql('DELETE FROM openings WHERE run = ? AND seq = ?').run(run, row);
    return;
  }
  rows.set(row, live);
  connection
    .sql(
      'INSERT INTO openings (run, seq, live, sum) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET live = excluded.live, sum = excluded.sum',
    )
    .run(run, row, live, sumOf([run, row, live]));
}

/** The live members of a run, verified, and which of them are as they opened. */
export function readMembers(connection: Connection, row: RunRow): { readonly members: readonly Activation[]; readonly openings: Openings } {
  const { id, members: count } = row.frame;
  if (count === 0) return { members: [], openings: NO_OPENINGS };
  const opened = readOpenings(connection, row);
  const changed = connection.sql('SELECT path, text, sum FROM members WHERE run = ? ORDER BY path').all(row.key);
  const found = changed.length + opened.members.length;
  if (found !== count) throw damagedRun(id, `${count} members of groups are live, but ${found} are stored`);
  const members = changed.map(({ path, text, sum }) => {
    if (sumOf([row.key, path, text]) !== sum) throw damagedRun(id, `the live member ${path} is not the one that was written`, { path });
    return parseStored(id, `the live member ${path}`, () => JSON.parse(unpackJson(String(text))) as Activation);
  });
  return { members: [...opened.members, ...members], openings: opened.openings };
}

function readOpenings(connection: Connection, row: RunRow): { readonly members: readonly Activation[]; readonly openings: Openings } {
  const members: Activation[] = [];
  const places = new Map<Path, { readonly seq: number; readonly index: number }>();
  const rows = new Map<number, string>();
  for (const found of connection.sql('SELECT seq, live, sum FROM openings WHERE run = ? ORDER BY seq').all(row.key)) {
    const seq = found.seq as number;
    const live = String(found.live);
    if (sumOf([row.key, seq, live]) !== found.sum)
      throw damagedRun(row.frame.id, `the live members of record ${seq} are not those that were written`, { seq });
    const events = readLog(connection, row, { after: seq - 1, limit: 1 })[0]?.events ?? [];
    rows.set(seq, live);
    for (const [index, event] of events.entries()) {
      if (live[index] !== LIVE || event.type !== 'step.opened') continue;
      members.push(event.activation);
      places.set(event.activation.path, { seq, index });
    }
  }
  return { members, openings: { places, rows } };
}
