// P1, P1n, P2, P3 and the size of the definition: how much the engine costs over the bare loop.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type Engine } from '../src/api/engine.ts';
import type { CompiledWorkflow } from '../src/definition/code.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { Floor, type Synchronous, WAL_AUTOCHECKPOINT } from './floor.ts';
import { interleave, median, type Row } from './measure.ts';
import { branches, linear } from './workflows.ts';

const WARM_UP = 6000;
const WARM_FILES = 4;

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

/** P1: one run of N steps, each durable. */
export async function measureSequential(synchronous: Synchronous, repeats: number): Promise<Row[]> {
  const bench = await openBench(synchronous);
  const sizes = [100, 1000, 10_000];
  const per: Record<number, { ratio: number; us: number }> = {};
  try {
    for (const steps of sizes) {
      const workflow = linear(steps);
      const turns = steps === 10_000 ? Math.max(3, Math.ceil(repeats / 2)) : repeats;
      // Both sides are warmed up before they are timed: the code, and the write-ahead log, which is slower while it grows.
      for (let done = 0; done < WARM_UP; done += steps) {
        bench.floor.single(steps);
        await timeRun(bench.engine, workflow);
      }
      const { ratio, pawl } = await interleave(turns, {
        floor: () => bench.floor.single(steps),
        pawl: () => timeRun(bench.engine, workflow),
      });
      per[steps] = { ratio, us: (pawl / steps) * 1000 };
    }
  } finally {
    await bench.close();
  }
  const id = synchronous === 'FULL' ? 'P1' : 'P1n';
  const bar = synchronous === 'FULL' ? 1.3 : 5;
  const ratio = (per[1000] as { ratio: number }).ratio;
  const cells = sizes.map((steps) => `${(per[steps] as { ratio: number }).ratio.toFixed(2)}×`).join(' / ');
  const rows: Row[] = [
    {
      id,
      what: `one run of 100 / 1,000 / 10,000 steps, ${synchronous}`,
      measured: `${cells} floor`,
      bar: `≤ ${bar}×`,
      met: sizes.every((steps) => (per[steps] as { ratio: number }).ratio <= bar),
      json: { ratio, ratio100: per[100]?.ratio ?? 0, ratio10000: per[10_000]?.ratio ?? 0 },
    },
  ];
  if (synchronous === 'FULL') {
    const growth = (per[10_000] as { ratio: number }).ratio / (per[100] as { ratio: number }).ratio;
    rows.push({
      id: 'P1g',
      what: 'cost of a step at 10,000 against 100',
      measured: `${growth.toFixed(2)}×`,
      bar: '≤ 1.1×',
      met: growth <= 1.1,
      json: { ratio: growth },
    });
  }
  return rows;
}

/** P1f: the same on new files, whose write-ahead logs still grow: what the first runs of a project pay. */
export async function measureFresh(repeats: number): Promise<Row> {
  const steps = 1000;
  const workflow = linear(steps);
  const ratios: number[] = [];
  for (let n = 0; n < repeats + WARM_FILES; n += 1) {
    const bench = await openBench('FULL');
    const floor = bench.floor.single(steps);
    const pawl = await timeRun(bench.engine, workflow);
    await bench.close();
    if (n >= WARM_FILES) ratios.push(pawl / floor);
  }
  const ratio = median(ratios);
  return {
    id: 'P1f',
    what: 'one run of 1,000 steps, FULL, on new files',
    measured: `${ratio.toFixed(2)}× floor`,
    bar: '≤ 1.3×',
    met: ratio <= 1.3,
    json: { ratio },
  };
}

/** P1d: bytes on disk per step, and whether they grow. */
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
    bar: 'constant (≤ 1.1×)',
    met: growth <= 1.1,
    json: { ratio: growth, bytes: bytes[1] as number },
  };
}

/** P2: many runs at once. */
export async function measureConcurrent(repeats: number): Promise<Row[]> {
  const bench = await openBench('FULL');
  const workflow = linear(10);
  const runs = 1000;
  const rate: Record<number, number> = {};
  let share = 0;
  try {
    for (const concurrency of [1, 10, 100]) {
      const count = concurrency === 1 ? runs / 5 : runs;
      const { ratio, pawl } = await interleave(repeats, {
        floor: () => bench.floor.lanes(count * 10, concurrency),
        pawl: () => timeMany(bench.engine, workflow, { count, concurrency }),
      });
      rate[concurrency] = (count * 10) / (pawl / 1000);
      if (concurrency === 100) share = 1 / ratio;
    }
  } finally {
    await bench.close();
  }
  const rates = [1, 10, 100].map((concurrency) => Math.round(rate[concurrency] as number).toLocaleString('en')).join(' / ');
  return [
    {
      id: 'P2',
      what: '1,000 runs × 10 steps at 1 / 10 / 100 at once',
      measured: `${rates} steps/s; ${(share * 100).toFixed(0)} % of the floor with group commit at 100`,
      bar: '≥ 25 % at 100, ≥ 16,410 steps/s',
      met: share >= 0.25 && (rate[100] as number) >= 16_410,
      json: { ratio: share, stepsPerSecond: rate[100] as number },
    },
  ];
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

/** P3: one run, 1,000 branches, joined. */
export async function measureBranches(repeats: number): Promise<Row> {
  const bench = await openBench('FULL');
  const workflow = branches(1000);
  try {
    for (let n = 0; n < 20; n += 1) await timeRun(bench.engine, workflow);
    const { ratio, pawl, floor } = await interleave(repeats, {
      floor: () => bench.floor.grouped(1000, 1000),
      pawl: () => timeRun(bench.engine, workflow),
    });
    return {
      id: 'P3',
      what: 'one run, 1,000 parallel branches, joined',
      measured: `${pawl.toFixed(0)} ms, ${ratio.toFixed(1)}× floor (${floor.toFixed(1)} ms)`,
      bar: '≤ 10×',
      met: ratio <= 10,
      json: { ratio, ms: pawl },
    };
  } finally {
    await bench.close();
  }
}

/** PD: the cost of a step does not grow with the size of the definition. */
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
      bar: '≤ 1.1×',
      met: ratio <= 1.1,
      json: { ratio },
    };
  } finally {
    await bench.close();
  }
}
