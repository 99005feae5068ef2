import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { changeStep, createFirst, createNext, START_AT } from '../../proof/store-suite/deltas.ts';
import type { Mail } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';

const OPEN = new URL('./open.ts', import.meta.url).href;
const DELTAS = new URL('../../proof/store-suite/deltas.ts', import.meta.url).href;

let directory: string;
let file: string;
let store: SqliteStore;
let children: ChildProcess[];

beforeEach(async () => {
  directory = tempFolder();
  file = join(directory, 'pawl.db');
  store = await openSqliteStore({ file });
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await store.close();
});

interface OtherProcess {
  /** Resolves with the next line that the process prints. */
  nextLine(): Promise<string>;
  send(line: string): void;
  readonly ended: Promise<unknown>;
}

/** Starts a process that has the store open and runs `code`, which can use `store`, `print(text)` and `nextLine()`. */
function start(code: string): OtherProcess {
  const script = `
    import { createInterface } from 'node:readline';
    import { openSqliteStore } from '${OPEN}';
    import { changeStep, createActivation, createFirst, createNext, createResumed, START_AT } from '${DELTAS}';
    const store = await openSqliteStore({ file: ${JSON.stringify(file)} });
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const nextLine = async () => (await lines.next()).value;
    const print = (text) => process.stdout.write(text + '\\n');
    ${code}
    await store.close();
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    nextLine: async () => String((await lines.next()).value),
    send: (line) => child.stdin.write(`${line}\n`),
    ended: once(child, 'exit'),
  };
}

const mail = (run: string, n: number): Mail => ({
  run,
  dedupe: `m${n}`,
  input: { type: 'signalled', at: START_AT, name: 'x' },
  values: [],
});

describe('two processes on one file', () => {
  test('exactly one of the processes that claim a run at the same time succeeds', async () => {
    const rounds = 20;
    for (let n = 0; n < rounds; n += 1) await store.commit(createFirst({ run: `r${n}`, owner: 'me', more: { release: true } }));
    const racers = ['a', 'b', 'c'].map((me) =>
      start(`print('ready');
        await nextLine();
        const won = [];
        for (let n = 0; n < ${rounds}; n += 1) if ((await store.claim('r' + n, '${me}')).claimed) won.push(n);
        print(JSON.stringify(won));`),
    );
    for (const racer of racers) expect(await racer.nextLine()).toBe('ready');
    for (const racer of racers) racer.send('go');
    const won = (await Promise.all(racers.map(async (racer) => JSON.parse(await racer.nextLine()) as number[]))).flat();
    expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, n) => n));
  });

  test('an owner that was considered dead can no longer write', async () => {
    const owner = start(`const first = createFirst({ run: 'r1', owner: 'old' });
      await store.commit(first);
      print('created');
      await nextLine();
      const next = createNext(first, [changeStep(createActivation('build', { feedback: 'late' }))]);
      print((await store.commit(next)).result);`);
    expect(await owner.nextLine()).toBe('created');
    const taker = await openSqliteStore({ file, isDead: (who) => who === 'old' });
    expect(await taker.ready(START_AT, 10)).toEqual([{ run: 'r1', because: 'orphaned' }]);
    const claim = await taker.claim('r1', 'new');
    owner.send('go on');
    expect(await owner.nextLine()).toBe('stale');
    expect(claim.claimed && (await taker.load('r1')).state).toEqual(claim.claimed && claim.state);
    await taker.close();
  });

  test('processes that write at the same time lose nothing and see no half-written run', async () => {
    const writers = ['a', 'b'].map((name) =>
      start(`let last = createFirst({ run: '${name}', owner: '${name}' });
        await store.commit(last);
        print('begun');
        await nextLine();
        for (let n = 0; n < 200; n += 1) {
          last = createNext(last, [changeStep(createActivation('build', { feedback: String(n) }))]);
          await store.commit(last);
        }
        print('done');`),
    );
    for (const writer of writers) expect(await writer.nextLine()).toBe('begun');
    for (const writer of writers) writer.send('go');
    let working = 2;
    const done = writers.map(async (writer) => {
      expect(await writer.nextLine()).toBe('done');
      working -= 1;
    });
    while (working > 0) {
      for (const run of ['a', 'b']) expect((await store.load(run)).state.id).toBe(run);
      await nextTurn();
    }
    await Promise.all(done);
    for (const run of ['a', 'b']) expect(await store.events(run, 0)).toHaveLength(201);
    expect(await store.check()).toMatchObject({ ok: true });
  });
});

describe('bells', () => {
  test('each of 200 rings reaches another process without polling', async () => {
    await store.commit(createFirst({ run: 'r1', owner: 'me', more: { release: true } }));
    const watcher = start(`let seen = 0;
      store.watch(async (run) => {
        const fresh = await store.inbox(run, seen);
        if (fresh.length === 0) return;
        seen = fresh.at(-1).id;
        print(fresh.map(({ dedupe }) => dedupe).join(','));
      });
      print('listening');
      await nextLine();`);
    expect(await watcher.nextLine()).toBe('listening');
    for (let n = 0; n < 200; n += 1) {
      await store.post(mail('r1', n));
      expect(await watcher.nextLine()).toBe(`m${n}`);
    }
    watcher.send('stop');
    await watcher.ended;
  });

  test('a ring that nobody received reaches the next watcher; a claim removes the bell', async () => {
    await store.commit(createFirst({ run: 'r1', owner: 'me', more: { release: true } }));
    await store.post(mail('r1', 1));
    await store.close();
    store = await openSqliteStore({ file });
    expect(await new Promise((resolve) => store.watch(resolve))).toBe('r1');
    expect(readdirSync(`${file}.bells`)).toEqual(['r1']);
    const gone = new Promise<void>((resolve) => {
      const stop = store.watch(() => {
        if (existsSync(join(`${file}.bells`, 'r1'))) return;
        stop();
        resolve();
      });
    });
    await store.claim('r1', 'me');
    await gone;
    expect(readdirSync(`${file}.bells`)).toEqual([]);
  });

  test('a follower is notified of commits of another process', async () => {
    const notified = new Promise<void>((resolve) => store.follow(resolve));
    const writer = start(`await store.commit(createFirst({ run: 'r1', owner: 'other' })); print('committed'); await nextLine();`);
    await notified;
    expect(await writer.nextLine()).toBe('committed');
    expect((await store.load('r1')).owner).toBe('other');
    writer.send('end');
    await writer.ended;
  });

  test('a process that waits for a slot is woken when another process frees it', async () => {
    const holder = createFirst({ run: 'holder', owner: 'me' });
    const slots = { take: [{ path: 'build#1', keys: [{ key: 'gpu', limit: 1 }] }], free: [] };
    const change = [changeStep()] as const;
    await store.commit(holder);
    const holding = createNext(holder, change, { slots });
    await store.commit(holding);
    const waiter = start(`const first = createFirst({ run: 'waiter', owner: 'you' });
      await store.commit(first);
      const take = createNext(first, ${JSON.stringify(change)}, { slots: ${JSON.stringify(slots)} });
      const free = new Promise((resolve) => store.watch((run) => run === 'waiter' && resolve()));
      print((await store.commit(take)).result);
      await free;
      print((await store.commit(take)).result);`);
    expect(await waiter.nextLine()).toBe('full');
    await store.commit(createNext(holding, change, { slots: { take: [], free: ['build#1'] } }));
    expect(await waiter.nextLine()).toBe('committed');
    await waiter.ended;
  });
});
