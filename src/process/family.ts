// Owns which processes belong to one command, also after they left their parent, their group or their session.
// It remembers what it has seen, so that a process found once is found again after its parent is gone.
//
// F1. A process is of the family when it is the root, carries the mark, was of the family before, is the child of
//     a member, or sits in a session that only members can be in.
// F2. A session is the family's own when its leader is a member, or when its leader is gone and a marked process
//     sits in it: nobody can join a session from outside, so everybody in it descends from its leader.
// F3. This process, its ancestors and its session are never of the family.

import { carriesMark, type ProcessRow, readProcess, readProcesses } from './process-table.ts';

/** What is known of a command whose processes are to be found. */
export interface TreeRoot {
  /** The first process; 0 when only the mark is known. */
  readonly pid: number;
  /** Its start time; without it, whoever has the pid now is meant. */
  readonly start?: string;
  /** The mark its processes inherited. Give one only to processes started in a session of their own. */
  readonly mark?: string;
  /** The session it led, when the caller knows that the number cannot have been reused since. */
  readonly session?: number;
}

/** The processes of one command. */
export interface Family {
  /** The members that run now. */
  scan(): ProcessRow[];
  /** True when a whole process group may be signalled because nobody else can be in it. */
  ownsGroupOf(row: ProcessRow): boolean;
}

interface Scan {
  readonly rows: readonly ProcessRow[];
  readonly byPid: ReadonlyMap<number, ProcessRow>;
  readonly members: Map<number, ProcessRow>;
  readonly marked: ReadonlySet<number>;
}

/** Starts looking for the processes of a command; nothing is read until the first scan. */
export function createFamily(root: TreeRoot): Family {
  const known = new Set<string>(root.start === undefined ? [] : [keyOf({ pid: root.pid, start: root.start })]);
  const sessions = new Set<number>(root.session === undefined ? [] : [root.session]);
  const mine = readProcess(process.pid)?.session;
  let first = true;

  function scan(): ProcessRow[] {
    const everybody = readProcesses();
    const byPid = new Map(everybody.map((row) => [row.pid, row]));
    const line = ancestry(byPid);
    const rows = everybody.filter((row) => !line.has(row.pid));
    if (first && root.start === undefined) adopt(byPid.get(root.pid));
    first = false;
    dropReusedSessions(byPid);
    const marked = new Set(rows.filter((row) => root.mark !== undefined && carriesMark(row.pid, root.mark)).map((row) => row.pid));
    const seeds = rows.filter((row) => marked.has(row.pid) || known.has(keyOf(row)));
    const found: Scan = { rows, byPid, marked, members: new Map(seeds.map((row) => [row.pid, row])) };
    let grew = true;
    while (grew) grew = growBySession(found) || growByParent(found);
    for (const row of found.members.values()) known.add(keyOf(row));
    return [...found.members.values()];
  }

  function adopt(row: ProcessRow | undefined): void {
    if (row !== undefined) known.add(keyOf(row));
  }

  // The number of a session is not given to a new process while anybody is in the session, and may be afterwards.
  function dropReusedSessions(byPid: ReadonlyMap<number, ProcessRow>): void {
    const occupied = new Set([...byPid.values()].map((row) => row.session));
    for (const session of sessions) {
      const leader = byPid.get(session);
      if (!occupied.has(session) || (leader !== undefined && !known.has(keyOf(leader)))) sessions.delete(session);
    }
  }

  function growBySession(found: Scan): boolean {
    for (const row of found.members.values()) if (isOwnSession(row, found)) sessions.add(row.session);
    return addWhere(found, (row) => sessions.has(row.session));
  }

  function isOwnSession(row: ProcessRow, found: Scan): boolean {
    if (row.session === mine || row.session <= 1) return false;
    return found.byPid.has(row.session) ? found.members.has(row.session) : found.marked.has(row.pid);
  }

  return { scan, ownsGroupOf: (row) => sessions.has(row.session) && row.pgid > 1 };
}

/** Names a process for good within one boot. */
export function keyOf(row: { readonly pid: number; readonly start: string }): string {
  return `${row.pid}:${row.start}`;
}

/** This process and those above it, which nobody may kill on its behalf. */
export function ancestry(byPid: ReadonlyMap<number, ProcessRow>): ReadonlySet<number> {
  const line = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && !line.has(pid); pid = byPid.get(pid)?.ppid) line.add(pid);
  return line;
}

function growByParent(found: Scan): boolean {
  return addWhere(found, (row) => found.members.has(row.ppid));
}

function addWhere(found: Scan, belongs: (row: ProcessRow) => boolean): boolean {
  const before = found.members.size;
  for (const row of found.rows) if (!found.members.has(row.pid) && belongs(row)) found.members.set(row.pid, row);
  return found.members.size > before;
}
