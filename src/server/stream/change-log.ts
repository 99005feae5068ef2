// Owns the order of the changes of all runs: one position per log row, the same for every server on a database and after a
// restart, so that a stream of all runs can continue where it was interrupted.
//
// CL1. A log row gets one position, after those of the rows before it in its run. Positions only grow.
// CL2. A row that another process wrote gets its position too. If the store names the run that was written, it gets it immediately;
//      otherwise soon after a write, when runs are compared: all of them at the start, later the new ones and those that were
//      not final at the last comparison. Nothing is polled while nothing is written.
//
// Positions are in the server's database, which two servers share. They can be rebuilt from the runs, so losing the last ones in
// a power cut does no harm: a reader whose position is unknown has to read everything again.

import type { Engine } from '../../api/engine.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { RunHead, Store } from '../../store/store.ts';
import type { PartTables, ServerDatabase } from '../server-database.ts';

/** The tables of the log. */
export const CHANGE_TABLES: PartTables = {
  part: 'changes',
  migrations: [
    `CREATE TABLE changes (position INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, seq INTEGER NOT NULL);
     CREATE TABLE seen (place INTEGER PRIMARY KEY, run TEXT NOT NULL, seq INTEGER NOT NULL);`,
  ],
};

/** The position of one log row. */
export interface Change {
  readonly position: number;
  readonly run: string;
  readonly seq: number;
}

interface ChangeLogParts {
  readonly engine: Pick<Engine, 'store' | 'onCommit'>;
  readonly database: ServerDatabase;
  readonly warn: (error: unknown) => void;
  /** How long after a write runs are compared, to find changes of runs that the store did not name. */
  readonly compareMs?: number;
}

/** How many positions are kept. */
const KEPT = 20_000;
const TRIM_EVERY = 1000;
/** How many runs are compared at a time. */
const PAGE = 1000;
const COMPARE_MS = 3000;
/** How long a named run is checked again with each write. */
const RECENT_MS = 10_000;

/** The order of the changes of all runs. */
export class ChangeLog {
  private readonly store: Store;
  private readonly database: ServerDatabase;
  private readonly warn: (error: unknown) => void;
  private readonly compareMs: number;
  private readonly listeners = new Set<() => void>();
  /** Recently named runs, with the time until which they are checked. */
  private readonly recent = new Map<string, number>();
  private readonly stops: (() => void)[] = [];
  private owned: readonly string[] = [];
  /** The runs that were not final at the last comparison; undefined before the first. */
  private open: ReadonlySet<string> | undefined;
  private newest = 0;
  private checking: Promise<void> | undefined;
  private isCheckDue = false;
  private compareTimer: NodeJS.Timeout | undefined;
  private comparing: Promise<void>;
  private trimmedAt = 0;
  private isClosed = false;

  constructor({ engine, database, warn, compareMs = COMPARE_MS }: ChangeLogParts) {
    this.compareMs = compareMs;
    this.store = engine.store;
    this.database = database;
    this.warn = warn;
    this.stops.push(
      engine.onCommit(({ run }) => this.runNamed(run)),
      this.store.watch((run) => this.runNamed(run)),
      this.store.follow(() => this.storeWritten()),
    );
    this.comparing = this.compareAll();
  }

  get last(): number {
    return Number(this.database.get('SELECT max(position) AS last FROM changes')?.last ?? 0);
  }

  /** The changes after a position; undefined if they are no longer complete, or the position does not exist. */
  after(position: number, limit: number): readonly Change[] | undefined {
    const { first, last } = this.database.get('SELECT min(position) AS first, max(position) AS last FROM changes') ?? {};
    if (position > Number(last ?? 0) || (first !== null && first !== undefined && position < Number(first) - 1)) return undefined;
    const rows = this.database.all('SELECT position, run, seq FROM changes WHERE position > ? ORDER BY position LIMIT ?', position, limit);
    return rows.map((row) => ({ position: Number(row.position), run: String(row.run), seq: Number(row.seq) }));
  }

  /** Calls back when there may be further changes. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.compareTimer);
    for (const stop of this.stops) stop();
    this.listeners.clear();
    await this.checking;
    await this.comparing;
  }

  private runNamed(run: string): void {
    this.recent.set(run, Date.now() + RECENT_MS);
    this.checkSoon();
  }

  private storeWritten(): void {
    this.checkSoon();
    if (!this.isClosed) this.compareSoon();
  }

  /** Checks the runs that may have changed, one check at a time. */
  private checkSoon(): void {
    if (this.isClosed) return;
    this.isCheckDue = true;
    this.checking ??= this.checkUntilDone().finally(() => {
      this.checking = undefined;
    });
  }

