// Owns the record of a run as functions see it: all data and results. It is read from the store when a function first
// asks for it, and kept up to date after that.

import type { Json } from '../base/json.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { Snapshot } from '../steps/attempt.ts';
import type { Store, StoredAttempt } from '../store/store.ts';
import { readValues } from './values.ts';

interface FullRecord {
  readonly data: Record<string, Json>;
  readonly results: Record<string, Json>;
  readonly completed: Set<string>;
}

type Change = (full: FullRecord) => void;

/** Until it is read, the changes that a reader of the store may not see yet are kept: since the last commit, or since the read started. */
type RecordState =
  | { readonly is: 'unread'; unseen: Change[] }
  | { readonly is: 'reading'; readonly unseen: Change[]; readonly read: Promise<ReadRecord> }
  | ReadRecord;

interface ReadRecord {
  readonly is: 'read';
  readonly full: FullRecord;
  /** The snapshot that functions saw last. */
  shown?: { readonly state: RunState; readonly snapshot: Snapshot };
}

/** Where the record is, and whether there is anything to read: a fresh run has no history. */
export interface WholeRecordSource {
  readonly store: Store;
  readonly run: string;
  readonly fresh: boolean;
}

/** The record of a run as functions see it. */
export class WholeRecord {
  private readonly source: WholeRecordSource;
  private reading: RecordState;

  constructor(source: WholeRecordSource) {
    this.source = source;
    this.reading = source.fresh
      ? { is: 'read', full: { data: bare([]), results: bare([]), completed: new Set() } }
      : { is: 'unread', unseen: [] };
  }

  setData(key: string, value: Json): void {
    this.change((full) => {
      full.data[key] = value;
    });
  }

  setResult(step: string, output: Json): void {
    this.change((full) => {
      full.results[step] = output;
      full.completed.add(step);
    });
  }

  private change(change: Change): void {
    if (this.reading.is === 'read') change(this.reading.full);
    else this.reading.unseen.push(change);
  }

  /** Drops the changes that are on disk now. Call it right after a commit. */
  committed(): void {
    if (this.reading.is === 'unread') this.reading.unseen = [];
  }

  snapshot(state: RunState): Snapshot | Promise<Snapshot> {
    if (this.reading.is === 'read') return snapshotAt(this.reading, state);
    const { read } = this.reading.is === 'reading' ? this.reading : this.start(this.reading.unseen);
    return read.then((whole) => snapshotAt(whole, state));
  }

  private start(unseen: Change[]): { readonly read: Promise<ReadRecord> } {
    const read = this.read(unseen);
    this.reading = { is: 'reading', unseen, read };
    read.catch(() => {
      this.reading = { is: 'unread', unseen };
    });
    return this.reading;
  }

  private async read(unseen: readonly Change[]): Promise<ReadRecord> {
    const { store, run } = this.source;
    const [data, rows] = await Promise.all([store.data(run), store.latest(run)]);
    const own = rows.filter((row) => row.group === undefined);
    const results = bare(await resultsOf(store, own));
    const full = { data: bare(data), results, completed: new Set(own.map((row) => row.step)) };
    // The run continued while this was read: apply what was settled meanwhile, in order.
    for (const change of unseen) change(full);
    this.reading = { is: 'read', full };
    return this.reading;
  }
}

/** Reads the outputs of attempts, by step. */
export async function resultsOf(store: Pick<Store, 'values'>, rows: readonly StoredAttempt[]): Promise<[string, Json][]> {
  const read = await readValues(
    store,
    rows.map(({ output }) => output),
  );
  return rows.map(({ step, output }) => [step, read(output)]);
}

/** Cached per position of the run: the members of a fan-out share one snapshot. */
function snapshotAt(whole: ReadRecord, state: RunState): Snapshot {
  if (whole.shown?.state !== state) whole.shown = { state, snapshot: snapshotOf(whole.full, state) };
  return whole.shown.snapshot;
}

function snapshotOf({ data, results, completed }: FullRecord, state: RunState): Snapshot {
  return { data, results, completedSteps: completed, iterationCounts: state.counts, decision: state.decision };
}

/** Creates an object without a prototype, so that a key such as `__proto__` stays data. */
function bare(entries: Iterable<readonly [string, Json]>): Record<string, Json> {
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}
