// Finds the processes of one command, even after they left their parent, their group or their session.
// Remembers the processes of earlier scans, so that one is scanned again after its parent has ended.
//
// - A process belongs to the tree if it is the root, carries the mark, belonged to the tree before, is the child
//   of a member, or is in a session that only members can be in.
// - A session belongs to the tree if its leader is a member, or if its leader has ended and a marked process is in
//   it: no process can join a session from outside, so all of them descend from its leader.
// - This process, its ancestors and its session never belong to the tree.

import { carriesMark, type ProcessRow, readProcess, readProcesses } from './process-table.ts';

/** How to find the processes of a command. */
export interface TreeRoot {
  /** The first process, if more than the mark is known. */
  readonly pid?: number;
  /** Its start time. Without it, any process with that pid is meant. */
  readonly start?: string;
  /** The mark its processes inherited. Use it only for processes started in their own session. */
  readonly mark?: string;
  /** The session it led, if the caller knows that the number cannot have been reused since. */
  readonly session?: number;
}

/** The processes of one command. */
export interface ProcessTree {
  /** Returns the members that are running now. */
  scan(): ProcessRow[];
  /** True if a whole process group can be signalled because only members are in it. */
  ownsGroupOf(row: ProcessRow): boolean;
}

interface Scan {
  readonly rows: readonly ProcessRow[];
  readonly byPid: ReadonlyMap<number, ProcessRow>;
  readonly members: Map<number, ProcessRow>;
  readonly marked: ReadonlySet<number>;
}

/** Starts tracking the processes of a command. Nothing is read until the first scan. */
export function createProcessTree(root: TreeRoot): ProcessTree {
  const { pid, start } = root;
  const known = new Set<string>(pid === undefined || start === undefined ? [] : [keyOf({ pid, start })]);
  const sessions = new Set<number>(root.session === undefined ? [] : [root.session]);
  const mine = readProcess(process.pid)?.session;
  let isFirst = true;

  function scan(): ProcessRow[] {
    const all = readProcesses();
    const byPid = new Map(all.map((row) => [row.pid, row]));
    const ancestors = ancestry(byPid);
    const rows = all.filter((row) => !ancestors.has(row.pid));
    if (isFirst && pid !== undefined && start === undefined) adopt(byPid.get(pid));
    isFirst = false;
    dropReusedSessions(byPid);
    const marked = new Set(rows.filter(isMarked).map((row) => row.pid));
    const seeds = rows.filter((row) => marked.has(row.pid) || known.has(keyOf(row)));
    const scanned: Scan = { rows, byPid, marked, members: new Map(seeds.map((row) => [row.pid, row])) };
    let grew = true;
    while (grew) grew = growBySession(scanned) || growByParent(scanned);
    for (const row of scanned.members.values()) known.add(keyOf(row));
    return [...scanned.members.values()];
  }

  // Reading an environment is slow, and a process that started before the root cannot descend from it.
  function isMarked(row: ProcessRow): boolean {
    return root.mark !== undefined && !(Number(row.start) < Number(start)) && carriesMark(row.pid, root.mark);
  }

  function adopt(row: ProcessRow | undefined): void {
    if (row !== undefined) known.add(keyOf(row));
  }

  // The number of a session is not reused while any process is in it, but may be afterwards.
  function dropReusedSessions(byPid: ReadonlyMap<number, ProcessRow>): void {
    const occupied = new Set([...byPid.values()].map((row) => row.session));
    for (const session of sessions) {
      const leader = byPid.get(session);
      if (!occupied.has(session) || (leader !== undefined && !known.has(keyOf(leader)))) sessions.delete(session);
    }
  }

  function growBySession(scanned: Scan): boolean {
    for (const row of scanned.members.values()) if (ownsSessionOf(row, scanned)) sessions.add(row.session);
    return addWhere(scanned, (row) => sessions.has(row.session));
  }

  function ownsSessionOf(row: ProcessRow, scanned: Scan): boolean {
    if (row.session === mine || row.session <= 1) return false;
    return scanned.byPid.has(row.session) ? scanned.members.has(row.session) : scanned.marked.has(row.pid);
  }

  return { scan, ownsGroupOf: (row) => sessions.has(row.session) && row.pgid > 1 };
}

/** Identifies a process uniquely within one boot. */
export function keyOf(row: { readonly pid: number; readonly start: string }): string {
  return `${row.pid}:${row.start}`;
}

/** Returns this process and its ancestors, which must never be killed. */
export function ancestry(byPid: ReadonlyMap<number, ProcessRow>): ReadonlySet<number> {
  const line = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && !line.has(pid); pid = byPid.get(pid)?.ppid) line.add(pid);
  return line;
}

function growByParent(scanned: Scan): boolean {
  return addWhere(scanned, (row) => scanned.members.has(row.ppid));
}

function addWhere(scanned: Scan, belongs: (row: ProcessRow) => boolean): boolean {
  const before = scanned.members.size;
  for (const row of scanned.rows) if (!scanned.members.has(row.pid) && belongs(row)) scanned.members.set(row.pid, row);
  return scanned.members.size > before;
}
