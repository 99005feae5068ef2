// The process that dies in a run with database steps: it ends itself right before one of all the writes that SQLite
// gets in this process, whoever makes them: the store of runs, backups, copies, or the transaction that accepts a step.

import { DatabaseSync, StatementSync } from 'node:sqlite';
import { createEngine, defineWorkflow } from '../../src/index.ts';

/** What the process is to do. */
export interface DatabaseJob {
  readonly run: string;
  /** The store of runs, and the user's database. */
  readonly db: string;
  readonly data: string;
  readonly cwd: string;
  /** Before which write it ends itself; absent, it runs to the end. */
  readonly dieAt?: number;
}

/** How many writes the process made, which of them ended transactions of the user's database, and how the run stands. */
export interface DatabaseWord {
  readonly writes: number;
  readonly accepts: readonly number[];
  readonly status: string;
  readonly unknown: readonly string[];
}

const CHANGED = (name: string) => ({
  name: 'counted',
  check: (ctx: { db: { get(sql: string): { n?: unknown } | undefined } }) =>
    Number(ctx.db.get(`SELECT count(*) AS n FROM history WHERE what LIKE '${name}%'`)?.n) > 0,
  error: 'nothing is written',
});
const PROGRAM = `const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(process.env.PAWL_DB_BOOK);
db.exec("UPDATE totals SET n = n * 2 + 1 WHERE id = 2; INSERT INTO history (what) VALUES ('program'); INSERT INTO lines (text) VALUES ('program')");`;

/** A function, a fan-out and a program, each of which would leave a trace if it ran twice. */
export const edit = defineWorkflow({
  name: 'edit',
  databases: ['book'],
  data: { items: ['a', 'b', 'c'] },
  steps: {
    first: {
      recovery: 'rerun',
      handler: async (ctx) => {
        ctx.db.run('UPDATE totals SET n = n + 1');
        await Promise.resolve();
        ctx.db.run("INSERT INTO history (what) VALUES ('first')");
        ctx.db.run("UPDATE stamped SET text = text || '!'");
        return { n: ctx.db.get('SELECT n FROM totals WHERE id = 1')?.n };
      },
      postconditions: [CHANGED('first')],
      next: 'all',
    },
    all: {
      each: {
        items: 'items',
        // One after the other, so that rows without a key are always in the same order.
        concurrency: 1,
        step: {
          recovery: 'rerun',
          handler: (ctx) => {
            ctx.db.run("INSERT INTO history (what) VALUES ('item-' || ?)", [ctx.item]);
            ctx.db.run('INSERT INTO lines (text) VALUES (?)', [ctx.item]);
            return ctx.item;
          },
          postconditions: [CHANGED('item')],
        },
      },
      next: 'program',
    },
    program: {
      command: [process.execPath, '-e', PROGRAM],
      recovery: 'rerun',
      postconditions: [CHANGED('program')],
      next: 'asked',
    },
    // Nobody said that it may run again: after a crash it is unknown, or it has happened.
    asked: {
      recovery: 'ask',
      handler: (ctx) => {
        ctx.db.run('UPDATE totals SET n = n + 100 WHERE id = 1');
        ctx.db.run("INSERT INTO history (what) VALUES ('asked')");
        return 'asked';
      },
      postconditions: [CHANGED('asked')],
      next: null,
    },
  },
});

let writes = 0;
const accepts: number[] = [];

/** Counts the writes and the ends of transactions in this process, and ends it before one of them. */
function dieBefore(at: number | undefined, data: string): void {
  const count = (sql: string): void => {
    if (!/^\s*(?:BEGIN|COMMIT|INSERT|UPDATE|DELETE|CREATE TABLE)/.test(sql) || sql.includes('temp.')) return;
    writes += 1;
    if (writes === at) process.kill(process.pid, 'SIGKILL');
  };
  const { exec } = DatabaseSync.prototype;
  const { run } = StatementSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    count(sql);
    if (sql === 'COMMIT' && this.location() === data) accepts.push(writes);
    return exec.call(this, sql);
  };
  StatementSync.prototype.run = function (this: StatementSync, ...values: unknown[]) {
    count(this.sourceSQL);
    return Reflect.apply(run, this, values);
  } as typeof run;
}

const job = JSON.parse(process.argv.at(-1) ?? '') as DatabaseJob;
const engine = await createEngine({ db: job.db, workflows: [edit], databases: { book: { path: job.data } }, cwd: job.cwd });
dieBefore(job.dieAt, job.data);
const exists = (await engine.list({ idPrefix: job.run })).length > 0;
if (!exists) await engine.start(edit, {}, { id: job.run });
const view = await engine.run(job.run).wait('idle');
const unknown = view.steps.flatMap(({ step, status }) => (status === 'unknown' ? [step] : []));
await engine.close();
process.stdout.write(`${JSON.stringify({ writes, accepts, status: view.status, unknown } satisfies DatabaseWord)}\n`);
