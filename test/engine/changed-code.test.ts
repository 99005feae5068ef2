import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow, step, workflow } from './library.ts';
import { createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const QUESTION = { prompt: 'Go on?', options: [{ label: 'yes', nextStep: 'second' }] };

/** Two questions, and a task whose code is what changes. */
function createAsking(handler: () => object) {
  return defineWorkflow({
    name: 'asking',
    steps: [
      { id: 'first', human: QUESTION },
      { id: 'second', human: { prompt: 'And now?', options: [{ label: 'yes', nextStep: 'work' }] } },
      { id: 'work', handler, next: null },
    ],
  });
}

/** A run that waits at its first question, begun by an engine that is gone. */
async function createWaiting(): Promise<string> {
  const engine = await rig.open({ workflows: [createAsking(() => ({ version: 1 }))] });
  const run = await engine.start('asking');
  await run.wait('idle');
  await engine.close();
  return run.id;
}

describe('a run whose functions have changed', () => {
  test('a run whose functions have changed accepts no decision, and none is left in its inbox', async () => {
    const run = await createWaiting();
    const later = await rig.open({ workflows: [createAsking(() => ({ version: 2 }))] });
    expect((await errorOf(later.run(run).decide({ option: 'yes', actor: 'ann' }))).code).toBe('DEFINITION_CHANGED');
    expect(await later.store.inbox(run, 0)).toEqual([]);
  });

  test('a run whose functions have changed continues with the new functions once that was accepted, for every later command and engine', async () => {
    const run = await createWaiting();
    const changed = createAsking(() => ({ version: 2 }));
    const later = await rig.open({ workflows: [changed] });
    await later.run(run).resume({ actor: 'ann', acceptChanges: true });
    await later.run(run).wait('idle');
    await later.run(run).decide({ option: 'yes', actor: 'ann' });
    await later.run(run).wait('idle');
    await later.close();
    const latest = await rig.open({ workflows: [changed] });
    await latest.run(run).decide({ option: 'yes', actor: 'bob' });
    expect((await latest.run(run).wait()).output).toEqual({ version: 2 });
    expect((await latest.store.check()).problems).toEqual([]);
  });

  test.each([
    ['has changed', [createAsking(() => ({ version: 2 }))]],
    ['is gone', []],
  ])('a run whose functions have changed can be cancelled although its code %s', async (_, workflows) => {
    const run = await createWaiting();
    const later = await rig.open({ workflows });
    expect((await later.run(run).cancel({ actor: 'ann' })).status).toBe('cancelled');
    expect((await later.store.check()).problems).toEqual([]);
  });

  test('a run whose functions have changed can be cancelled although its flow is not deterministic any more', async () => {
    const createFlow = (name: string) =>
      workflow('flow', { version: '1' }, function* () {
        yield* step(name).task(() => 1);
        yield* step('wait').signal('go');
      });
    const engine = await rig.open({ workflows: [createFlow('before')] });
    const run = await engine.start('flow');
    await run.wait('idle');
    await engine.close();
    const later = await rig.open({ workflows: [createFlow('after')] });
    expect((await errorOf(later.run(run.id).resume())).code).toBe('NONDETERMINISM');
    expect((await later.run(run.id).cancel({ actor: 'ann' })).status).toBe('cancelled');
  });
});
