import { describe, expect, test } from 'vitest';
import type { StepModel } from '../../definition/model.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { step } from '../../kinds/step-builder.ts';
import { compileWorkflow } from '../graph/graph.ts';

interface Built {
  readonly bound: { readonly model: StepModel };
}

const build = step('a') as unknown as Readonly<Record<string, (given: unknown) => Built>>;
const inFlow = (method: string, given: unknown) => build[method]?.(given).bound.model;
const inGraph = (fields: object) =>
  compileWorkflow({ name: 'w', steps: { a: { ...fields, next: null } } } as never, REGISTRY).definition.steps[0];

describe('what a graph refuses is refused in a flow', () => {
  test.each<[string, { readonly message: string; readonly [method: string]: unknown }]>([
    ['how many people agree', { human: { prompt: '?', count: 'two' }, message: 'count` must be a positive integer, not "two"' }],
    ['what a question is about', { human: { prompt: '?', subjects: { file: ['a'] } }, message: '`subjects` has no field "file"' }],
    ['who decides', { human: { prompt: '?', from: [] }, message: '`from` must name at least one group' }],
    ['a poll without a condition', { delay: { duration: '1h', poll: { interval: '10s' } }, message: 'poll.condition` is missing' }],
    ['a gate at a merge', { gate: { checks: ['x'], rerunAtMerge: 'no' }, message: 'rerunAtMerge` must be true or false, not "no"' }],
    ['a repair that is counted', { validate: { retry: 'often' }, message: '`retry` must be 0 or a positive integer' }],
  ])('%s', (_what, { message, ...fields }) => {
    const [[method, given] = ['', undefined]] = Object.entries(fields);
    expect(() => inGraph(fields)).toThrow(message);
    expect(() => inFlow(method, given)).toThrow(message);
    expect(() => inFlow(method, given)).toThrow('step "a"');
  });

  test.each<[string, object, string]>([
    ['what is retried', { retry: { max: 2, on: ['never'] } }, '`retry.on[0]` must be "error" or "timeout", not "never"'],
    ['pauses that shrink', { retry: { max: 2, backoff: { initial: '1s', factor: 0.5 } } }, '`backoff` must have a `factor` of at least 1'],
    ['hosts', { network: 5 }, '`network` must be'],
    ['a file outside the workspace', { writes: ['../x'] }, 'the pattern "../x" is invalid'],
    ['databases', { databases: 5 }, '`databases` must be'],
    ['what is restored', { onFail: 'reset' }, '`onFail` must be "restore"'],
    [
      'a function that decides nothing',
      { recovery: 'ask', reconcile: () => 'done' },
      '`reconcile` has no effect, because `recovery` is "ask"',
    ],
    ['a program that undoes nothing', { undo: { command: '' } }, '`run` must be a shell line'],
    ['a value in the command of an undo', { undo: { command: 'rm {{ result.file }}' } }, 'values never become part of a command'],
    ['an output twice', { outputs: [1, 2].map(() => ({ name: 'x', type: 'comment' })) }, 'two outputs are called "x"'],
  ])('%s', (_what, options, message) => {
    expect(() => inGraph({ command: 'x', ...options })).toThrow(message);
    expect(() => inFlow('command', { run: 'x', ...options })).toThrow(message);
    expect(() => inFlow('command', { run: 'x', ...options })).toThrow('step "a"');
  });

  test('options that are no object', () => {
    expect(() => step('a').signal('go', '1m' as never)).toThrow('step "a" cannot be built: its options must be an object, not "1m"');
    expect(() => step('a').webhook({ request: { url: 'https://example.com' } }, null as never)).toThrow('must be an object, not null');
  });

  test('all mistakes of a step are in one error', () => {
    const wrong = { agent: 'dev', prompt: 'p', questionState: '../plan.json', timeout: 'soon' };
    expect(() => inFlow('agent', wrong)).toThrow(
      /^step "a" cannot be built: `timeout` must be a duration, not "soon".*`questionState` has no effect/,
    );
  });
});

describe('what a graph keeps is kept in a flow', () => {
  const QUESTION = { prompt: '?', from: 'team', count: 2, subjects: { files: ['plan.md'] }, reminders: { interval: '1h', max: 2 } };
  const SESSION = { agent: 'dev', prompt: 'p', continueSession: true, seesContext: true };
  const PATHS = { checks: [{ paths: ['plan.md'] }] };
  const RECONCILED = { reconcile: () => 'done' };
  const UNDO = { undo: { command: 'y' } };

  test.each<[string, string, { readonly flow: object; readonly graph: object }]>([
    ['the session of an agent and what it sees', 'agent', { flow: SESSION, graph: SESSION }],
    ['a check that only has paths', 'gate', { flow: PATHS, graph: { gate: PATHS } }],
    ['that a function finds out what happened', 'command', { flow: { run: 'x', ...RECONCILED }, graph: { command: 'x', ...RECONCILED } }],
    ['an undo', 'command', { flow: { run: 'x', ...UNDO }, graph: { command: 'x', ...UNDO } }],
    ['a question', 'human', { flow: QUESTION, graph: { human: QUESTION } }],
  ])('%s', (_what, method, { flow, graph }) => {
    const { next: _, ...model } = inGraph(graph) as StepModel;
    expect(inFlow(method, flow)).toEqual({ ...model, next: {} });
  });
});

describe('what a flow writes is data', () => {
  test('braces in it are no templates', () => {
    expect(step('a').agent({ agent: 'dev', prompt: 'see {{ outputs.b }}' }).bound.model).toMatchObject({
      config: { prompt: 'see {{ outputs.b }}' },
    });
    expect(step('a').action({ action: 'comment', message: '{{ x }}' }).bound.model.templates).toBeUndefined();
    expect(step('a').webhook({ request: { url: 'https://example.com/{{ x }}' } }).bound.model).not.toHaveProperty('config.templates');
  });

  test.each<[string, unknown]>([
    ['human', { prompt: () => 'p' }],
    ['agent', { agent: 'dev', prompt: () => 'p' }],
    ['command', { run: 'x', env: { A: () => '1' } }],
    ['webhook', { request: { url: () => 'https://example.com' } }],
    ['action', { action: 'comment', message: () => 'm' }],
  ])('a function in place of data is rejected: %s', (method, given) => {
    expect(() => inFlow(method, given)).toThrow(/^step "a".* not a function/);
  });
});

test('a policy without a function drops the function of the one before', () => {
  const call = step('a')
    .command('x')
    .recovery('reconcile', () => 'done');
  expect(call.retry(2).bound.model.recovery).toBe('reconcile');
  const { model, code } = call.recovery('rerun').bound;
  expect([model.recovery, code.reconcile]).toEqual(['rerun', undefined]);
});
