import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const ask = defineWorkflow({ name: 'ask', steps: [{ id: 'ask', human: { prompt: 'Publish?' }, next: null }] });

/** What a program of a step brings about that opens the database itself and decides. */
async function decidedInside(run: string, inside: string): Promise<string> {
  const other = rig.other(`
    process.env.PAWL_RUN = ${JSON.stringify(inside)};
    const ask = defineWorkflow({ name: 'ask', steps: [{ id: 'ask', human: { prompt: 'Publish?' }, next: null }] });
    const engine = await createEngine({ db, workflows: [ask], drives: 'own' });
    say(await engine.run('${run}').decide({ option: 'approve', actor: 'ann' }).then(({ status }) => status, ({ code }) => code));
    await engine.close();`);
  const said = await other.said();
  await other.ended;
  return said;
}

test('a program that a step has started decides about no run of the store that its run is in', async () => {
  const engine = await rig.open({ workflows: [ask] });
  const [waiting, working] = [await engine.start(ask), await engine.start(ask)];
  for (const run of [waiting, working]) await run.wait('idle');
  await engine.close();
  expect(await decidedInside(waiting.id, working.id)).toBe('NOT_ALLOWED');
  // A test suite that a gate runs has stores of its own.
  expect(await decidedInside(waiting.id, 'aaaaaaaaaaaaaaaa')).toBe('completed');
});
