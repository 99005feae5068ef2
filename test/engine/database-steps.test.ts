// A step's writes to a protected database are one transaction: all of them when its postconditions hold, else none.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { EngineOptions } from '../../src/api/engine-options.ts';
import type { StepContext } from '../../src/definition/code.ts';
import { createEngine, defineWorkflow, type Engine, step, workflow } from '../../src/index.ts';
import { copyTo } from '../../src/safe-db/backup.ts';
import { listBackups, restoreBackup } from '../../src/safe-db/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { createBook, dump, write } from '../safe-db/book.ts';
import { tempFolder } from '../temp-folder.ts';

async function engineOn(file: string, options: Partial<EngineOptions> = {}) {
  const engine = await createEngine({ db: ':memory:', databases: { book: { path: file } }, cwd: tempFolder(), ...options });
  onTestFinished(() => engine.close({ abort: true }));
  return engine;
}

const titles = (file: string): unknown[] => rowsOf(file, 'SELECT title FROM books ORDER BY id').map(({ title }) => title);

function rowsOf(file: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

const CHANGED = {
  name: 'changed',
  check: (ctx: { db: { get(sql: string): unknown } }) => ctx.db.get("SELECT 1 FROM books WHERE title = 'Mine'") !== undefined,
  error: 'no title',
};

test('the writes of a function are in the database once its postconditions hold, after a backup of the run', async () => {
  const file = createBook();
  const before = dump(file);
  let seen: unknown[] = [];
  const edit = defineWorkflow({
    name: 'edit',
    databases: ['book'],
    steps: {
      one: {
        handler: async (ctx) => {
          ctx.db.run("UPDATE books SET title = 'Mine' WHERE id = 1");
          await Promise.resolve();
          const { token } = ctx.db.getDeleteConfirmation('chapters', { id: 1 });
          const deleted = ctx.db.delete('chapters', { id: 1 }, token);
          seen = titles(file);
          return { deleted, same: ctx.databases.book === ctx.db };
        },
        postconditions: [CHANGED],
        next: 'two',
      },
      two: { handler: (ctx) => ctx.db.get('SELECT title FROM books WHERE id = 1')?.title, postconditions: [CHANGED], next: null },
    },
  });
  const engine = await engineOn(file, { workflows: [edit] });
  const run = await engine.start(edit);
  expect(await run.wait()).toMatchObject({ status: 'completed', output: 'Mine' });
  expect(seen).toEqual(['Alpha', 'Beta', 'Gamma']);
  expect(titles(file)).toEqual(['Mine', 'Beta', 'Gamma']);
  expect(dump(file).chapters).toHaveLength(2);
  const { steps } = await run.get();
  expect(steps[0]).toMatchObject({ step: 'one', output: { deleted: 1, same: true } });
  const [backup, second] = listBackups(file);
  expect(backup).toMatchObject({ runId: run.id, verified: true });
  expect(second).toBeUndefined();
  await restoreBackup(file, backup?.path ?? '');
  expect(dump(file)).toEqual(before);
});

test.each([
  ['throws', () => Promise.reject(new Error('no'))],
  ['fails', () => 'fail' as const],
  ['rejects', () => 'reject' as const],
  ['breaks its postcondition', () => ({ broken: true })],
  ['times out', (ctx: { signal: AbortSignal }) => new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))],
])('a step that %s has changed nothing', async (_, end) => {
  const file = createBook();
  const before = dump(file);
  const edit = defineWorkflow({
    name: 'edit',
    steps: {
      one: {
        databases: ['book'],
        handler: (ctx) => {
          ctx.db.run("UPDATE books SET title = 'Mine'");
          return end(ctx);
        },
        postconditions: [{ name: 'whole', check: (ctx) => ctx.result?.broken !== true, error: 'broken' }],
        timeout: '1s',
        next: { ok: null, fail: 'complete', reject: 'complete' },
      },
    },
  });
  const engine = await engineOn(file, { workflows: [edit] });
  await (await engine.start(edit)).wait('idle');
  expect(dump(file)).toEqual(before);
});

