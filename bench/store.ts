// Compares the SQLite store with a loop that writes one row per step, with the same driver and pragmas:
// `node bench/store.ts [steps]`. Only the ratios matter, because others may use the machine at the same time.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRunId } from '../src/base/id.ts';
import type { RunEvent } from '../src/kernel/event.ts';
import { createActivation, createAttempt, createFirst, createNext, createValue, START_AT } from '../src/proof/store-suite/deltas.ts';
import { openSqliteStore, type SqliteStore } from '../src/store/sqlite/open.ts';
import type { Delta } from '../src/store/store.ts';

const STEPS = Number(process.argv[2] ?? 2000);
const BATCH = 100;
const REPEATS = 3;
const CHECKPOINT_PAGES = 1000;

type Mode = 'FULL' | 'NORMAL';
const directory = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
let files = 0;
const newFile = (): string => join(directory, `${files++}.db`);

function stepOf(before: Delta, n: number): Delta {
  const value = createValue({ n });
  const at = START_AT + n;
  const events: RunEvent[] = [
    { type: 'step.settled', at, path: `s#${n}`, attempt: 1, outcome: 'ok', output: value.ref },
    { type: 'edge.taken', at, from: `s#${n}`, outcome: 'ok', to: 's' },
    { type: 'step.opened', at, activation: createActivation('s', { path: `s#${n + 1}`, openedAt: at }) },
  ];
  return createNext(before, events, { values: [value], attempts: [createAttempt('s', { path: `s#${n}`, output: value.ref })] });
}

function script(run: string, steps: number): Delta[] {
  const deltas = [createFirst({ run, owner: 'bench', activation: createActivation('s', { path: 's#1' }) })];
  for (let n = 1; n <= steps; n += 1) deltas.push(stepOf(deltas.at(-1) as Delta, n));
  return deltas;
}

async function floor(mode: Mode, batch: number): Promise<number> {
  const db = new DatabaseSync(newFile());
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${mode}; PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES}`);
  db.exec('CREATE TABLE steps (run TEXT, n INTEGER, name TEXT, output TEXT)');
  const insert = db.prepare('INSERT INTO steps VALUES (?, ?, ?, ?)');
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
  const run = '01234567-89ab-cdef-0123-456789abcdef';
  const step = (n: number): void => {
    begin.run();
    for (let i = 0; i < batch; i += 1) insert.run(run, n, 's', '{"n":1}');
    commit.run();
  };
  for (let n = 0; n < 50; n += 1) step(n);
  const began = performance.now();
  for (let n = 0; n < STEPS / batch; n += 1) step(n);
  const took = performance.now() - began;
  db.close();
  return (took * 1000) / STEPS;
}

async function single(mode: Mode): Promise<number> {
  const store = await open(mode);
  const deltas = script(createRunId(), STEPS + 50);
  for (const delta of deltas.slice(0, 51)) await store.commit(delta);
  const began = performance.now();
  for (const delta of deltas.slice(51)) await store.commit(delta);
  const took = performance.now() - began;
  await store.close();
  return (took * 1000) / STEPS;
}

async function batched(mode: Mode): Promise<number> {
  const store = await open(mode);
  const rounds = Math.ceil(STEPS / BATCH);
  const scripts = Array.from({ length: BATCH }, () => script(createRunId(), rounds));
  await Promise.all(scripts.map(([first]) => store.commit(first as Delta)));
  const began = performance.now();
  for (let round = 1; round <= rounds; round += 1) await Promise.all(scripts.map((deltas) => store.commit(deltas[round] as Delta)));
  const took = performance.now() - began;
  await store.close();
  return (took * 1000) / (rounds * BATCH);
}

function open(mode: Mode): Promise<SqliteStore> {
  return openSqliteStore({ file: newFile(), synchronous: mode, walAutocheckpoint: CHECKPOINT_PAGES });
}

function parkedAt(run: string): Delta[] {
  const shown = createValue({ tree: 'a'.repeat(40) });
  const opened = createActivation('approve', { kind: 'human' });
  const first = createFirst({ run, owner: 'bench', activation: { ...opened, state: 'preparing' } });
  const wait = { kind: 'human', digest: createValue({ prompt: run }).ref.digest, shown: shown.ref } as const;
  const parked = createNext(first, [{ type: 'step.changed', at: START_AT, activation: { ...opened, state: 'waiting', wait } }], {
    values: [shown],
    release: true,
  });
  return [first, parked];
}

async function parked(runs: number): Promise<void> {
  const file = newFile();
  const store = await openSqliteStore({ file, synchronous: 'NORMAL' });
  await store.commit(createFirst({ run: createRunId(), owner: 'bench' }));
  for (let from = 0; from < runs; from += BATCH) {
    const scripts = Array.from({ length: BATCH }, () => parkedAt(createRunId()));
    await Promise.all(scripts.map(async ([first, second]) => (await store.commit(first as Delta)) && store.commit(second as Delta)));
  }
  await time('ready', () => store.ready(START_AT, 100));
  await time('nextDue', () => store.nextDue());
  await time('list', () => store.list({ limit: 50 }));
  await store.close();
  console.log(`${runs} runs parked on an approval: ${(statSync(file).size / runs).toFixed(0)} bytes each`);
}

async function claim(steps: number): Promise<void> {
  const store = await openSqliteStore({ file: newFile(), synchronous: 'NORMAL', isDead: () => true });
  const run = createRunId();
  for (const delta of script(run, steps)) await store.commit(delta);
  await time(`claim after ${steps} steps`, () => store.claim(run, 'other'));
  await time(`claim again`, () => store.claim(run, 'third'));
  await store.close();
}

async function time(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await work();
  console.log(`${what}: ${(performance.now() - began).toFixed(2)} ms`);
}

const median = (figures: number[]): number => figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)] as number;

async function compare(mode: Mode, batch: number): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    bare.push(await floor(mode, batch));
    ours.push(await (batch === 1 ? single(mode) : batched(mode)));
  }
  const [a, b] = [median(ours), median(bare)];
  console.log(
    `${mode} ${batch === 1 ? 'single' : `batch of ${batch}`}: ${a.toFixed(1)} µs a commit (${Math.round(1e6 / a)}/s), floor ${b.toFixed(1)} µs, ${(a / b).toFixed(2)}×`,
  );
}

try {
  for (const mode of ['NORMAL', 'FULL'] as const) for (const batch of [1, BATCH]) await compare(mode, batch);
  await parked(10_000);
  await claim(10_000);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
