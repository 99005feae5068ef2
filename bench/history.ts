// P9: the cost of reading and removing a long history: `pawl show` and `pawl logs` of a run with many steps, pruning many
// runs, and the memory of `pawl show` with large results. Commands are timed as whole processes; the time of the same command
// for a run of one step is subtracted.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createActivation,
  createAttempt,
  createEnd,
  createFirst,
  createLine,
  createNext,
  createValue,
  START_AT,
} from '../src/proof/store-suite/deltas.ts';
import { openSqliteStore, type SqliteStore } from '../src/store/sqlite/open.ts';
import type { Delta, StoredValue } from '../src/store/store.ts';
import type { Row } from './measure.ts';

const PAWL = fileURLToPath(new URL('../bin/pawl.js', import.meta.url));
const RUNS_AT_ONCE = 200;
const LARGE_BYTES = 5_000_000;
const LARGE_COUNT = 60;

/** The targets in microseconds per step or run, for every size. */
const TARGETS_US = { show: 150, logs: 80, prune: 500 } as const;
const MEMORY_TARGET_MB = 400;

/** The rows of P9, for 1,000 steps and runs and more, up to the given number. */
export async function measureHistory(most: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-history-'));
  const sizes = [1000, 10_000, 100_000].filter((size) => size <= most);
  try {
    const empty = join(folder, 'empty.db');
    await writeRun(empty, 1);
    const us: Record<keyof typeof TARGETS_US, number[]> = { show: [], logs: [], prune: [] };
    for (const size of sizes) {
      const db = join(folder, `${size}.db`);
      await writeRun(db, size);
      for (const command of ['show', 'logs'] as const)
        us[command].push(((timeOf(command, 'r1', '--db', db) - timeOf(command, 'r1', '--db', empty)) * 1000) / size);
      us.prune.push((await measurePrune(join(folder, `runs-${size}.db`), size)) / size);
    }
    return [
      ...Object.entries(us).map(([command, values]) => rowOf(command as keyof typeof TARGETS_US, sizes, values)),
      await measureMemory(join(folder, 'large.db')),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(command: keyof typeof TARGETS_US, sizes: readonly number[], us: readonly number[]): Row {
  const target = TARGETS_US[command];
  const unit = command === 'prune' ? 'run' : 'step';
  const counts = sizes.map((size) => size.toLocaleString('en')).join(' / ');
  return {
    id: `P9${command[0]}`,
    what: `${command === 'prune' ? 'pruning' : `\`pawl ${command}\` of`} ${counts} ${unit}s`,
    measured: `${us.map((value) => value.toFixed(0)).join(' / ')} µs a ${unit}`,
    target: `≤ ${target} µs at every size`,
    met: us.every((value) => value <= target),
    json: { ownUs: us.at(-1) as number },
  };
}

async function withStore(file: string, work: (store: SqliteStore) => Promise<unknown>): Promise<void> {
  const store = await openSqliteStore({ file, synchronous: 'NORMAL' });
  await work(store);
  await store.close();
}

/** Writes a completed run with the given number of different steps, one log row each. */
async function writeRun(file: string, steps: number, outputOf: (n: number) => StoredValue = (n) => createValue({ n })): Promise<void> {
  await withStore(file, async (store) => {
    const definition = createLine(
      'long',
      Array.from({ length: steps }, (_, n) => `s${n}`),
    );
    let delta: Delta = createFirst({ run: 'r1', owner: 'me', definition, activation: createActivation('s0', { path: 's0#1' }) });
    await store.commit(delta);
    for (let n = 0; n < steps; n += 1) {
      const value = outputOf(n);
      const path = `s${n}#1`;
      const settled = { type: 'step.settled', at: START_AT, path, attempt: 1, outcome: 'ok', output: value.ref } as const;
      const next = createActivation(`s${n + 1}`, { path: `s${n + 1}#1` });
      const after = n + 1 < steps ? ({ type: 'step.opened', at: START_AT, activation: next } as const) : createEnd('completed');
      const attempts = [createAttempt(`s${n}`, { path, output: value.ref })];
      delta = createNext(delta, [settled, after], { values: [value], attempts, ...(n + 1 < steps ? {} : { status: 'completed' }) });
      await store.commit(delta);
    }
  });
}

async function measurePrune(file: string, runs: number): Promise<number> {
  await withStore(file, async (store) => {
    for (let n = 0; n < runs; n += RUNS_AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(RUNS_AT_ONCE, runs - n) }, (_, i) => writeEnded(store, `r${n + i}`)));
  });
  let ms = 0;
  // Called in this process, because the command `pawl prune` needs a person.
  await withStore(file, async (store) => {
    const begin = performance.now();
    const { length } = (await store.prune({ before: Date.now(), status: ['completed'] })).runs;
    ms = performance.now() - begin;
    if (length !== runs) throw new Error(`${length} of ${runs} runs were removed`);
  });
  return ms * 1000;
}

async function writeEnded(store: SqliteStore, run: string): Promise<void> {
  const value = createValue({ run });
  const first = createFirst({ run, owner: 'me' });
  await store.commit(first);
  const settled = { type: 'step.settled', at: START_AT, path: 'build#1', attempt: 1, outcome: 'ok', output: value.ref } as const;
  const attempts = [createAttempt('build', { output: value.ref })];
  await store.commit(
    createNext(first, [settled, createEnd('completed')], { status: 'completed', values: [value], attempts, release: true }),
  );
}

async function measureMemory(file: string): Promise<Row> {
  await writeRun(file, LARGE_COUNT, (n) => createValue(String(n % 10).repeat(LARGE_BYTES)));
  const script = `process.argv.splice(1, 0, ''); process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)));
    await import(${JSON.stringify(PAWL)});`;
  const words = ['--input-type=module', '--eval', script, 'show', 'r1', '--db', file];
  const { stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  const mb = Number(stderr) / 1024;
  return {
    id: 'P9m',
    what: `memory of \`pawl show\` of ${LARGE_COUNT} results of 5 MB`,
    measured: `${mb.toFixed(0)} MB`,
    target: `≤ ${MEMORY_TARGET_MB} MB`,
    met: mb <= MEMORY_TARGET_MB,
    json: { mb },
  };
}

function timeOf(...words: readonly string[]): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [PAWL, ...words], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`pawl ${words.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - begin;
}
