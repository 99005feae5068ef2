// Removes ended runs, and values that no run refers to any more.
//
// - A run and the runs it started are removed in one transaction, or not at all.
// - A run stays while it or a run that it started is open, is driven or can still read its mail, and while a fork of it
//   stays: a fork of that fork reads the log of the original.
// - The runs are chosen inside the transaction that removes them, so a run that was resumed meanwhile stays.
// - A value is removed only if no row mentions its digest at that moment. The next prune finds what a crash left behind,
//   because it checks all values.

import { setTimeout as pause } from 'node:timers/promises';
import { isFinal, isSettled, type RunStatus } from '../../definition/run-status.ts';
import type { PrunedRun, PruneReport, PruneRequest } from '../store.ts';
import { type Connection, changeMark, readSnapshot, retryWhileLocked } from './connection.ts';
import { parseStored } from './failure.ts';
import { deleteOldUses, detachUses } from './ledger.ts';
import { decodeLogRow } from './row-format.ts';
import { statusOf } from './run-row.ts';
import { lastPlaceOf, placeOf, placeSql } from './schema.ts';
import type { Transactions } from './transactions.ts';

const TREES_AT_ONCE = 200;
const VALUES_AT_ONCE = 500;
const RUNS_AT_ONCE = 100;
/** Others can write between two transactions: they try the lock again every few milliseconds. */
const PAUSE_MS = 25;

interface PruneContext {
  readonly connection: Connection;
  readonly write: Transactions['write'];
  readonly isDead: (owner: string) => boolean;
}

interface Candidate {
  readonly key: number;
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly parent: string | null;
  readonly begun: number | null;
  readonly at: number | null;
  readonly owner: string | null;
  /** How many messages it has not read. */
  readonly unread: number;
  /** The run that this one is a fork of. */
  readonly source: string | undefined;
}

/** A run that no other run started, and all that descend from it; the first is the root. */
type RunTree = readonly [Candidate, ...Candidate[]];

/** Removes runs and the values that only they used, batch by batch. */
export async function pruneStore(context: PruneContext, request: PruneRequest): Promise<PruneReport> {
  const { connection, write } = context;
  if (request.dryRun === true) {
    const trees = await readSnapshot(connection, () => planPrune(context, request));
    return { runs: trees.flatMap((tree) => tree.map(toPruned)), values: 0 };
  }
  const runs: PrunedRun[] = [];
  const plan = createPlan(context, request);
  for (;;) {
    const batch = await write(() => {
      const trees = plan.next();
      for (const tree of trees) for (const { key } of tree) deleteRun(connection, key);
      deleteOldUses(connection, request.before);
      plan.removed(trees);
      return trees;
    });
    runs.push(...batch.flatMap((tree) => tree.map(toPruned)));
    if (batch.length === 0) break;
    await pause(PAUSE_MS);
  }
  const values = await sweepValues(context);
  if (request.vacuum === true) await retryWhileLocked(connection, () => connection.db.exec('VACUUM'));
  return { runs, values };
}

function toPruned({ id, workflow, status, begun, at }: Candidate): PrunedRun {
  return { id, workflow, status: statusOf(status) ?? 'failed', createdAt: begun ?? 0, updatedAt: at ?? 0 };
}

const CANDIDATES = `SELECT r.key, r.id, r.status, r.parent, coalesce(d.name, '') AS workflow, f.at AS begun, e.at, r.owner,
  (SELECT count(*) FROM mail m WHERE m.run = r.key AND m.consumed IS NULL) AS unread
  FROM runs r LEFT JOIN definitions d ON d.id = r.definition
  LEFT JOIN events f ON f.place = ${placeSql('r.key', '1')}
  LEFT JOIN events e ON e.place = ${placeSql('r.key', 'r.seq')}`;

interface Plan {
  /** The next trees to remove, planned again if something changed. Must be called in the transaction that removes them. */
  next(): RunTree[];
  /** Must be called when they have been removed. */
  removed(trees: readonly RunTree[]): void;
}

/** Plans all removals once, and again if a run was added or changed: it may be a child or a fork of a run in the plan. */
function createPlan(context: PruneContext, request: PruneRequest): Plan {
  const { connection } = context;
  const countRuns = (): number => connection.sql("SELECT rows FROM seals WHERE name = 'runs'").get()?.rows as number;
  let trees: RunTree[] = [];
  let count: number | undefined;
  const isStillRemovable = (tree: RunTree): boolean =>
    tree.every((run) => {
      const now = connection.sql(`${CANDIDATES} WHERE r.key = ?`).get(run.key) as Candidate | undefined;
      return now !== undefined && now.id === run.id && hasEnded(now, request.before, context.isDead);
    });
  return {
    next: () => {
      const known = countRuns();
      const batch = trees.slice(0, TREES_AT_ONCE);
      if (known !== count || batch.length === 0 || !batch.every(isStillRemovable)) trees = planPrune(context, request);
      count = known;
      return trees.slice(0, TREES_AT_ONCE);
    },
    removed: (batch) => {
      trees = trees.slice(batch.length);
      count = countRuns();
    },
  };
}

/** The removable trees, newest first: after a crash between two batches, no fork has lost its original. */
function planPrune({ connection, isDead }: PruneContext, request: PruneRequest): RunTree[] {
  const rows = connection.sql(`${CANDIDATES} ORDER BY r.key DESC`).all() as unknown as Omit<Candidate, 'source'>[];
  const trees = treesOf(rows.map((row) => ({ ...row, source: sourceOf(connection, row) })));
  const wanted = new Set(request.status);
  const counts = new Map<string, number>();
  const candidates = trees.filter((tree) => {
    const [{ workflow, status }] = tree;
    if (!wanted.has(status)) return false;
    const newer = counts.get(workflow) ?? 0;
    counts.set(workflow, newer + 1);
    return newer >= (request.keep ?? 0) && tree.every((run) => hasEnded(run, request.before, isDead));
  });
  return withoutOriginals(trees, candidates);
}

