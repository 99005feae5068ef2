// Owns the checkpointer of both LangGraph peers: its own SqliteSaver on a database with synchronous = FULL. LangGraph
// lets the caller of a task continue before the task's writes are saved, so the saver also reports when they are.

import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { asBetterSqlite, openFull } from './sqlite.js';

/** Saves to SQLite, and counts the tasks of each thread whose writes are on disk. */
export class CountingSaver extends SqliteSaver {
  #written = new Map();
  #waiting = new Map();

  constructor(file) {
    super(asBetterSqlite(openFull(file)));
  }

  async putWrites(config, writes, taskId) {
    await super.putWrites(config, writes, taskId);
    const thread = config.configurable.thread_id;
    const count = (this.#written.get(thread) ?? 0) + 1;
    this.#written.set(thread, count);
    const wait = this.#waiting.get(thread);
    if (wait !== undefined && count >= wait.count) {
      this.#waiting.delete(thread);
      wait.resolve();
    }
  }

  /** Resolves when the given number of tasks of the thread are on disk. */
  written(thread, count) {
    if ((this.#written.get(thread) ?? 0) >= count) return undefined;
    return new Promise((resolve) => this.#waiting.set(thread, { count, resolve }));
  }

  close() {
    this.db.close();
  }
}
