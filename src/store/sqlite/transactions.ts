// Owns group commit: all writes of one turn of the event loop share one transaction, and so one wait for the disk.
//
// W1. Each write has its own savepoint: one that throws is rolled back and does not affect the others.
// W2. When SQLite itself fails, the whole transaction is rolled back and every write in it is rejected.
// W3. Side effects of a write (ringing a bell, changing a cache) happen only after it is on disk.

import { uptimeMs } from '../../base/uptime.ts';
import { type Connection, pauseMs } from './connection.ts';
import { isBusy, isSqliteFailure, toStoreError } from './failure.ts';

const BATCH_MAX = 512;
const TICK_MS = 5;

/** Registers a callback that runs when the write is on disk. */
export type AfterCommit = (then: () => void) => void;

/** The queue of writes of one connection. */
export interface Transactions {
  /** Does the work inside a transaction; resolves when it is on disk. */
  write<T>(work: (afterCommit: AfterCommit) => T): Promise<T>;
  /** Resolves when nothing is queued any more. */
  idle(): Promise<void>;
}

interface Job {
  readonly work: (afterCommit: AfterCommit) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface FinishedJob {
  readonly job: Job;
  readonly value: unknown;
}

/** Opens the queue of writes; `committed` is called after each transaction that reached the disk. */
export function openTransactions(connection: Connection, committed: () => void): Transactions {
  let queue: Job[] = [];
  let scheduled = false;
  let turnedAt = 0;
  let busySince: number | undefined;
  let busyRounds = 0;
  const idleWaiters: (() => void)[] = [];

  // Flushes at the end of the tick, so that everything that became ready in it is written together. Quick steps in a row
  // would starve timers and sockets, so every few milliseconds these go first.
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    if (uptimeMs() - turnedAt < TICK_MS) return process.nextTick(flush);
    setImmediate(() => {
      turnedAt = uptimeMs();
      flush();
    });
  }

  function flush(): void {
    const batch = queue.length > BATCH_MAX ? queue.splice(0, BATCH_MAX) : queue;
    if (batch === queue) queue = [];
    try {
      connection.sql('BEGIN IMMEDIATE').run();
    } catch (error) {
      return postpone(batch, error);
    }
    busySince = undefined;
    busyRounds = 0;
    runBatch(connection, batch, committed);
    proceed();
  }

  function proceed(): void {
    scheduled = false;
    if (queue.length > 0) return schedule();
    for (const resume of idleWaiters.splice(0)) resume();
  }

  function postpone(batch: Job[], error: unknown): void {
    busySince ??= uptimeMs();
    if (isBusy(error) && uptimeMs() - busySince < connection.busyMs) {
      queue = [...batch, ...queue];
      setTimeout(flush, pauseMs(busyRounds++));
      return;
    }
    busySince = undefined;
    rejectAll(batch, toStoreError(error, connection.name));
    proceed();
  }

  return {
    write: <T>(work: (afterCommit: AfterCommit) => T) =>
      new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      }),
    idle: () => (scheduled ? new Promise<void>((resolve) => idleWaiters.push(resolve)) : Promise.resolve()),
  };
}

function runBatch(connection: Connection, batch: readonly Job[], committed: () => void): void {
  const callbacks: (() => void)[] = [];
  const finished: FinishedJob[] = [];
  try {
    for (const job of batch) runJob(connection, { job, alone: batch.length === 1, callbacks, finished });
    if (connection.db.isTransaction) connection.sql('COMMIT').run();
  } catch (error) {
    if (connection.db.isTransaction) connection.sql('ROLLBACK').run();
    return rejectAll(batch, toStoreError(error, connection.name));
  }
  for (const callback of callbacks) callback();
  for (const { job, value } of finished) job.resolve(value);
  if (finished.length > 0) committed();
}

interface JobContext {
  readonly job: Job;
  readonly alone: boolean;
  readonly callbacks: (() => void)[];
  readonly finished: FinishedJob[];
}

function runJob(connection: Connection, { job, alone, callbacks, finished }: JobContext): void {
  const callbacksBefore = callbacks.length;
  if (!alone) connection.sql('SAVEPOINT job').run();
  try {
    finished.push({ job, value: job.work((then) => callbacks.push(then)) });
    if (!alone) connection.sql('RELEASE job').run();
  } catch (error) {
    if (isSqliteFailure(error)) throw error;
    callbacks.length = callbacksBefore;
    if (alone) connection.sql('ROLLBACK').run();
    else {
      connection.sql('ROLLBACK TO job').run();
      connection.sql('RELEASE job').run();
    }
    job.reject(error);
  }
}

function rejectAll(batch: readonly Job[], error: unknown): void {
  for (const job of batch) job.reject(error);
}
