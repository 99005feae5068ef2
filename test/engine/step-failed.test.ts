// What a flow learns from the error of a step that failed: why, and what the engine observed, live and after a replay.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { all, defineStepKind, defineWorkflow, type FlowBatch, type FlowCall, race, StepFailed, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

type Body = () => FlowCall<unknown> | FlowBatch<unknown>;

const kid = defineWorkflow({ name: 'kid', steps: { work: { command: 'exit 4', next: { ok: null, error: 'fail' } } } });
const own = defineStepKind({
  kind: 'deploy',
  outcomes: ['busy'],
  parse: (told: string) => told,
  run: ({ config }) => ({ outcome: 'busy', output: { error: config } }),
});

/** What the error said: live, and in a second engine that replays the flow. */
async function told(body: Body, decision?: { readonly option: string; readonly input: string }): Promise<object> {
  const seen: object[] = [];
  const flow = workflow('told', { children: [kid] }, function* () {
    try {
      yield* body();
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      const { message, evidence, outcome } = error;
      seen.push({ message, evidence, outcome });
    }
    yield* step('go').signal('go');
  });
  const options = { workflows: [flow, kid], stages: { unit: 'echo broken >&2; exit 3' } };
  const first = await rig.open(options);
  const run = await first.start(flow);
  await run.wait('idle');
  if (decision !== undefined) {
    await run.decide({ ...decision, actor: 'ann' });
    await run.wait('idle');
  }
  await first.close();
  const second = await rig.open(options);
  await second.run(run.id).signal('go');
  expect((await second.run(run.id).wait()).status).toBe('completed');
  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual(seen[0]);
  return seen[0] as object;
}

const failedCheck = { check: 'command', name: 'exit 3', passed: false, error: 'it exited with 3' };
const passedCheck = { check: 'command', name: 'true', passed: true };

test.each<[string, Body, object]>([
  [
    'gate: its checks',
    () => step('g').gate({ checks: ['exit 3', 'true'] }),
    { outcome: 'fail', message: 'gate "g" failed: exit 3: it exited with 3', evidence: { checks: [failedCheck, passedCheck] } },
  ],
  [
    'gate that could not be decided: its checks',
    () => step('g').gate({ checks: ['true', { check: 'nope' as 'command', run: '' }] }),
    {
      outcome: 'error',
      message: 'gate "g" could not be decided: nope: there is no check "nope"',
      evidence: { checks: [passedCheck, { check: 'nope', name: 'nope', passed: null, error: 'there is no check "nope"' }] },
    },
  ],
  [
    'validation: its stages',
    () => step('v').validate({ stages: ['unit'], retry: 0 }),
    {
      outcome: 'fail',
      message: 'validation "v" failed after 1 try: unit exited with 3: broken',
      evidence: { stages: [{ name: 'unit', passed: false, exitCode: 3, stderr: 'broken', error: 'it exited with 3: broken' }] },
    },
  ],
  [
    'program: how it ended',
    () => step('c').command('echo broken >&2; exit 3'),
    {
      outcome: 'error',
      message: 'the command of step "c" exited with 3: broken',
      evidence: { process: expect.objectContaining({ exitCode: 3 }) },
    },
  ],
  [
    'precondition: which one',
    () => step('p').command({ run: 'true', preconditions: [{ name: 'ready', check: 'false', error: 'not ready' }] }),
    {
      outcome: 'error',
      message: 'not ready (precondition "ready" of step "p")',
      evidence: { preconditions: [{ name: 'ready', passed: false, error: 'not ready' }] },
    },
  ],
  [
    'step that ran out of time: the limit',
    () => step('t').command({ run: 'exec tail -f /dev/null', timeout: '50ms' }),
    { outcome: 'timeout', message: 'step "t" timed out: attempt 1 took longer than 50 ms', evidence: null },
  ],
  ['kind of the application: what it reports', () => step('k').use(own, 'taken'), { outcome: 'busy', message: 'taken', evidence: null }],
  [
    'child run: why it failed',
    () => step('w').workflow(kid),
    { outcome: 'error', message: expect.stringMatching(/^the child run \S+ ended failed: the command of step "work" exited with 4$/) },
  ],
  [
    'group: each of its steps that failed',
    () => all([step('a').command('exit 3'), step('b').gate({ checks: ['exit 3'] }), step('c').task(() => 1)]),
    {
      outcome: 'fail',
      message: '2 of 3 did not succeed: a (error: the command of step "a" exited with 3); b (fail: exit 3: it exited with 3)',
      evidence: {
        members: {
          a: { outcome: 'error', error: 'the command of step "a" exited with 3' },
          b: { outcome: 'fail', error: 'exit 3: it exited with 3' },
        },
      },
    },
  ],
  [
    'race without a winner: each of its steps',
    () => race([step('a').command('exit 3'), step('b').use(own, 'taken')]),
    {
      message: expect.stringContaining('2 of 2 did not succeed'),
      evidence: { members: { a: expect.objectContaining({ outcome: 'error' }), b: { outcome: 'busy', error: 'taken' } } },
    },
  ],
  [
    'fan-out: each item that failed',
    () => step('e').each(['p', 'q'], (item) => step('one').command(['sh', '-c', item === 'p' ? 'true' : 'exit 3'])),
    {
      outcome: 'fail',
      message: '1 of 2 did not succeed: q (error: the command of step "q" exited with 3)',
      evidence: { members: { q: { outcome: 'error', error: 'the command of step "q" exited with 3' } } },
    },
  ],
])('%s', async (_what, body, expected) => {
  expect(await told(body)).toMatchObject(expected);
});

test('the evidence of a rejection says who rejected, and what they wrote', async () => {
  expect(await told(() => step('ask').human({ prompt: 'Ship it?' }), { option: 'reject', input: 'too slow' })).toEqual({
    outcome: 'reject',
    message: 'ann decided "reject" at step "ask": too slow',
    evidence: null,
  });
});

test('an uncaught failure of a gate is the error of the run', async () => {
  const flow = workflow('flow', function* () {
    yield* step('g').gate({ checks: ['exit 3'] });
  });
  const { error, stepResults } = await flow.run();
  expect([error, stepResults[0]?.error]).toEqual(Array(2).fill('gate "g" failed: exit 3: it exited with 3'));
});