test('code that goes on after its step was stopped cannot write any more', async () => {
  const file = createBook();
  const before = dump(file);
  let late: Promise<unknown> = Promise.resolve();
  const edit = defineWorkflow({
    name: 'edit',
    steps: {
      one: {
        databases: ['book'],
        handler: (ctx) => {
          const stopped = new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => setImmediate(resolve)));
          late = stopped.then(() => ctx.db.run("UPDATE books SET title = 'late'"));
          return late;
        },
        postconditions: [CHANGED],
        timeout: '1s',
        next: null,
      },
    },
  });
  const engine = await engineOn(file, { workflows: [edit] });
  await (await engine.start(edit)).wait('idle');
  await expect(late).rejects.toThrow();
  expect(dump(file)).toEqual(before);
});

test('a row that others changed is the outcome conflict, with the row; a retry works on what they wrote', async () => {
  const file = createBook();
  let tries = 0;
  const raced = (retry: number) =>
    defineWorkflow({
      name: `raced-${retry}`,
      steps: {
        count: {
          databases: ['book'],
          retry,
          handler: (ctx) => {
            const { n } = ctx.db.get('SELECT n FROM totals WHERE id = 1') as { n: number };
            tries += 1;
            if (tries % 2 === 1) write(file, 'UPDATE totals SET n = n + 10 WHERE id = 1');
            ctx.db.run('UPDATE totals SET n = ? WHERE id = 1', [n + 1]);
            return { n };
          },
          postconditions: [
            { name: 'counted', check: (ctx) => ctx.db.get('SELECT n FROM totals')?.n === ctx.result.n + 1, error: 'not counted' },
          ],
          next: { ok: null, conflict: 'lost' },
        },
        lost: { handler: (ctx) => ctx.results.count?.output, next: null },
      },
    });
  const [alone, again] = [raced(0), raced(1)];
  const engine = await engineOn(file, { workflows: [alone, again] });
  const first = await (await engine.start(alone)).wait();
  expect(first).toMatchObject({
    status: 'completed',
    output: { database: 'book', rows: [{ table: 'totals', key: { id: '1' }, change: 'update', found: 'changed' }] },
  });
  expect(rowsOf(file, 'SELECT n FROM totals WHERE id = 1')).toEqual([{ n: 10 }]);
  tries = 0;
  expect(await (await engine.start(again)).wait()).toMatchObject({ status: 'completed', output: { n: 20 } });
  expect(rowsOf(file, 'SELECT n FROM totals WHERE id = 1')).toEqual([{ n: 21 }]);
});

test('parallel items each work on a copy, and everything that was accepted is there', async () => {
  const file = createBook();
  const all = defineWorkflow({
    name: 'all',
    data: { chapters: [1, 2, 3, 4, 5, 6] },
    steps: {
      each: {
        each: {
          items: 'chapters',
          step: {
            databases: ['book'],
            retry: 6,
            handler: async (ctx) => {
              ctx.db.run("INSERT INTO lines (text) VALUES (? || '')", [ctx.item]);
              await Promise.resolve();
              ctx.db.run("INSERT INTO settings VALUES ('item-' || ?, 'x')", [ctx.item]);
              // All of them count up the same row: those that were slower do it again.
              ctx.db.run('UPDATE totals SET n = n + 1 WHERE id = 2');
              return ctx.item;
            },
            postconditions: [{ name: 'there', check: (ctx) => ctx.db.get('SELECT n FROM totals WHERE id = 2')?.n !== 0, error: 'no' }],
          },
        },
        next: null,
      },
    },
  });
  const engine = await engineOn(file, { workflows: [all] });
  expect(await (await engine.start(all)).wait()).toMatchObject({ status: 'completed' });
  expect(rowsOf(file, 'SELECT n FROM totals WHERE id = 2')).toEqual([{ n: 6 }]);
  expect(rowsOf(file, "SELECT count(*) AS n FROM settings WHERE name LIKE 'item-%'")).toEqual([{ n: 6 }]);
  expect(rowsOf(file, 'SELECT count(*) AS n FROM lines')).toEqual([{ n: 9 }]);
});

const SQLITE = (sql: string): string[] => [
  process.execPath,
  '-e',
  `const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(process.env.PAWL_DB_BOOK).exec(${JSON.stringify(sql)})`,
];