  private async checkUntilDone(): Promise<void> {
    // Before the first comparison, every row of a run would count as new.
    await this.comparing;
    while (this.isCheckDue && !this.isClosed) {
      this.isCheckDue = false;
      try {
        this.record(await this.candidates());
      } catch (error) {
        if (!this.isClosed) this.warn(error);
      }
    }
  }

  private async candidates(): Promise<readonly RunHead[]> {
    const now = Date.now();
    for (const [run, until] of this.recent) if (until < now) this.recent.delete(run);
    const before = this.owned;
    const owned = await this.store.heads({ of: 'owned' });
    this.owned = owned.map(({ run }) => run);
    const named = [...new Set([...this.recent.keys(), ...before])];
    const others = named.length === 0 ? [] : await this.store.heads({ of: named });
    const fresh = await this.store.heads({ of: 'all', after: this.newest, limit: PAGE });
    return [...owned, ...others, ...fresh];
  }

  private compareSoon(): void {
    this.compareTimer ??= setTimeout(() => {
      this.compareTimer = undefined;
      this.comparing = this.comparing.then(() => this.compareAll());
    }, this.compareMs).unref();
  }

  /** Gives positions to rows of runs that have changed (CL2). Final runs cannot change. */
  private async compareAll(): Promise<void> {
    try {
      // Rows from before the first server have no reader, so they get no position.
      const isFirst = this.database.get('SELECT 1 FROM seen') === undefined;
      const before = this.open;
      const open = new Set<string>();
      for (let after: number | undefined = 0; after !== undefined && !this.isClosed; ) {
        const page: readonly RunHead[] = await this.store.heads({ of: 'all', after, limit: PAGE, ...(before && { status: OPEN_STATES }) });
        for (const { run, status } of page) if (!isFinal(status)) open.add(run);
        this.record(page, isFirst);
        after = page.length < PAGE ? undefined : page.at(-1)?.place;
        // Lets requests run first.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (before !== undefined) await this.compareEnded([...before.difference(open)]);
      this.open = open;
    } catch (error) {
      if (!this.isClosed) this.warn(error);
    }
  }

  /** Compares runs that have become final, and new ones, which may be final already. */
  private async compareEnded(ended: readonly string[]): Promise<void> {
    if (ended.length > 0) this.record(await this.store.heads({ of: ended }));
    for (let isMore = true; isMore && !this.isClosed; ) {
      const page = await this.store.heads({ of: 'all', after: this.newest, limit: PAGE });
      this.record(page);
      isMore = page.length === PAGE;
    }
  }

  /** Gives a position to each row that has none (CL1). */
  private record(heads: readonly RunHead[], isFirst = false): void {
    if (this.isClosed) return;
    const seen = this.seenOf(heads);
    const changed = heads.filter(({ run, seq }) => (seen.get(run) ?? 0) < seq);
    this.newest = heads.reduce((max, { place }) => Math.max(max, place), this.newest);
    if (changed.length > 0) {
      const { database } = this;
      database.transaction(() => {
        // Another server may have recorded them meanwhile.
        const latest = this.seenOf(changed);
        for (const { run, place, seq } of changed) {
          const from = latest.get(run) ?? 0;
          for (let n = from + 1; n <= seq && !isFirst; n += 1) database.insert('changes', { run, seq: n });
          if (from >= seq) continue;
          database.insert('seen', { place, run, seq }, 'replace');
          latest.set(run, seq);
        }
      });
      this.trim();
    }
    for (const listener of this.listeners) listener();
  }

  /** The last row of each run that has a position. The place of a pruned run, which another run may have now, does not count. */
  private seenOf(heads: readonly RunHead[]): Map<string, number> {
    const runs = new Map(heads.map(({ place, run }) => [place, run]));
    const sql = 'SELECT place, run, seq FROM seen WHERE place IN (SELECT value FROM json_each(?))';
    const rows = this.database.all(sql, JSON.stringify([...runs.keys()]));
    return new Map(rows.flatMap(({ place, run, seq }) => (runs.get(Number(place)) === run ? [[String(run), Number(seq)] as const] : [])));
  }

  private trim(): void {
    const { last } = this;
    if (last - this.trimmedAt < TRIM_EVERY) return;
    this.trimmedAt = last;
    this.database.run('DELETE FROM changes WHERE position <= ?', last - KEPT);
  }
}