// A final run reads no mail, and one whose process died before it released the run is not driven.
function hasEnded({ status, owner, unread, at }: Candidate, before: number, isDead: PruneContext['isDead']): boolean {
  const isDriven = owner !== null && !isDead(owner);
  return isSettled(status) && !isDriven && (unread === 0 || isFinal(status)) && at !== null && at < before;
}

function treesOf(candidates: readonly Candidate[]): RunTree[] {
  const byId = new Map(candidates.map((run) => [run.id, run]));
  const rootOf = (run: Candidate): Candidate => {
    const parent = run.parent === null ? undefined : byId.get(run.parent);
    return parent === undefined ? run : rootOf(parent);
  };
  const members = Map.groupBy(candidates, rootOf);
  return [...members].sort(([a], [b]) => b.key - a.key).map(([root, all]) => [root, ...all.filter((run) => run !== root)]);
}

/** The candidates without the trees that contain the original of a fork that stays. */
function withoutOriginals(trees: readonly RunTree[], candidates: readonly RunTree[]): RunTree[] {
  const removable = new Set(candidates);
  for (;;) {
    const needed = new Set(trees.flatMap((tree) => (removable.has(tree) ? [] : tree.map(({ source }) => source))));
    const kept = [...removable].filter((tree) => tree.some(({ id }) => needed.has(id)));
    if (kept.length === 0) return [...removable];
    for (const tree of kept) removable.delete(tree);
  }
}

function sourceOf(connection: Connection, { key, id }: Pick<Candidate, 'key' | 'id'>): string | undefined {
  const body = connection.sql('SELECT body FROM events WHERE place = ?').get(placeOf(key, 1))?.body;
  const text = String(body ?? '');
  if (!text.includes('"fork"')) return undefined;
  const [started] = parseStored(id, 'record 1 of its log', () => decodeLogRow(text).events);
  return started?.type === 'run.started' ? started.fork?.run : undefined;
}

function deleteRun(connection: Connection, key: number): void {
  detachUses(connection, key);
  connection.sql('DELETE FROM events WHERE place BETWEEN ? AND ?').run(placeOf(key, 0), lastPlaceOf(key));
  for (const table of ['checks', 'members', 'data', 'run_numbers', 'mail', 'slots', 'slot_waiters'])
    connection.sql(`DELETE FROM ${table} WHERE run = ?`).run(key);
  connection.sql('DELETE FROM runs WHERE key = ?').run(key);
}

const DIGEST = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/** Removes the values that no row mentions; returns how many. */
async function sweepValues({ connection, write }: PruneContext): Promise<number> {
  let readAt = '';
  const unused = await readSnapshot(connection, () => new Set(digestsOf(connection, 'SELECT digest FROM contents')));
  const mark = createMark(connection, unused);
  await mark.readAll();
  let removed = 0;
  while (unused.size > 0) {
    removed += await write(() => {
      // Reading every log again for each batch would take longer than everything else.
      if (changeMark(connection) !== readAt) mark.catchUp();
      const batch = [...unused].slice(0, VALUES_AT_ONCE);
      for (const digest of batch) {
        connection.sql('DELETE FROM contents WHERE digest = ?').run(digest);
        unused.delete(digest);
      }
      readAt = changeMark(connection);
      return batch.length;
    });
    await pause(PAUSE_MS);
  }
  return removed;
}

function digestsOf(connection: Connection, query: string): string[] {
  return connection
    .sql(query)
    .all()
    .map(({ digest }) => String(digest));
}

interface Mark {
  /** Reads every log, a few runs at a time, so that other work can be done in between. */
  readAll(): Promise<void>;
  /** Reads the rest of the logs, data and unread mail, which is all that refers to values. Call it in the transaction that removes. */
  catchUp(): void;
}

/** Removes from `unused` the digests that rows mention. Logs only grow, so each is read once, in parts. */
function createMark(connection: Connection, unused: Set<string>): Mark {
  const readTo = new Map<string, number>();
  const markUsed = (text: unknown): void => {
    if (typeof text === 'string') for (const [digest] of text.matchAll(DIGEST)) unused.delete(digest);
  };
  const readLog = (key: number, id: string): void => {
    const rows = connection
      .sql('SELECT place, body FROM events WHERE place > ? AND place <= ? ORDER BY place')
      .iterate(readTo.get(id) ?? placeOf(key, 0), lastPlaceOf(key));
    for (const { place, body } of rows) {
      markUsed(body);
      readTo.set(id, place as number);
    }
  };
  const readLogs = (after: number, limit: number): number | undefined => {
    const runs = connection.sql('SELECT key, id FROM runs WHERE key > ? ORDER BY key LIMIT ?').all(after, limit);
    for (const { key, id } of runs) readLog(key as number, String(id));
    return runs.at(-1)?.key as number | undefined;
  };
  return {
    readAll: async () => {
      for (let after: number | undefined = 0; after !== undefined; ) {
        const from: number = after;
        after = await readSnapshot(connection, () => readLogs(from, RUNS_AT_ONCE));
      }
    },
    catchUp: () => {
      readLogs(0, -1);
      for (const digest of digestsOf(connection, 'SELECT digest FROM data WHERE digest IS NOT NULL')) unused.delete(digest);
      for (const { body } of connection.sql('SELECT body FROM mail WHERE consumed IS NULL').iterate()) markUsed(body);
    },
  };
}