test('a program works on a copy, and what it changed is brought back when the queries of its author hold', async () => {
  const file = createBook();
  const edit = (sql: string, more: object = {}) =>
    defineWorkflow({
      name: 'edit',
      steps: {
        run: {
          command: SQLITE(sql),
          databases: { book: { expect: ['SELECT count(*) > 0 FROM chapters'], ...more } },
          contractRetries: 0,
          next: null,
        },
      },
    });
  const after = async (sql: string, more?: object) => {
    const one = edit(sql, more);
    const engine = await engineOn(file, { workflows: [one] });
    const run = await engine.start(one);
    const { status } = await run.wait('idle');
    const step = (await run.get()).steps.at(-1);
    return { status, error: step?.error, evidence: step?.evidence };
  };
  expect(await after("UPDATE books SET title = 'Mine' WHERE id = 1")).toMatchObject({
    status: 'completed',
    evidence: { databases: { book: { changed: [{ table: 'books', inserted: 0, updated: 1, deleted: 0 }] } } },
  });
  expect(titles(file)).toEqual(['Mine', 'Beta', 'Gamma']);
  const before = dump(file);
  expect(await after('DELETE FROM lines WHERE rowid = 1')).toMatchObject({
    status: 'escalated',
    error: expect.stringContaining('it deleted 1 rows'),
  });
  expect(await after('DROP TABLE lines')).toMatchObject({
    status: 'escalated',
    error: expect.stringContaining('table "lines" was dropped'),
  });
  expect(await after('DELETE FROM chapters', { deletes: 3 })).toMatchObject({
    error: expect.stringContaining('"SELECT count(*) > 0 FROM chapters"'),
  });
  // The query of its author asks for this table; what matters is that it was dropped.
  expect(await after('DROP TABLE chapters')).toMatchObject({
    status: 'escalated',
    error: expect.stringContaining('it changed the schema: table "chapters" was dropped'),
  });
  expect(await after("UPDATE books SET title = 'x'", { access: 'read' })).toMatchObject({
    error: expect.stringContaining('it may only read it, but changed table "books"'),
  });
  expect(dump(file)).toEqual(before);
  expect(await after('DELETE FROM lines WHERE rowid = 1', { deletes: 1 })).toMatchObject({ status: 'completed' });
  expect(dump(file).lines).toHaveLength(2);
});

test('a program that drops the table its postcondition reads is told so, and tries again', async () => {
  const file = createBook();
  const before = dump(file);
  const edit = defineWorkflow({
    name: 'edit',
    steps: { run: { command: SQLITE('DROP TABLE books'), databases: ['book'], postconditions: [CHANGED], contractRetries: 1, next: null } },
  });
  const engine = await engineOn(file, { workflows: [edit] });
  const run = await engine.start(edit);
  expect((await run.wait('idle')).status).toBe('escalated');
  const attempts = (await run.get()).steps.map(({ attempt, error }) => [attempt, error]);
  const why = 'the changes of step "run" to its copy of database "book" were discarded: it changed the schema: table "books" was dropped';
  expect(attempts).toEqual([1, 2].map((attempt) => [attempt, expect.stringContaining(why)]));
  expect(dump(file)).toEqual(before);
});

test('a copy in the workspace is removed with the attempt, and a file that is there is left alone', async () => {
  const file = createBook();
  const cwd = tempFolder();
  const edit = defineWorkflow({
    name: 'edit',
    steps: {
      run: {
        command: [
          process.execPath,
          '-e',
          `new (require('node:sqlite').DatabaseSync)('work/book.db').exec("UPDATE books SET title = 'Mine'")`,
        ],
        databases: { book: { copy: 'work/book.db', expect: ['SELECT 1'] } },
        next: null,
      },
    },
  });
  const engine = await engineOn(file, { workflows: [edit], cwd });
  expect(await (await engine.start(edit)).wait()).toMatchObject({ status: 'completed' });
  expect(titles(file)).toEqual(['Mine', 'Mine', 'Mine']);
  write(join(cwd, 'work/book.db'), 'CREATE TABLE own (id)');
  const run = await engine.start(edit);
  await run.wait('idle');
  expect((await run.get()).steps[0]?.error).toContain('because that file already exists');
  expect(rowsOf(join(cwd, 'work/book.db'), 'SELECT count(*) AS n FROM own')).toEqual([{ n: 0 }]);
});

