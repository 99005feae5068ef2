import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { createRig, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const ask = defineWorkflow({ name: 'ask', steps: [{ id: 'ask', human: { prompt: 'Publish?' }, next: null }] });

/** What a program of a step brings about that opens the database itself and decides. */
const decidedInside = (run: string, inside: string): Promise<string> => decidedBy(run, { PAWL_RUN: inside });

/** The same for a program with variables. */
async function decidedBy(run: string, env: Readonly<Record<string, string>>): Promise<string> {
  const other = rig.other(`
    Object.assign(process.env, ${JSON.stringify(env)});
    const ask = defineWorkflow({ name: 'ask', steps: [{ id: 'ask', human: { prompt: 'Publish?' }, next: null }] });
    const engine = await createEngine({ db, workflows: [ask], drives: 'own' });
    say(await engine.run('${run}').decide({ option: 'approve', actor: 'ann' }).then(({ status }) => status, ({ code }) => code));
    await engine.close();`);
  const said = await other.said();
  await other.ended;
  return said;
}

test('a program that a step started cannot decide in the store of its run', async () => {
  const engine = await rig.open({ workflows: [ask] });
  const [waiting, working] = [await engine.start(ask), await engine.start(ask)];
  for (const run of [waiting, working]) await run.wait('idle');
  await engine.close();
  expect(await decidedInside(waiting.id, working.id)).toBe('NOT_ALLOWED');
  // A test suite that a gate runs has stores of its own.
  expect(await decidedInside(waiting.id, 'aaaaaaaaaaaaaaaa')).toBe('completed');
});

test('a decision does not list runs, so it takes as long beside thousands of parked ones', async () => {
  const store = await openSpiedStore(rig.db);
  const engine = await createEngine({ store, workflows: [ask] });
  const run = await engine.start(ask);
  await run.wait('idle');
  store.calls.length = 0;
  await run.decide({ option: 'approve', actor: 'ann' });
  expect(store.calls.filter((call) => call === 'list')).toEqual([]);
  await engine.close();
  await store.close();
});

test('a program that an agent started cannot decide in the user’s database, but in one that it created itself', async () => {
  const engine = await rig.open({ workflows: [ask] });
  const [free, kept] = [await engine.start(ask), await engine.start(ask)];
  for (const run of [free, kept]) await run.wait('idle');
  expect(await decidedBy(free.id, { CLAUDECODE: '1' })).toBe('completed');
  await engine.store.bind('00000000-0000-4000-8000-000000000000');
  await engine.close();
  for (const env of [{ CLAUDECODE: '1' }, { PAWL_RUN: 'aaaaaaaaaaaaaaaa' }]) expect(await decidedBy(kept.id, env)).toBe('NOT_ALLOWED');
});
