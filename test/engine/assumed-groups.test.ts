// An answer that differs from what was assumed runs again only what rested on it: members of groups, and steps of flows.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { all, step, workflow } from '../../src/index.ts';
import { AssumingAgents, assuming, DATABASE, pathsOf } from './assuming-agents.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let agents: AssumingAgents;
beforeEach(() => {
  rig = createRig();
  agents = new AssumingAgents();
});
afterEach(() => rig.close());

describe('in a group', () => {
  const group = defineWorkflow({
    name: 'group',
    steps: [
      {
        id: 'fan',
        parallel: {
          join: 'all',
          branches: [
            { id: 'left', agent: 'dev', prompt: 'Left.' },
            { id: 'right', agent: 'dev', prompt: 'Right.' },
          ],
        },
        next: 'sum',
      },
      { id: 'sum', handler: (ctx) => ({ total: Object.keys(ctx.results.fan?.output as object) }), next: 'ask' },
      { id: 'ask', human: { prompt: 'Good?', context: ['total'] }, next: null },
    ],
  });

  test('after a different answer only the member of the group that assumed it runs again, then what came after the group', async () => {
    agents.moves.left = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : [{ do: 'answer', output: { db: 'Postgres' } }]);
    const run = await (await agents.open(rig)).start(group);
    await run.wait('idle');
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await run.wait('idle');
    expect((await pathsOf(run)).filter((path) => path.startsWith('fan'))).toEqual([
      expect.stringMatching(/^fan#1\/(left|right)\/1 ok$/),
      expect.stringMatching(/^fan#1\/(left|right)\/1 ok$/),
      'fan#1/1 ok',
      'fan#1/left/2 ok',
      'fan#1/2 ok',
    ]);
    const { steps } = await run.get();
    expect(steps.findLast(({ path }) => path === 'fan#1')?.output).toEqual({ left: { db: 'Postgres' }, right: null });
    expect((await pathsOf(run)).at(-1)).toBe('ask#2/1 waiting');
  });

  test('a member runs again while the others are at work', async () => {
    const engine = await agents.open(rig);
    const attended = defineWorkflow({
      name: 'attended',
      steps: [
        {
          id: 'fan',
          parallel: {
            join: 'all',
            branches: [
              { id: 'left', agent: 'someone', prompt: 'Left.' },
              { id: 'right', agent: 'someone', prompt: 'Right.' },
            ],
          },
          next: null,
        },
      ],
    });
    const run = await engine.start(attended, {}, { facts: { $attended: true } });
    await run.wait('idle');
    const [left, right] = await run.openSteps();
    await run.assume({ token: left?.token ?? '', assumptions: [DATABASE] });
    await run.report({ token: left?.token ?? '', result: {} });
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await run.wait('idle');
    const open2 = await run.openSteps();
    expect(open2.map(({ path, attempt }) => `${path}/${attempt}`).sort()).toEqual(['fan#1/left/2', 'fan#1/right/1']);
    expect(open2.some(({ token }) => token === right?.token)).toBe(true);
    for (const { token } of open2) await run.report({ token, result: {} });
    expect((await run.wait()).status).toBe('completed');
  });
});

describe('in a flow', () => {
  const flow = workflow('flow', function* () {
    yield* step('look').task(() => 'seen');
    yield* step('plan').agent({ agent: 'dev', prompt: 'Plan it.' });
    const both = yield* all([
      step('left').agent({ agent: 'dev', prompt: 'Left.' }),
      step('right').agent({ agent: 'dev', prompt: 'Right.' }),
    ]);
    yield* step('ask').human({ prompt: 'Good?' });
    return both.length;
  });

  test('the step and what came after it run again, also after a restart', async () => {
    agents.moves.plan = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : []);
    const engine = await agents.open(rig, { workflows: [flow] });
    const run = await engine.start(flow);
    await run.wait('idle');
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await run.wait('idle');
    expect((await pathsOf(run)).filter((path) => !path.includes('/left') && !path.includes('/right'))).toEqual([
      'look#1/1 ok',
      'plan#1/1 ok',
      expect.stringMatching(/#1\/1 ok$/),
      'ask#1/1 cancelled',
      'plan#1/2 ok',
      expect.stringMatching(/#2\/1 ok$/),
      'ask#2/1 waiting',
    ]);
    expect(agents.toldTo('left')).toContain('Postgres');
    await engine.close();
    const second = (await agents.open(rig, { workflows: [flow] })).run(run.id);
    await second.decide({ option: 'approve', actor: 'ann' });
    const end = await second.wait();
    expect([end.status, end.output]).toEqual(['completed', 2]);
  });

  test('a restart while the step runs again goes on there', async () => {
    let hold: (() => void) | undefined;
    agents.moves.plan = ({ attempt }) => {
      if (attempt === 1) return assuming(DATABASE);
      hold?.();
      return [{ do: 'hang' }];
    };
    const engine = await agents.open(rig, { workflows: [flow] });
    const run = await engine.start(flow);
    await run.wait('idle');
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await held;
    await engine.close({ abort: true });
    agents.moves = {};
    const second = (await agents.open(rig, { workflows: [flow] })).run(run.id);
    await second.resume();
    await second.wait('idle');
    await second.resume({ actor: 'ann', choice: { how: 'rerun' } });
    await second.wait('idle');
    await second.decide({ option: 'approve', actor: 'ann' });
    expect((await second.wait()).status).toBe('completed');
  });

  test('in a flow, only the member of a group that made the assumption runs again', async () => {
    agents.moves.left = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : []);
    const run = await (await agents.open(rig, { workflows: [flow] })).start(flow);
    await run.wait('idle');
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await run.wait('idle');
    const again = (await pathsOf(run)).filter((path) => path.includes('/left/') || path.includes('/right/'));
    expect(again.filter((path) => path.includes('/left/'))).toHaveLength(2);
    expect(again.filter((path) => path.includes('/right/'))).toHaveLength(1);
    await run.decide({ option: 'approve', actor: 'ann' });
    expect((await run.wait()).output).toBe(2);
  });
});
