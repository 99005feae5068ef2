// P1, P2, P3 and PD: how much time and disk space the engine adds to the floor, per step.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type Engine } from '../src/api/engine.ts';
import type { CompiledWorkflow } from '../src/definition/code.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { Floor, type Synchronous, WAL_AUTOCHECKPOINT } from './floor.ts';
import { interleave, median, type Row } from './measure.ts';
import { branches, linear } from './workflows.ts';

/** The targets of a step: microseconds beyond the floor, and the ratio to the floor with `synchronous = NORMAL`. */
const OWN_US_TARGET = 110;
const NORMAL_TARGET = 6;
const WARM_UP = 6000;
const WARM_FILES = 4;

interface Cost {
  readonly ratio: number;
  readonly ownUs: number;
}

interface Bench {
  readonly dir: string;
  readonly engine: Engine;
  readonly floor: Floor;
  close(): Promise<void>;
}

async function openBench(synchronous: Synchronous): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
  const store = await openSqliteStore({ file: join(dir, 'pawl.db'), synchronous, walAutocheckpoint: WAL_AUTOCHECKPOINT });
  const engine = await createEngine({ store, drives: 'own' });
  const floor = new Floor(join(dir, 'floor.db'), synchronous);
  const close = async (): Promise<void> => {
    await engine.close();
    await store.close();
    floor.close();
    rmSync(dir, { recursive: true });
  };
  return { dir, engine, floor, close };
}

async function timeRun(engine: Engine, workflow: CompiledWorkflow): Promise<number> {
  const begin = performance.now();
  const run = await engine.start(workflow);
  await engine.run(run.id).waitOnly('settled');
  return performance.now() - begin;
}

function sizeOf(bench: Bench): number {
  const size = (file: string): number => statSync(join(bench.dir, file), { throwIfNoEntry: false })?.size ?? 0;
  return size('pawl.db') + size('pawl.db-wal');
}

/** P1 and P1n: one run of 100, 1,000 and 10,000 steps, each committed to disk. */
export async function measureSequential(synchronous: Synchronous, repeats: number): Promise<Row[]> {
  const bench = await openBench(synchronous);
  const sizes = [100, 1000, 10_000];
  const per: Cost[] = [];
  try {
    for (const steps of sizes) {
      const workflow = linear(steps);
      const turns = steps === 10_000 ? Math.max(3, Math.ceil(repeats / 2)) : repeats;
      // Warm up both sides: the compiled code, and the write-ahead log, which is slower while its file grows.
      for (let done = 0; done < WARM_UP; done += steps) {
        bench.floor.single(steps);
        await timeRun(bench.engine, workflow);
      }
      const { ratio, own } = await interleave(turns, {
        floor: () => bench.floor.single(steps),
        pawl: () => timeRun(bench.engine, workflow),
      });
      per.push({ ratio, ownUs: (own / steps) * 1000 });
    }
  } finally {
    await bench.close();
  }
  const [hundred, thousand, tenThousand] = per as [Cost, Cost, Cost];
  const json = { ...thousand, ratio100: hundred.ratio, ratio10000: tenThousand.ratio };
  const what = `one run of 100 / 1,000 / 10,000 steps, ${synchronous}`;
  const measured = `${per.map(({ ownUs }) => ownUs.toFixed(0)).join(' / ')} µs a step beyond the floor, ${per.map(({ ratio }) => `${ratio.toFixed(2)}×`).join(' / ')} floor`;
  if (synchronous === 'NORMAL')
    return [{ id: 'P1n', what, measured, target: `≤ ${NORMAL_TARGET}×`, met: per.every(({ ratio }) => ratio <= NORMAL_TARGET), json }];
  const growth = tenThousand.ratio / hundred.ratio;
  return [
    { id: 'P1', what, measured, target: `≤ ${OWN_US_TARGET} µs`, met: per.every(({ ownUs }) => ownUs <= OWN_US_TARGET), json },
    {
      id: 'P1g',
      what: 'cost of a step at 10,000 against 100',
      measured: `${growth.toFixed(2)}×`,
      target: '≤ 1.1×',
      met: growth <= 1.1,
      json: { ratio: growth },
    },
  ];
}

/** P1f: the same on new files, whose write-ahead logs still grow, as in the first runs of a project. */
export async function measureFresh(repeats: number): Promise<Row> {
  const steps = 1000;
  const workflow = linear(steps);
  const ratios: number[] = [];
  const owns: number[] = [];
  for (let n = 0; n < repeats + WARM_FILES; n += 1) {
    const bench = await openBench('FULL');
    const floor = bench.floor.single(steps);
    const pawl = await timeRun(bench.engine, workflow);
    await bench.close();
    if (n < WARM_FILES) continue;
    ratios.push(pawl / floor);
    owns.push(((pawl - floor) / steps) * 1000);
  }
  const ratio = median(ratios);
  const ownUs = median(owns);
  return {
    id: 'P1f',
    what: 'one run of 1,000 steps, FULL, on new files',
    measured: `${ownUs.toFixed(0)} µs a step beyond the floor, ${ratio.toFixed(2)}× floor`,
    target: `≤ ${OWN_US_TARGET} µs`,
    met: ownUs <= OWN_US_TARGET,
    json: { ratio, ownUs },
  };
}

