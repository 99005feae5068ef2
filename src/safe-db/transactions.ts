// Gives a transaction exclusive use of a connection. A transaction belongs to the function that was passed to it and to everything that
// this function calls, even after an await; other callers can neither read nor write until it ends.

import { AsyncLocalStorage } from 'node:async_hooks';
import { EngineError } from '../base/error.ts';

/** One transaction or savepoint; the outermost level is the client without a transaction. */
interface Level {
  isOpen: boolean;
  /** True while a transaction inside this one is open. */
  isBusy: boolean;
  /** Settles when all transactions that were requested so far have ended. */
  queue: Promise<unknown>;
}

/** How a transaction ends. */
export type TransactionEnd = 'commit' | 'rollback';

/** Begins a transaction or a savepoint and returns the function that ends it. */
type Begin = () => (end: TransactionEnd) => void;

/** The transactions of one connection. */
export class Transactions {
  private readonly root: Level = { isOpen: true, isBusy: false, queue: Promise.resolve() };
  private readonly storage = new AsyncLocalStorage<Level>();
  private readonly begin: Begin;

  constructor(begin: Begin) {
    this.begin = begin;
  }

  /** True inside a transaction. */
  get isInside(): boolean {
    return this.storage.getStore() !== undefined;
  }

  /** Rejects a call that does not belong to the open transaction. */
  assertMayUse(): void {
    const level = this.storage.getStore() ?? this.root;
    if (!level.isOpen) throw new EngineError('USAGE', 'this transaction has ended; await everything inside it');
    if (level.isBusy) throw new EngineError('USAGE', 'another transaction of this client is open; wait for it, or open a separate client');
  }

  /** Runs something in a transaction, after those that were requested before. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const parent = this.storage.getStore() ?? this.root;
    const result = parent.queue.then(() => this.inside(parent, work));
    parent.queue = result.catch(() => {});
    return result;
  }

  private async inside<T>(parent: Level, work: () => T | Promise<T>): Promise<T> {
    this.storage.run(parent, () => this.assertMayUse());
    const level: Level = { isOpen: true, isBusy: false, queue: Promise.resolve() };
    const end = this.begin();
    parent.isBusy = true;
    try {
      const result = await this.storage.run(level, work);
      await level.queue;
      end('commit');
      return result;
    } catch (error) {
      await level.queue;
      end('rollback');
      throw error;
    } finally {
      level.isOpen = false;
      parent.isBusy = false;
    }
  }
}
