// Ends process trees: nothing that a command started outlives it, and no other process is touched.
//
// - A process is signalled only if its pid and start time were read again just before.
// - First SIGTERM and a grace period, then SIGKILL until a scan finds no process. Before each SIGKILL the tree is
//   stopped, so that it cannot fork away from the scan.
// - After a crash, only the trees of provably dead engines are ended.

import { setTimeout as sleep } from 'node:timers/promises';
import { uptimeMs } from '../base/uptime.ts';
import { isOfEarlierBoot, livenessOf } from './identity.ts';
import { type PidRecord, readPidFiles, removePidFile } from './pid-file.ts';
import { MARK_VARIABLE, type ProcessRow, readProcess, readProcesses } from './process-table.ts';
import { ancestry, createProcessTree, keyOf, type ProcessTree, type TreeRoot } from './process-tree.ts';

/** Time limits for ending a tree. */
interface KillOptions {
  /** Time after SIGTERM. Default: 2 s. */
  readonly graceMs?: number;
}

/** The result: how many processes were ended, and the pids that could not be ended. */
export interface KillResult {
  readonly killed: number;
  readonly left: number[];
}

const GRACE_MS = 2000;
/** How long SIGKILL is repeated. */
const DEADLINE_MS = 5000;
const POLL_MIN_MS = 5;
const POLL_MAX_MS = 80;
const FREEZE_ROUNDS_MAX = 5;

/** Ends a process and all its descendants, including daemons. Resolves when a scan finds none left. */
export async function killTree(root: TreeRoot, options: KillOptions = {}): Promise<KillResult> {
  const processes = createProcessTree(root);
  const seen = new Set<string>();
  const scan = (): ProcessRow[] => {
    const rows = processes.scan();
    for (const row of rows) seen.add(keyOf(row));
    return rows;
  };
  const tree = { scan, ownsGroupOf: processes.ownsGroupOf };
  let members = scan();
  if (members.length > 0) {
    terminate(members);
    members = await waitUntilGone(tree, options.graceMs ?? GRACE_MS);
  }
  if (members.length > 0) members = await forceKill(tree);
  return { killed: seen.size - members.length, left: members.map((row) => row.pid) };
}

/**
 * Ends processes that crashed engines left running: for each pid file of a provably dead owner, the tree is killed and
 * the file removed. Files of live owners, of other hosts, and of the command that this process runs in are left alone.
 */
export async function sweepOrphans(pidDir: string, options: KillOptions = {}): Promise<{ swept: string[]; left: string[] }> {
  const orphans = readPidFiles(pidDir).filter((record) => livenessOf(record.owner) === 'dead' && !isOurAncestor(record));
  const outcomes = await Promise.all(orphans.map(async (record) => ({ record, gone: await killOrphan(record, options) })));
  const swept = outcomes.filter((outcome) => outcome.gone).map((outcome) => outcome.record.mark);
  for (const mark of swept) removePidFile(pidDir, mark);
  return { swept, left: outcomes.filter((outcome) => !outcome.gone).map((outcome) => outcome.record.mark) };
}

async function killOrphan(record: PidRecord, options: KillOptions): Promise<boolean> {
  // Pids and start times start over with each boot: the same pair may belong to another process now.
  if (isOfEarlierBoot(record.owner)) return true;
  const { left } = await killTree({ ...record.first, mark: record.mark }, options);
  return left.length === 0;
}

// An engine can run inside a command of another engine that has died; it must not end the tree it runs in.
function isOurAncestor({ mark, first }: PidRecord): boolean {
  if (process.env[MARK_VARIABLE] === mark) return true;
  if (first === undefined) return false;
  const byPid = new Map(readProcesses().map((row) => [row.pid, row]));
  return ancestry(byPid).has(first.pid) && byPid.get(first.pid)?.start === first.start;
}

function terminate(members: readonly ProcessRow[]): void {
  for (const row of members) signal(row, 'SIGTERM');
  // A stopped process handles SIGTERM only after it is continued.
  for (const row of members) signal(row, 'SIGCONT');
}

async function forceKill(tree: ProcessTree): Promise<ProcessRow[]> {
  const end = uptimeMs() + DEADLINE_MS;
  let members = freeze(tree);
  while (members.length > 0) {
    for (const row of members) signal(row, 'SIGKILL');
    members = await waitUntilGone(tree, 200);
    if (uptimeMs() > end) break;
    if (members.length > 0) members = freeze(tree);
  }
  return members;
}

function freeze(tree: ProcessTree): ProcessRow[] {
  const stopped = new Set<string>();
  let members = tree.scan();
  for (let round = 0; round < FREEZE_ROUNDS_MAX; round += 1) {
    const moving = members.filter((row) => !stopped.has(keyOf(row)));
    if (moving.length === 0) break;
    stopGroups(moving.filter((row) => tree.ownsGroupOf(row)));
    for (const row of moving) {
      signal(row, 'SIGSTOP');
      stopped.add(keyOf(row));
    }
    members = tree.scan();
  }
  return members;
}

// One signal reaches the whole group at the same time, which a fork bomb cannot outrun as it can a list of pids.
function stopGroups(rows: readonly ProcessRow[]): void {
  for (const [pgid, row] of new Map(rows.map((member) => [member.pgid, member]))) {
    const now = readProcess(row.pid);
    if (now?.start === row.start && now.pgid === pgid && !now.ended) send(-pgid, 'SIGSTOP');
  }
}

async function waitUntilGone(tree: ProcessTree, limitMs: number): Promise<ProcessRow[]> {
  const end = uptimeMs() + limitMs;
  let members = tree.scan();
  for (let pauseMs = POLL_MIN_MS; members.length > 0; pauseMs = Math.min(pauseMs * 2, POLL_MAX_MS)) {
    const remainingMs = end - uptimeMs();
    if (remainingMs <= 0) break;
    await sleep(Math.min(pauseMs, remainingMs));
    members = tree.scan();
  }
  return members;
}

function signal(row: ProcessRow, name: NodeJS.Signals): void {
  const now = readProcess(row.pid);
  if (now !== undefined && now.start === row.start && !now.ended) send(row.pid, name);
}

function send(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch {
    // It has ended, or runs as another user: the next scan shows which.
  }
}
