// An answer that differs from what was assumed runs again only what rested on it: members of groups, and steps of flows.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { all, type Engine, type EngineOptions, type RunHandle, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
/** What the agents were asked, and what they do by step. */
let asked: AgentRequest[];
let moves: Record<string, (request: AgentRequest) => readonly ScriptedMove[]>;
beforeEach(() => {
  rig = createRig();
  asked = [];
  moves = {};
});
afterEach(() => rig.close());

const DATABASE = { question: 'Which database?', assumed: 'SQLite', severity: 'MUST' } as const;
const assuming = (...assumptions: readonly object[]): readonly ScriptedMove[] => [
  { do: 'answer', output: { done: true }, assumptions: assumptions as never },
];

function open(options: EngineOptions = {}): Promise<Engine> {
  const driver = createScriptedDriver((request) => {
    asked.push(request);
    return moves[request.step]?.(request) ?? [];
  });
  return rig.open({ roles: { dev: { driver: 'scripted' } }, drivers: { scripted: driver }, ...options });
}

const pathsOf = async (run: RunHandle): Promise<string[]> =>
  (await run.get()).steps.map(({ path, attempt, outcome, status }) => `${path}/${attempt} ${outcome ?? status}`);
const toldTo = (name: string): string => asked.findLast((one) => one.step === name)?.prompt ?? '';

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

  test('only the member that assumed it runs again, then what came after the group', async () => {
    moves.left = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : [{ do: 'answer', output: { db: 'Postgres' } }]);
    const run = await (await open()).start(group);
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
    const engine = await open();
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
    const [left, right] = await run.handouts();
    await run.assume({ token: left?.token ?? '', assumptions: [DATABASE] });
    await run.report({ token: left?.token ?? '', result: {} });
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await run.wait('idle');
    const open2 = await run.handouts();
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
    moves.plan = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : []);
    const engine = await open({ workflows: [flow] });
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
    expect(toldTo('left')).toContain('Postgres');
    await engine.close();
    const second = (await open({ workflows: [flow] })).run(run.id);
    await second.decide({ option: 'approve', actor: 'ann' });
    const end = await second.wait();
    expect([end.status, end.output]).toEqual(['completed', 2]);
  });

  test('a restart while the step runs again goes on there', async () => {
    let hold: (() => void) | undefined;
    moves.plan = ({ attempt }) => {
      if (attempt === 1) return assuming(DATABASE);
      hold?.();
      return [{ do: 'hang' }];
    };
    const engine = await open({ workflows: [flow] });
    const run = await engine.start(flow);
    await run.wait('idle');
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await held;
    await engine.close({ abort: true });
    moves = {};
    const second = (await open({ workflows: [flow] })).run(run.id);
    await second.resume();
    await second.wait('idle');
    await second.resume({ actor: 'ann', choice: { how: 'rerun' } });
    await second.wait('idle');
    await second.decide({ option: 'approve', actor: 'ann' });
    expect((await second.wait()).status).toBe('completed');
  });

  test('only the member of a group that assumed it runs again', async () => {
    moves.left = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : []);
    const run = await (await open({ workflows: [flow] })).start(flow);
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
