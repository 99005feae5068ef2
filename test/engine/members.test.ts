// Members of different groups may have the same id: each has its own arguments, title and questions.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { readStepDetail } from '../../src/control/step-detail.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { arg, defineWorkflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const look = (title: string, choices: readonly string[]) => ({
  id: 'look',
  title,
  agent: 'dev',
  prompt: 'Look.',
  args: { found: arg({ choices }) },
});

const twice = defineWorkflow({
  name: 'twice',
  steps: [
    { id: 'one', parallel: { branches: [look('The first look', ['left'])], join: 'all' }, next: 'two' },
    { id: 'two', parallel: { branches: [look('The second look', ['right'])], join: 'all' }, next: 'ask' },
    { id: 'ask', parallel: { branches: [{ id: 'look', human: { prompt: 'Go?' } }], join: 'all' }, next: 'last' },
    { id: 'last', signal: 'go', next: null },
  ],
});

test('each member has its own arguments, title, definition and decision', async () => {
  const engine = await rig.open();
  const run = await engine.start(twice, {}, { facts: { $attended: true } });
  for (const [wrong, right] of [
    ['right', 'left'],
    ['left', 'right'],
  ] as const) {
    await run.wait('idle');
    const [openStep] = await run.openSteps();
    const report = (found: string) => run.report({ token: openStep?.token ?? '', result: { found } });
    await expect(report(wrong)).rejects.toMatchObject({ code: 'REPORT_INVALID' });
    expect(await report(right)).toMatchObject({ accepted: true });
  }
  await run.wait('idle');
  const store = await openSqliteStore({ file: rig.db });
  const details = await Promise.all(['one/look', 'two/look'].map((name) => readStepDetail(store, run.id, name)));
  await store.close();
  expect(details.map(({ title }) => title)).toEqual(['The first look', 'The second look']);
  expect(details.map(({ definition }) => definition)).toMatchObject([{ title: 'The first look' }, { title: 'The second look' }]);
  await run.decide({ option: 'approve', actor: 'ann' });
  await run.wait('idle');
  await expect(run.decide({ option: 'approve', actor: 'bob', approval: 'ask#1/look' })).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
});
