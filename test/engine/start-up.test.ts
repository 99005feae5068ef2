// An engine with `drives: 'all'` takes up what was lost when it starts, without being asked and without polling.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { defineWorkflow, step, workflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const CODE = `
  const lost = workflow('lost', function* () {
    yield* step('a').task({ action: () => 'a', recovery: 'rerun' });
    return yield* step('b').task({ action: BODY, recovery: 'rerun' });
  });`;

const lost = workflow('lost', function* () {
  yield* step('a').task({ action: () => 'a', recovery: 'rerun' });
  return yield* step('b').task({ action: () => 'b', recovery: 'rerun' });
});

/** A run that another process drove until it was killed. */
async function killed(): Promise<string> {
  const other = rig.other(`${CODE.replace('BODY', '() => { say("working"); return new Promise(() => setInterval(() => {}, 1000)); }')}
    const engine = await createEngine({ db, workflows: [lost] });
    say((await engine.start(lost)).id);
    await new Promise(() => setInterval(() => {}, 1000));`);
  const [first, second] = [await other.said(), await other.said()];
  await other.kill();
  return first === 'working' ? second : first;
}

test('a run whose process was killed is driven on by the next engine that starts', async () => {
  const id = await killed();
  // Its functions were written in another process; what they are is not what this is about.
  const store = await openSpiedStore(rig.db);
  const same = { ...store, load: async (run: string) => ({ ...(await store.load(run)), codeHash: lost.compiled.codeHash }) };
  const claim: typeof store.claim = async (run, me) => {
    const claimed = await store.claim(run, me);
    return claimed.claimed ? { ...claimed, codeHash: lost.compiled.codeHash } : claimed;
  };
  const engine = await rig.open({ store: { ...same, claim }, workflows: [lost] });
  expect((await engine.run(id).wait()).output).toBe('b');
  await engine.close();
  await store.close();
});

test('a due time that passed while no engine ran is handled by the next engine that starts', async () => {
  const clock = createVirtualClock();
  const sleeper = defineWorkflow({
    name: 'sleeper',
    steps: [
      { id: 'sleep', delay: '1h', next: 'wake' },
      { id: 'wake', handler: () => 'awake', next: null },
    ],
  });
  const first = await rig.open({ clock, workflows: [sleeper] });
  const run = await first.start(sleeper);
  await run.wait('idle');
  await first.close();
  clock.advance(2 * 3_600_000);
  const second = await rig.open({ clock, workflows: [sleeper] });
  expect((await second.run(run.id).wait()).output).toBe('awake');
});

test('a run with an unknown workflow is left alone, without a warning', async () => {
  const clock = createVirtualClock();
  const late = defineWorkflow({ name: 'late', steps: [{ id: 'wait', delay: '10s', next: null }] });
  const first = await rig.open({ clock, workflows: [late] });
  const { id } = await (await first.start(late)).wait('idle');
  await first.close();
  clock.advance(11_000);
  const store = await openSpiedStore(rig.db);
  const stranger = await rig.open({ clock, store });
  expect(await stranger.recover()).toEqual([]);
  expect([rig.warnings, store.calls.includes('claim'), (await stranger.run(id).get()).status]).toEqual([[], false, 'waiting']);
  await stranger.close();
  await store.close();
});

test("an engine with `drives: 'own'` takes up nothing that it is not asked for", async () => {
  const store = await openSpiedStore(rig.db);
  const engine = await rig.open({ store, drives: 'own' });
  await engine.list();
  expect(store.calls).toEqual(['watch', 'list']);
  await engine.close();
  await store.close();
});

test('an engine that is closed while it looks for lost runs ends quietly', async () => {
  const engine = await rig.open();
  await engine.close();
  expect(rig.warnings).toEqual([]);
});
