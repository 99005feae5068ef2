// The record of steps that `defineWorkflow` takes gives the same definition as the list that it stands for.

import { describe, expect, test } from 'vitest';
import { arg } from '../../definition/param/arg.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { OutputSchema } from '../spec/step.ts';
import { compileGraph, compileWorkflow } from './graph.ts';

const problemsOf = (spec: object): string => {
  try {
    compileWorkflow(spec as never, REGISTRY);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

test('a schedule whose parameters its workflow does not take, or lacks, is refused', () => {
  const params = { scope: arg({ type: 'string', required: true }) };
  const withTrigger = (trigger: object) => problemsOf({ name: 'w', params, trigger, steps: { a: { command: 'x', next: null } } });
  expect(withTrigger({ schedule: '@daily', params: { scope: 'all' } })).toBe('none');
  expect(withTrigger({ schedule: '@daily', params: { scope: 'all', scop: 'x' } })).toContain(
    'workflow "w", trigger.params: the parameters of the schedule are not valid: "scop"',
  );
  expect(withTrigger({ schedule: '@daily' })).toContain('"scope"');
});

describe('steps by id', () => {
  test('give the definition of the same steps as a list, in the order written', () => {
    const record = compileWorkflow(
      {
        name: 'w',
        steps: {
          fan: { parallel: { branches: { b: { command: 'b' }, a: { command: 'a' } }, join: 'any' }, next: 'ask' },
          ask: {
            human: {
              prompt: 'p',
              options: [
                { label: 'go', nextStep: 'end' },
                { label: 'stop', nextStep: 'reject' },
              ],
            },
          },
          end: { each: { items: 'areas', step: { command: 'x' } }, next: null },
        },
      },
      REGISTRY,
    );
    const list = compileGraph(
      {
        name: 'w',
        steps: [
          {
            id: 'fan',
            parallel: {
              branches: [
                { id: 'b', command: 'b' },
                { id: 'a', command: 'a' },
              ],
              join: 'any',
            },
            next: 'ask',
          },
          {
            id: 'ask',
            human: {
              prompt: 'p',
              options: [
                { label: 'go', nextStep: 'end' },
                { label: 'stop', nextStep: null },
              ],
            },
          },
          { id: 'end', each: { items: 'areas', step: { command: 'x' } }, next: null },
        ],
      },
      REGISTRY,
    );
    expect(record.definition).toEqual(list.definition);
    expect(record.hash).toBe(list.hash);
  });

  test('a list of branches is refused, as a list of steps is', () => {
    const spec = { name: 'w', steps: { fan: { parallel: { branches: [{ id: 'b', command: 'b' }] }, next: null } } } as never;
    expect(() => compileWorkflow(spec, REGISTRY)).toThrow(
      '`branches` must be an object with a key per branch, not a list; write branches: { lint: { … } }',
    );
  });

  test('an option whose label is a key of next settles with it', () => {
    const { definition } = compileWorkflow(
      {
        name: 'w',
        steps: {
          ask: { human: { prompt: 'p', options: [{ label: 'publish' }, { label: 'rework' }] }, next: { publish: 'sure', rework: 'ask' } },
          sure: { human: { prompt: 'p' }, next: { approve: null, reject: 'ask' } },
        },
      },
      REGISTRY,
    );
    const outcomes = definition.steps.map(({ question }) => question?.options.map(({ label, outcome }) => `${label}: ${outcome}`));
    expect(outcomes).toEqual([
      ['publish: publish', 'rework: rework'],
      ['approve: approve', 'reject: reject'],
    ]);
  });

  test('a schema is one more postcondition', async () => {
    const schema: OutputSchema<number> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => (value === 1 ? { value } : { issues: [{ message: 'it is not 1' }] }),
      },
    };
    const { definition, code } = compileWorkflow({ name: 'w', steps: { a: { handler: () => 1, output: schema, next: null } } }, REGISTRY);
    expect(definition.steps[0]?.postconditions).toEqual([{ name: 'output', error: 'the output does not match the schema' }]);
    const check = code.get('a')?.postconditions[0] as (ctx: { result: unknown }) => Promise<boolean>;
    expect([await check({ result: 1 }), await check({ result: 2 })]).toEqual([true, false]);
  });

  test('errors of the record are reported together with errors of its steps', () => {
    expect(problemsOf({ name: 'w', steps: [{ id: 'a', command: 'x', next: null }] })).toContain(
      '`steps` must be an object with a key per step, not a list',
    );
    expect(problemsOf({ name: 'w' })).toContain('`steps` must be an object with a key per step;');
    const several = problemsOf({
      name: 'w',
      steps: {
        1: { command: 'x', next: 'b' },
        b: { id: 'b', command: 'x', output: {}, next: null },
        c: 5,
        d: { parallel: { branches: { e: { name: 'e', command: 'x' } } }, next: 'f' },
      },
    });
    for (const words of [
      'a step id must not be a number',
      '`id` is accepted only by pawl/compat',
      '`output` must be a Standard Schema',
      'step "c": a step must be an object',
      'step "e": `name` is accepted only by pawl/compat',
      '"f"',
    ])
      expect(several).toContain(words);
  });
});