test('a person or program that edits the real file while a step works is noticed and named', async () => {
  const file = createBook();
  const warnings: string[] = [];
  const edit = defineWorkflow({
    name: 'edit',
    steps: {
      run: {
        command: [process.execPath, '-e', `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)}).exec('DELETE FROM lines')`],
        databases: { book: { expect: ['SELECT 1'] } },
        next: null,
      },
    },
  });
  const engine = await engineOn(file, { workflows: [edit], warn: (error) => warnings.push((error as Error).message) });
  const run = await engine.start(edit);
  await run.wait();
  expect((await run.get()).steps[0]?.evidence).toMatchObject({
    changedMeanwhile: { book: { notByPawl: true, tables: [{ table: 'lines', removed: 3 }] } },
  });
  expect(warnings).toEqual([expect.stringContaining('database "book" was changed by something other than Pawl: lines')]);
});

test('a flow names databases for all its steps, or for one', async () => {
  const file = createBook();
  const edit = workflow('edit', { databases: ['book'] }, function* () {
    yield* step('one').task({
      action: (db: StepContext['db']) => db.run("UPDATE books SET title = 'Mine' WHERE id = 1").changes,
      args: (ctx) => [ctx.db],
      postconditions: [CHANGED],
    });
    return yield* step('two').task({
      action: (db: StepContext['db']) => db.query('SELECT title FROM books').map(({ title }) => title),
      args: (ctx) => [ctx.db],
      databases: { book: 'read' },
    });
  });
  const engine = await engineOn(file, { workflows: [edit] });
  expect(await (await engine.start(edit)).wait()).toMatchObject({ status: 'completed', output: ['Mine', 'Beta', 'Gamma'] });
});

test('a database that the engine does not know is an error that says how to name it', async () => {
  const edit = defineWorkflow({ name: 'edit', steps: { one: { databases: ['boook'], handler: () => 1, next: null } } });
  const engine = await engineOn(createBook(), { workflows: [edit] });
  const run = await engine.start(edit);
  await run.wait('idle');
  expect((await run.get()).steps[0]?.error).toContain('uses the database "boook", which is not configured (did you mean "book"?)');
});

const attended = defineWorkflow({
  name: 'attended',
  steps: {
    write: {
      agent: 'writer',
      prompt: 'Write a title.',
      databases: { book: { expect: ["SELECT title = 'Mine' FROM books WHERE id = 1"] } },
      next: null,
    },
  },
});

test('an attended agent is told where its copy is, and what it wrote there counts with its report', async () => {
  const file = createBook();
  const folder = tempFolder();
  const options = { workflows: [attended], db: join(folder, 'pawl.db') };
  const engine = await engineOn(file, options);
  const { id } = await engine.start(attended, {}, { facts: { $attended: true } });
  await engine.run(id).wait('idle');
  const copyIn = async (own: Engine): Promise<{ token: string; copy: string }> => {
    const [openStep] = await own.run(id).openSteps();
    expect(openStep?.prompt).toContain(
      `Pawl writes them to ${file} when the step is accepted. Delete no row, and do not change the schema.`,
    );
    return { token: openStep?.token ?? '', copy: /the SQLite file (\S+)/.exec(openStep?.prompt ?? '')?.[1] ?? '' };
  };
  const { copy, token } = await copyIn(engine);
  await engine.close();
  write(copy, "UPDATE books SET title = 'Not mine'");
  const other = await engineOn(file, options);
  expect(await other.run(id).report({ token, result: null })).toMatchObject({ accepted: false });
  await other.run(id).wait('idle');
  expect([titles(file), existsSync(copy)]).toEqual([['Alpha', 'Beta', 'Gamma'], false]);
  const again = await copyIn(other);
  write(again.copy, "UPDATE books SET title = 'Mine' WHERE id = 1");
  expect(await other.run(id).report({ token: again.token, result: null })).toMatchObject({ accepted: true });
  expect(await other.run(id).wait()).toMatchObject({ status: 'completed' });
  expect(titles(file)).toEqual(['Mine', 'Beta', 'Gamma']);
  expect(readdirSync(join(folder, 'pawl.db.copies'))).toEqual([]);
});

