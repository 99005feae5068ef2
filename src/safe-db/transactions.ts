// Owns who may use one connection at a time. A transaction belongs to the function that was given to it and to everything
// that function calls, also after an await; nobody else can read or write in between.

import { AsyncLocalStorage } from 'node:async_hooks';
import { EngineError } from '../base/error.ts';

/** One transaction or savepoint; the outermost level is the client without a transaction. */
interface Level {
  isOpen: boolean;
  /** True while a transaction inside of this one is open. */
  isBusy: boolean;
  /** Settles when all transactions that were asked for so far have ended. */
  turn: Promise<unknown>;
}

/** Begins a transaction or a savepoint; the function ends it. */
export type Begin = () => (how: 'keep' | 'undo') => void;

/** The transactions of one connection. */
export class Transactions {
  private readonly root: Level = { isOpen: true, isBusy: false, turn: Promise.resolve() };
  private readonly storage = new AsyncLocalStorage<Level>();
  private readonly begin: Begin;

  constructor(begin: Begin) {
    this.begin = begin;
  }

  /** True inside of a transaction. */
  get isInside(): boolean {
    return this.storage.getStore() !== undefined;
  }

  /** Refuses a call that does not belong to the transaction that is open. */
  assertTurn(): void {
    const level = this.storage.getStore() ?? this.root;
    if (!level.isOpen) throw new EngineError('USAGE', 'this transaction has ended; await everything inside of it');
    if (level.isBusy) throw new EngineError('USAGE', 'another transaction of this client is open; wait for it, or open a separate client');
  }

  /** Runs something in a transaction, after those that were asked for before. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const parent = this.storage.getStore() ?? this.root;
    const result = parent.turn.then(() => this.inside(parent, work));
    parent.turn = result.catch(() => {});
    return result;
  }

  private async inside<T>(parent: Level, work: () => T | Promise<T>): Promise<T> {
    this.storage.run(parent, () => this.assertTurn());
    const level: Level = { isOpen: true, isBusy: false, turn: Promise.resolve() };
    const end = this.begin();
    parent.isBusy = true;
    try {
      const result = await this.storage.run(level, work);
      await level.turn;
      end('keep');
      return result;
    } catch (error) {
      await level.turn;
      end('undo');
      throw error;
    } finally {
      level.isOpen = false;
      parent.isBusy = false;
    }
  }
}
