import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createActivation, createFirst, createNext, START_AT } from '../../proof/store-suite/deltas.ts';
import type { Mail } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';

const OPEN = new URL('./open.ts', import.meta.url).href;
const DELTAS = new URL('../../proof/store-suite/deltas.ts', import.meta.url).href;

let directory: string;
let file: string;
let store: SqliteStore;
let children: ChildProcess[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pawl-process-'));
  file = join(directory, 'pawl.db');
  store = await openSqliteStore({ file });
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Other {
  /** The next line that the process says. */
  said(): Promise<string>;
  tell(line: string): void;
  readonly ended: Promise<unknown>;
}

/** Another process with the same store open; `code` sees store, say, and hear: lines from here. */
function other(code: string): Other {
  const script = `
    import { createInterface } from 'node:readline';
    import { openSqliteStore } from '${OPEN}';
    import { createActivation, createFirst, createNext, createResumed, START_AT } from '${DELTAS}';
    const store = await openSqliteStore({ file: ${JSON.stringify(file)} });
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const hear = async () => (await lines.next()).value;
    const say = (text) => process.stdout.write(text + '\\n');
    ${code}
    await store.close();
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    said: async () => String((await lines.next()).value),
    tell: (line) => child.stdin.write(`${line}\n`),
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
  test('of processes that claim a run at the same time exactly one wins, round after round', async () => {
    const rounds = 20;
    for (let n = 0; n < rounds; n += 1) await store.commit(createFirst({ run: `r${n}`, owner: 'me', more: { release: true } }));
    const racers = ['a', 'b', 'c'].map((me) =>
      other(`say('ready');
        await hear();
        const won = [];
        for (let n = 0; n < ${rounds}; n += 1) if ((await store.claim('r' + n, '${me}')).claimed) won.push(n);
        say(JSON.stringify(won));`),
    );
    for (const racer of racers) expect(await racer.said()).toBe('ready');
    for (const racer of racers) racer.tell('go');
    const won = (await Promise.all(racers.map(async (racer) => JSON.parse(await racer.said()) as number[]))).flat();
    expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, n) => n));
  });

  test('an owner that was taken for dead cannot write any more', async () => {
    const owner = other(`const first = createFirst({ run: 'r1', owner: 'old' });
      await store.commit(first);
      say('created');
      await hear();
      const next = createNext(first, [{ type: 'step.changed', at: START_AT, activation: createActivation('build', { feedback: 'late' }) }]);
      say((await store.commit(next)).result);`);
    expect(await owner.said()).toBe('created');
    const taker = await openSqliteStore({ file, isDead: (who) => who === 'old' });
    expect(await taker.ready(START_AT, 10)).toEqual([{ run: 'r1', because: 'orphaned' }]);
    const claim = await taker.claim('r1', 'new');
    owner.tell('go on');
    expect(await owner.said()).toBe('stale');
    expect(claim.claimed && (await taker.load('r1')).state).toEqual(claim.claimed && claim.state);
    await taker.close();
  });

  test('processes that write at the same time lose nothing and see no half-written run', async () => {
    const writers = ['a', 'b'].map((name) =>
      other(`let last = createFirst({ run: '${name}', owner: '${name}' });
        await store.commit(last);
        say('begun');
        await hear();
        for (let n = 0; n < 200; n += 1) {
          last = createNext(last, [{ type: 'step.changed', at: START_AT, activation: createActivation('build', { feedback: String(n) }) }]);
          await store.commit(last);
        }
        say('done');`),
    );
    for (const writer of writers) expect(await writer.said()).toBe('begun');
    for (const writer of writers) writer.tell('go');
    let working = 2;
    const done = writers.map(async (writer) => {
      expect(await writer.said()).toBe('done');
      working -= 1;
    });
    while (working > 0) {
      for (const run of ['a', 'b']) expect((await store.load(run)).state.id).toBe(run);
      await turn();
    }
    await Promise.all(done);
    for (const run of ['a', 'b']) expect(await store.events(run, 0)).toHaveLength(201);
    expect(await store.check()).toMatchObject({ ok: true });
  });
});

describe('bells', () => {
  test('200 rings of 200 reach another process, each without polling', async () => {
    await store.commit(createFirst({ run: 'r1', owner: 'me', more: { release: true } }));
    const hearer = other(`let seen = 0;
      store.watch(async (run) => {
        const fresh = await store.inbox(run, seen);
        if (fresh.length === 0) return;
        seen = fresh.at(-1).id;
        say(fresh.map(({ dedupe }) => dedupe).join(','));
      });
      say('listening');
      await hear();`);
    expect(await hearer.said()).toBe('listening');
    for (let n = 0; n < 200; n += 1) {
      await store.post(mail('r1', n));
      expect(await hearer.said()).toBe(`m${n}`);
    }
    hearer.tell('stop');
    await hearer.ended;
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

  test('a follower hears of commits of another process', async () => {
    const heard = new Promise<void>((resolve) => store.follow(resolve));
    const writer = other(`await store.commit(createFirst({ run: 'r1', owner: 'other' })); say('committed'); await hear();`);
    await heard;
    expect(await writer.said()).toBe('committed');
    expect((await store.load('r1')).owner).toBe('other');
    writer.tell('end');
    await writer.ended;
  });

  test('a slot that one process frees is heard by the process that waits for it', async () => {
    const holder = createFirst({ run: 'holder', owner: 'me' });
    const slots = { take: [{ path: 'build#1', keys: [{ key: 'gpu', limit: 1 }] }], free: [] };
    const change = [{ type: 'step.changed', at: START_AT, activation: createActivation('build') }] as const;
    await store.commit(holder);
    const holding = createNext(holder, change, { slots });
    await store.commit(holding);
    const waiter = other(`const first = createFirst({ run: 'waiter', owner: 'you' });
      await store.commit(first);
      const take = createNext(first, ${JSON.stringify(change)}, { slots: ${JSON.stringify(slots)} });
      const free = new Promise((resolve) => store.watch((run) => run === 'waiter' && resolve()));
      say((await store.commit(take)).result);
      await free;
      say((await store.commit(take)).result);`);
    expect(await waiter.said()).toBe('full');
    await store.commit(createNext(holding, change, { slots: { take: [], free: ['build#1'] } }));
    expect(await waiter.said()).toBe('committed');
    await waiter.ended;
  });
});
