// Owns the floor: a loop without an engine that writes one row per step, with the same SQLite driver and the same pragmas.
// Most targets of the benchmark are relative to it. Both are measured alternately in one process, because others may use the
// machine at the same time.

import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** The `synchronous` pragma of both sides. */
export type Synchronous = 'FULL' | 'NORMAL';

/** How many pages the write-ahead log has before a checkpoint, on both sides. */
export const WAL_AUTOCHECKPOINT = 1000;

const RUN = '0190a3c4-5d6e-7f80-91a2-b3c4d5e6f708';

/** The loop and its database. */
export class Floor {
  private readonly db: DatabaseSync;
  private readonly insert: StatementSync;

  constructor(file: string, synchronous: Synchronous) {
    this.db = new DatabaseSync(file);
    this.db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = ${WAL_AUTOCHECKPOINT}`);
    this.db.exec('CREATE TABLE steps (run TEXT, n INTEGER, name TEXT, output TEXT)');
    this.insert = this.db.prepare('INSERT INTO steps VALUES (?, ?, ?, ?)');
  }

  /** The time in milliseconds for a number of steps, each in a separate transaction. */
  single(steps: number): number {
    const begin = performance.now();
    for (let n = 0; n < steps; n += 1) this.insert.run(RUN, n, `step-${n}`, 'null');
    return performance.now() - begin;
  }

  /** The time in milliseconds for a number of steps, `size` of them in each transaction. */
  grouped(steps: number, size: number): number {
    const begin = performance.now();
    for (let n = 0; n < steps; n += size) {
      this.db.exec('BEGIN IMMEDIATE');
      for (let i = 0; i < size; i += 1) this.insert.run(RUN, n + i, `step-${n + i}`, 'null');
      this.db.exec('COMMIT');
    }
    return performance.now() - begin;
  }

  /** The same in concurrent lanes. A lane continues when its row is on disk; the rows of one tick share a commit. */
  async lanes(steps: number, lanes: number): Promise<number> {
    const begin = performance.now();
    let next = 0;
    let waiting: (() => void)[] = [];
    const commit = (): void => {
      const done = waiting;
      waiting = [];
      this.db.exec('BEGIN IMMEDIATE');
      for (const _ of done) this.insert.run(RUN, next, `step-${next}`, 'null');
      this.db.exec('COMMIT');
      for (const resolve of done) resolve();
    };
    const lane = async (): Promise<void> => {
      while (next < steps) {
        next += 1;
        await new Promise<void>((resolve) => {
          if (waiting.push(resolve) === 1) setImmediate(commit);
        });
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return performance.now() - begin;
  }

  close(): void {
    this.db.close();
  }
}
