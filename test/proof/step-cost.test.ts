// The cost of a step does not depend on the length of its workflow.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linear } from '../../bench/workflows.ts';
import { createEngine } from '../../src/api/engine.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { cpuTimeMs } from '../cpu-time.ts';
import { tempFolder } from '../temp-folder.ts';

const SHORT = 200;
const LONG = 10_000;

test('a step of a workflow with 10,000 steps costs what one of 200 costs', async () => {
  const store = await openSqliteStore({ file: join(tempFolder(), 'pawl.db'), synchronous: 'NORMAL' });
  const engine = await createEngine({ store, drives: 'own' });
  onTestFinished(async () => {
    await engine.close();
    await store.close();
  });
  const costOf = async (steps: number): Promise<number> => {
    const run = await engine.start(linear(steps));
    const begin = cpuTimeMs();
    await engine.run(run.id).waitOnly('settled');
    return (cpuTimeMs() - begin) / steps;
  };
  for (let warmUp = 0; warmUp < LONG; warmUp += SHORT) await costOf(SHORT);
  const short: number[] = [];
  for (let turn = 0; turn < LONG; turn += SHORT) short.push(await costOf(SHORT));
  const long = [await costOf(LONG), await costOf(LONG)];
  const median = short.sort((a, b) => a - b)[short.length / 2] as number;
  expect(Math.min(...long) / median).toBeLessThan(1.6);
});