/** P1d: bytes on disk per step, and whether the number grows with the run. */
export async function measureDisk(): Promise<Row> {
  const bytes: number[] = [];
  for (const steps of [1000, 10_000]) {
    const bench = await openBench('NORMAL');
    const before = sizeOf(bench);
    await timeRun(bench.engine, linear(steps));
    await bench.engine.close();
    await bench.engine.store.close();
    bytes.push((sizeOf(bench) - before) / steps);
    bench.floor.close();
    rmSync(bench.dir, { recursive: true });
  }
  const growth = (bytes[1] as number) / (bytes[0] as number);
  return {
    id: 'P1d',
    what: 'bytes on disk per step, the definition included, 1,000 / 10,000 steps',
    measured: bytes.map((n) => Math.round(n)).join(' / '),
    target: 'constant (≤ 1.1×)',
    met: growth <= 1.1,
    json: { ratio: growth, bytes: bytes[1] as number },
  };
}

/** P2: many concurrent runs. The target is five times the rate of the best peer. */
export async function measureConcurrent(repeats: number, peer: { readonly stepsPerSecond: number }): Promise<Row> {
  const bench = await openBench('FULL');
  const workflow = linear(10);
  const runs = 1000;
  const rate: Record<number, number> = {};
  const target = 5 * peer.stepsPerSecond;
  let at100 = { ratio: 0, ownUs: 0 };
  try {
    for (const concurrency of [1, 10, 100]) {
      const count = concurrency === 1 ? runs / 5 : runs;
      const { ratio, pawl, own } = await interleave(repeats, {
        floor: () => bench.floor.lanes(count * 10, concurrency),
        pawl: () => timeMany(bench.engine, workflow, { count, concurrency }),
      });
      rate[concurrency] = (count * 10) / (pawl / 1000);
      at100 = { ratio, ownUs: (own / (count * 10)) * 1000 };
    }
  } finally {
    await bench.close();
  }
  const rates = [1, 10, 100].map((concurrency) => Math.round(rate[concurrency] as number).toLocaleString('en')).join(' / ');
  return {
    id: 'P2',
    what: '1,000 runs × 10 steps at 1 / 10 / 100 at once',
    measured: `${rates} steps/s; ${at100.ratio.toFixed(1)}× the floor with group commit at 100`,
    target: `≥ ${target.toLocaleString('en')} steps/s at 100`,
    met: (rate[100] as number) >= target,
    json: { ...at100, stepsPerSecond: rate[100] as number },
  };
}

async function timeMany(
  engine: Engine,
  workflow: CompiledWorkflow,
  load: { readonly count: number; readonly concurrency: number },
): Promise<number> {
  const begin = performance.now();
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started < load.count) {
      started += 1;
      const run = await engine.start(workflow);
      await engine.run(run.id).waitOnly('settled');
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, lane));
  return performance.now() - begin;
}

/** P3: one run with 1,000 branches. The target is an eighth of the time of the best peer. */
export async function measureBranches(repeats: number, peer: { readonly branchesMs: number }): Promise<Row> {
  const bench = await openBench('FULL');
  const workflow = branches(1000);
  try {
    for (let n = 0; n < 20; n += 1) await timeRun(bench.engine, workflow);
    const target = peer.branchesMs / 8;
    const { ratio, pawl, floor, own } = await interleave(repeats, {
      floor: () => bench.floor.grouped(1000, 1000),
      pawl: () => timeRun(bench.engine, workflow),
    });
    return {
      id: 'P3',
      what: 'one run, 1,000 parallel branches, joined',
      measured: `${pawl.toFixed(0)} ms, ${ratio.toFixed(1)}× floor (${floor.toFixed(1)} ms)`,
      target: `≤ ${target.toFixed(0)} ms`,
      met: pawl <= target,
      json: { ratio, ownUs: own, ms: pawl },
    };
  } finally {
    await bench.close();
  }
}

/** PD: whether a step costs more in a larger definition. */
export async function measureDefinition(repeats: number): Promise<Row> {
  const bench = await openBench('NORMAL');
  try {
    const small = linear(100);
    const large = linear(5000);
    const costs: number[] = [];
    for (let n = 0; n <= repeats; n += 1) {
      const few = (await timeMany(bench.engine, small, { count: 50, concurrency: 1 })) / 5000;
      const many = (await timeRun(bench.engine, large)) / 5000;
      if (n > 0) costs.push(many / few);
    }
    const ratio = median(costs);
    return {
      id: 'PD',
      what: 'cost of a step in a definition of 5,000 against 100',
      measured: `${ratio.toFixed(2)}×`,
      target: '≤ 1.1×',
      met: ratio <= 1.1,
      json: { ratio },
    };
  } finally {
    await bench.close();
  }
}
