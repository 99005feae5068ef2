// Large results and long histories: what is stored comes back unchanged, and looking at the list stays fast.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { arg, createEngine, defineWorkflow, type Engine, step, workflow } from '../../src/index.ts';

const MB = 1024 * 1024;
const LIST_MS_MAX = 100;

async function open(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-large-'));
  const engine = await createEngine({ db: join(folder, 'pawl.db'), synchronous: 'NORMAL' });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  return engine;
}

/** The shortest of several times, so that a busy machine fails no test. */
async function listMs(engine: Engine): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const begin = performance.now();
    await engine.store.list({ limit: 50 });
    times.push(performance.now() - begin);
  }
  return Math.min(...times);
}

test('a result of 200 MB reaches the next step unchanged, and the list of runs stays fast', async () => {
  const engine = await open();
  const large = workflow('large', function* () {
    const text = yield* step('make').task(() => 'x'.repeat(200 * MB));
    return yield* step('measure').task((given: string) => given.length, text);
  });
  const run = await engine.start(large);
  expect((await run.wait()).output).toBe(200 * MB);
  expect(await listMs(engine)).toBeLessThan(LIST_MS_MAX);
});

test('after 100,000 events in runs of 10,000 steps the list of runs stays fast', async () => {
  const engine = await open();
  const wide = defineWorkflow({
    name: 'wide',
    params: { list: arg({ default: Array.from({ length: 10_000 }, (_, n) => n) }) },
    steps: {
      all: { each: { items: 'params.list', step: { handler: ({ item }) => item } }, next: 'end' },
      end: { handler: () => 'end', next: null },
    },
  });
  let events = 0;
  while (events < 100_000) {
    const run = await engine.start(wide);
    await engine.run(run.id).waitOnly('settled');
    events += (await engine.store.events(run.id, 0)).reduce((sum, row) => sum + row.events.length, 0);
  }
  expect(await listMs(engine)).toBeLessThan(LIST_MS_MAX);
});