/** A run that counts up, what was on disk in the middle of its step, and an engine that finds only that. */
async function crashedRun(recovery: 'ask' | 'rerun', when: 'before' | 'after') {
  const file = createBook();
  const folder = tempFolder();
  const [db, crashed, data] = [join(folder, 'pawl.db'), join(folder, 'crashed.db'), join(folder, 'data.db')];
  const calls: number[] = [];
  const count = defineWorkflow({
    name: 'count',
    steps: {
      count: {
        databases: ['book'],
        recovery,
        handler: async (ctx) => {
          calls.push(1);
          ctx.db.run('UPDATE totals SET n = n + 1 WHERE id = 1');
          if (calls.length === 1) await Promise.all([copyTo(crashed, db), copyTo(data, file)]);
          return { calls: calls.length };
        },
        postconditions: [{ name: 'counted', check: (ctx) => ctx.db.get('SELECT n FROM totals')?.n === 1, error: 'not once' }],
        next: null,
      },
    },
  });
  const engine = await engineOn(file, { workflows: [count], db });
  const { id } = await engine.start(count);
  await engine.run(id).wait();
  await engine.close();
  const store = await openSqliteStore({ file: crashed, isDead: () => true, adopt: true });
  onTestFinished(() => store.close());
  // After the transaction, the user's database is as the whole run left it; before, as it was in the middle.
  const found = when === 'after' ? file : data;
  const after = await engineOn(found, { workflows: [count], store });
  const view = await after.run(id).wait('idle');
  return { view, calls: calls.length, rows: rowsOf(found, 'SELECT n FROM totals WHERE id = 1') };
}

test.each(['ask', 'rerun'] as const)(
  'S6, SD14: a step that was accepted before a crash is settled by its record, not run again (%s)',
  async (recovery) => {
    const { view, calls, rows } = await crashedRun(recovery, 'after');
    expect(view).toMatchObject({ status: 'completed', output: { calls: 1 }, steps: [{ evidence: { recorded: { database: 'book' } } }] });
    expect([calls, rows]).toEqual([1, [{ n: 1 }]]);
  },
);

test.each([
  ['ask', 'waiting', 1],
  ['rerun', 'completed', 2],
] as const)('S5: a step that a crash cut off before it was accepted has changed nothing (%s)', async (recovery, status, times) => {
  const { view, calls, rows } = await crashedRun(recovery, 'before');
  expect([view.status, calls, rows]).toEqual([status, times, [{ n: times - 1 }]]);
});

test('the normal flow: backup, precondition, a command that prints the prompt, an agent, postcondition, a person, branches', async () => {
  const file = createBook();
  const title = (id: number, text: string) => ({
    name: `title ${id}`,
    check: (ctx: { db: StepContext['db'] }) => ctx.db.get('SELECT title FROM books WHERE id = ?', [id])?.title === text,
    error: `the title of book ${id} is not ${text}`,
  });
  const branch = (id: number) => ({
    handler: (ctx: { db: StepContext['db'] }) => ctx.db.run("UPDATE books SET title = 'Edited' WHERE id = ?", [id]).changes,
    postconditions: [title(id, 'Edited')],
  });
  const w1 = defineWorkflow({
    name: 'w1',
    databases: ['book'],
    steps: {
      plan: { command: 'w1:plan', preconditions: [title(1, 'Alpha')], postconditions: [title(1, 'Planned')], next: 'ask' },
      ask: { human: { prompt: 'Good?', options: [{ label: 'yes' }] }, preconditions: [title(1, 'Planned')], next: 'edit' },
      edit: { parallel: { branches: { two: branch(2), three: branch(3) } }, next: null },
    },
  });
  const commands = { 'w1:plan': [process.execPath, '-e', 'console.log("Plan in " + process.env.PAWL_DB_BOOK)'] };
  const engine = await engineOn(file, { workflows: [w1], commands });
  const run = await engine.start(w1, {}, { facts: { $attended: true } });
  await run.wait('idle');
  const [openStep] = await run.openSteps();
  write(/Plan in (\S+)/.exec(openStep?.prompt ?? '')?.[1] ?? '', "UPDATE books SET title = 'Planned' WHERE id = 1");
  expect(await run.report({ token: openStep?.token ?? '', result: null })).toMatchObject({ accepted: true });
  await run.wait('idle');
  await run.decide({ option: 'yes', actor: 'ann' });
  expect(await run.wait()).toMatchObject({ status: 'completed' });
  expect(titles(file)).toEqual(['Planned', 'Edited', 'Edited']);
  expect(listBackups(file)).toMatchObject([{ runId: run.id }]);
});