test.each<[string, object, string]>([
  [
    'a question beside other work',
    { command: 'x', humanGate: { prompt: 'p' } },
    '`humanGate` is accepted only by pawl/compat; write a separate step',
  ],
  [
    'a list to fan out over',
    { command: 'x', parallel: true, parallelKey: 'xs' },
    '`parallelKey` is accepted only by pawl/compat; write each:',
  ],
  ['a step that is parallel', { command: 'x', parallel: true }, '`parallel: true` is accepted only by pawl/compat; write each:'],
  [
    'the join of a step',
    { parallel: { branches: { b: { command: 'x' } } }, join: 'any' },
    '`join` is accepted only by pawl/compat; write it into `parallel`',
  ],
  [
    'what a question shows',
    { human: { prompt: 'p', context: ['x'] } },
    '`context` of a question is accepted only by pawl/compat; write `show`',
  ],
  [
    'the same in a branch',
    { parallel: { branches: { b: { human: { prompt: 'p', context: ['x'] } } } } },
    'step "b": `context` of a question',
  ],
  [
    'the next step in an object',
    { command: 'x', next: { step: 'a' } },
    '`next` must name a step by its id, not as { step: "a" }; write "a"',
  ],
  [
    'the same for one outcome',
    { command: 'x', next: { ok: { step: 'a' }, fail: null } },
    '`next` must name a step by its id, not as { step: "a" }',
  ],
  [
    'a join in an object',
    { parallel: { branches: { b: { command: 'x' } }, join: { n: 1 } } },
    '`join` must be "all", "any" or a number, not {"n":1}; write join: 1',
  ],
  [
    'a join as a text',
    { each: { items: 'l', step: { command: 'x' }, join: '2-of-3' } },
    '`join` must be "all", "any" or a number, not "2-of-3"; write join: 2',
  ],
  [
    'an option that leads nowhere',
    { human: { prompt: 'p', options: [{ label: 'go' }, { label: 'no', nextStep: null }] } },
    '`nextStep` of the option "no" must not be null; write "reject"',
  ],
])('the spelling of pawl/compat is refused, as types do: %s', (_what, step, message) => {
  expect(problemsOf({ name: 'w', steps: { a: { next: null, ...step } } })).toContain(message);
});

test.each(['../../evil', 'team\\release', 'release.yaml', 'release.mts'])(
  'the name %s is refused, since commands would read it as a file',
  (name) => {
    expect(problemsOf({ name, steps: { a: { command: 'x', next: null } } })).toContain('must not look like the path of a file');
  },
);

test('the fields of a workflow of pawl/compat are refused with those that mean the same', () => {
  const found = problemsOf({ type: 'w', name: 'W', initialStep: 'a', steps: { a: { command: 'x', next: null } } });
  expect(found).toContain('a workflow has no field "type"; write the name as `name`');
  expect(found).toContain('a workflow has no field "initialStep"; write `entry`');
});

describe('the types of a question', () => {
  test('whose text a function gives ask for no "next", if every option leads somewhere', () => {
    const { definition } = compileWorkflow(
      {
        name: 'w',
        params: { owner: arg({ type: 'string', default: 'ann' }) },
        steps: {
          ask: {
            human: {
              prompt: (ctx) => `Ship it, ${ctx.params.owner}?`,
              options: [
                { label: 'go', nextStep: 'end' },
                { label: 'stop', nextStep: 'reject' },
              ],
            },
          },
          end: { command: 'x', next: null },
        },
      },
      REGISTRY,
    );
    expect(definition.steps.map(({ id }) => id)).toEqual(['ask', 'end']);
  });

  test('ask for it, if one does not', () => {
    const options = [{ label: 'go', nextStep: 'end' }, { label: 'stop' }] as const;
    expect(() =>
      compileWorkflow(
        {
          name: 'w',
          steps: {
            // @ts-expect-error: "stop" leads nowhere
            ask: { human: { prompt: 'Ship it?', options } },
            end: { command: 'x', next: null },
          },
        },
        REGISTRY,
      ),
    ).toThrow();
  });
});

describe('the recovery of a whole workflow', () => {
  const hook = { webhook: { request: { url: 'https://x' } } };
  const recoveries = (recovery: 'rerun' | 'ask' | undefined) =>
    compileWorkflow(
      {
        name: 'w',
        ...(recovery === undefined ? {} : { recovery }),
        steps: {
          task: { handler: () => 1, next: 'command' },
          command: { command: 'x', next: 'agent' },
          agent: { agent: 'dev', prompt: 'p', next: 'own' },
          own: { command: 'x', recovery: 'ask', next: 'gate' },
          gate: { gate: { checks: ['x'] }, next: 'hook' },
          hook: { ...hook, next: 'told' },
          told: { ...hook, recovery: 'rerun', next: 'each' },
          each: { each: { items: 'x', step: { command: 'x' } }, next: null },
        },
      },
      REGISTRY,
    ).definition.steps.map((step) => `${step.id} ${step.kind === 'each' ? step.body.recovery : step.recovery}`);

  test('holds for steps that do not say their own, but for requests to others', () => {
    const [asked, rerun] = [recoveries(undefined), recoveries('rerun')];
    expect(asked).toEqual(['task ask', 'command ask', 'agent ask', 'own ask', 'gate rerun', 'hook ask', 'told rerun', 'each ask']);
    expect(rerun).toEqual(['task rerun', 'command rerun', 'agent rerun', 'own ask', 'gate rerun', 'hook ask', 'told rerun', 'each rerun']);
    expect(recoveries('ask')).toEqual(asked);
  });

  test('cannot be reconcile, which needs a function per step', () => {
    const spec = { name: 'w', recovery: 'reconcile', steps: { a: { command: 'x', next: null } } } as never;
    expect(() => compileWorkflow(spec, REGISTRY)).toThrow(/`recovery` must be "rerun" or "ask", not "reconcile"/);
  });
});
