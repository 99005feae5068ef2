// Every field of a graph is checked: nothing is converted, nothing is dropped in silence, and nothing throws a raw error.

import { describe, expect, test } from 'vitest';
import { isEngineError } from '../../base/error.ts';
import { defineStepKind } from '../../definition/custom-kind.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { type Fields, isFields } from '../spec/shape.ts';
import { compileGraph, compileWorkflow } from './graph.ts';

/** A copy; what a step kind is called with stays itself. */
function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isFields(value) || typeof value.kind === 'function') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clone(one)])) as T;
}

const deploy = defineStepKind({ kind: 'deploy', parse: (c) => c, run: () => ({ outcome: 'ok' as const }) });
const cond = { name: 'c', check: '1 == 1', error: 'e' };
const shared = {
  title: 't',
  actions: ['a'],
  args: { m: { type: 'string', description: 'd', default: 'x', required: false } },
  preconditions: [cond],
  postconditions: [cond],
  retry: { max: 2, on: ['error'], backoff: { initial: '1s', factor: 2, max: '1m' } },
  timeout: '1h',
  contractRetries: 2,
  recovery: 'reconcile',
  reconcile: () => true,
  condition: '1 == 1',
  slots: ['s'],
  outputs: [{ name: 'o', type: 'file', pattern: 'a.md', required: true }],
  fresh: 'run',
  merges: ['x'],
  templates: true,
  extend: { by: '1m', max: 2, onExtend: 'side' },
  protected: ['p'],
  mayChange: ['m'],
  writes: ['w'],
  network: ['a.com'],
  staged: true,
  databases: { book: { access: 'write', deletes: 3, expect: ['SELECT 1'] } },
  onFail: 'restore',
  contract: { documents: [{ path: 'a.md', minWords: 3 }], changes: ['x'], command: 'c' },
  reviewOf: { gate: 'gate', items: 'i.md', verdicts: 'v.md' },
  route: { outcomes: ['small'], choose: () => 'ok' },
  undo: { command: 'x', env: { A: 'b' }, cwd: '.', title: 'u', timeout: '1m', recovery: 'ask' },
  independent: true,
};
const humanGate = {
  prompt: 'p',
  show: ['x'],
  from: ['g'],
  count: 2,
  signed: true,
  options: [{ label: 'approve', nextStep: 'end', outcome: 'ok', requiresInput: true }],
};
const full = (): Fields =>
  clone({
    name: 'w',
    title: 't',
    description: 'd',
    version: '1',
    entry: 'cmd',
    params: { a: { type: 'integer', description: 'd', min: 1, max: 5, choices: [1, 2], default: 1, required: true } },
    context: () => ({}),
    trigger: { schedule: '0 6 * * 1-5', timezone: 'UTC', catchUp: 'one', params: { a: 1 } },
    limits: { maxIterations: 3 },
    recovery: 'ask',
    concurrency: { key: 'k', max: 2 },
    budget: { tokens: 3, unknown: 'stop' },
    circuitBreakers: { iterations: 3 },
    protected: ['x'],
    databases: { b: 'read' },
    snapshot: { include: ['x'], off: true },
    permissions: { contents: 'read' },
    writes: { comments: 2 },
    staged: true,
    data: { a: 1 },
    facts: ['f'],
    onError: 'side',
    onEvents: [
      {
        event: 'issues.closed',
        do: 'cancel',
        conditions: { label: 'x', labels: ['y'], assigneeIsBot: true, milestone: 'm', baseBranch: 'main' },
      },
      { event: 'issues.labeled', do: 'notify', notify: 'g', message: 'm' },
      { event: 'issues.labeled', do: 'invalidate_and_restart', step: 'cmd', max: 2 },
    ],
    steps: {
      side: { command: 'x', side: true },
      cmd: {
        command: ['a', 'b'],
        env: { A: 'b' },
        cwd: '.',
        ...shared,
        next: {
          ok: 'gate',
          fail: { to: 'cmd', maxIterations: 2, onExhausted: 'fail', context: { a: 1 } },
          small: { condition: '1 == 1', onTrue: 'gate', onFalse: 'cmd', maxIterations: 2, onExhausted: 'fail' },
        },
      },
      gate: {
        gate: {
          checks: [
            'x',
            { check: 'command', run: 'x', timeout: '1s', env: { A: 'b' }, expect: 'exit_code == 0' },
            { check: 'file_exists', paths: ['a'] },
            { check: 'any_of', checks: ['x'] },
            { check: 'webhook', url: 'https://a.b', method: 'GET', headers: { A: 'b' } },
            { check: 'coverage', minimum: 80, metric: 'line', report: 'r' },
            { check: 'pr_approval', from: 'g', count: 2 },
          ],
          rerunAtMerge: false,
          flaky: 'fail',
        },
        next: 'agent',
      },
      agent: {
        agent: 'dev',
        prompt: 'p',
        action: 'a',
        script: 's',
        context: { a: 1 },
        schema: { type: 'object' },
        budget: { tokens: 3 },
        reviews: true,
        seesContext: true,
        continueSession: true,
        supportsQuestions: true,
        questionState: 'plan.json',
        next: 'human',
      },
      human: {
        human: {
          prompt: 'p',
          show: ['x'],
          options: [{ label: 'a', nextStep: 'gen', outcome: 'ok', requiresInput: true }, { label: 'b' }],
          from: 'g',
          count: 1,
          subjects: { files: ['f'], pr: true },
          signed: true,
          waitFor: 'label',
          label: 'l',
          autoAssign: 'g',
          reminders: { interval: '1h', max: 2 },
        },
        next: { to: 'gen' },
      },
      gen: { generate: 'g', prompt: 'p', context: { a: 1 }, budget: { tokens: 3 }, next: 'delay' },
      delay: {
        delay: { duration: '1h', poll: { interval: '1s', condition: '1 == 1' } },
        next: { condition: '1 == 1', onTrue: 'wf', onFalse: 'wf' },
      },
      wf: { workflow: 'child', input: { a: 1 }, dispatch: { agent: 'x', returns: 100 }, next: 'val' },
      val: { validate: { stages: ['lint'], retry: 2, onFailure: { command: 'fix' } }, next: 'sig' },
      sig: { signal: 's', next: 'rev' },
      rev: {
        review: {
          subject: 's',
          reviewer: 'r',
          fixer: { agent: 'f', prompt: 'p', budget: { tokens: 3 }, timeout: '1h' },
          items: [{ id: 'a', severity: 'MUST', question: 'q' }],
          splitter: 's',
          rounds: 3,
          concurrency: 2,
          from: 'g',
          name: 'n',
        },
        next: 'hook',
      },
      hook: {
        webhook: {
          request: { url: 'https://a.b', method: 'GET', headers: { A: 'b' }, body: { a: 1 } },
          expect: { status: 200, body: { a: 1 } },
        },
        next: 'forge',
      },
      forge: { forge: { action: 'merge_pr', method: 'squash', delete_branch: true, wait: '1h' }, next: 'forge2' },
      forge2: { forge: { action: 'create_issue', title: 't', body: 'b', labels: ['x'] }, next: 'each' },
      each: { each: { items: 'params.a', step: { command: 'x', title: 't' }, join: 'any', concurrency: 2 }, next: 'par' },
      par: {
        parallel: { branches: { x: { command: 'x', retry: 2 }, y: { agent: 'z', prompt: 'p' } }, join: 2, concurrency: 2 },
        next: 'use',
      },
      use: { use: deploy({ to: 'x' }), next: 'h' },
      h: { handler: () => 1, next: 'end' },
      end: { actions: ['x'], next: null },
    },
  });

function problemsOf(spec: unknown, compile: 'record' | 'list' = 'record'): string {
  try {
    if (compile === 'list') compileGraph(spec as never, REGISTRY);
    else compileWorkflow(spec as never, REGISTRY);
    return 'none';
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'DEFINITION_INVALID') throw error;
    return error.message;
  }
}

/** The paths of all fields. */
function* pathsOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null || typeof (value as Fields).kind === 'function') return;
  for (const [key, one] of Object.entries(value)) yield* pathsOf(one, [...path, key]);
}

function withField(value: unknown, [key = '', ...rest]: readonly string[], field: unknown): unknown {
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [...value] : { ...(value as Fields) };
  const inner = (value as Fields)[key];
  Object.assign(copy, { [key]: rest.length === 0 ? field : withField(inner, rest, field) });
  return copy;
}

const asList = (given: Fields): Fields => {
  const listed = (steps: unknown): unknown[] =>
    Object.entries(steps as Fields).map(([id, step]) => (isFields(step) ? { id, ...branchesListed(step) } : step));
  const branchesListed = (step: Fields): Fields =>
    isFields(step.parallel) && isFields(step.parallel.branches)
      ? { ...step, parallel: { ...step.parallel, branches: listed(step.parallel.branches) } }
      : step;
  return { ...given, steps: isFields(given.steps) ? listed(given.steps) : given.steps };
};

/** The workflow in the form; a list may also ask a question beside the work of a step. */
const fullOf = (form: 'record' | 'list'): Fields =>
  form === 'record' ? full() : (withField(full(), ['steps', 'cmd', 'humanGate'], humanGate) as Fields);
const modelOf = (spec: unknown, form: 'record' | 'list'): string =>
  JSON.stringify((form === 'list' ? compileGraph(spec as never, REGISTRY) : compileWorkflow(spec as never, REGISTRY)).definition);

describe('a graph with every field', () => {
  test('is accepted, as a record and as a list', () => {
    expect(problemsOf(full())).toBe('none');
    expect(problemsOf(asList(fullOf('list')), 'list')).toBe('none');
  });

  test.each(['record', 'list'] as const)('accepts another value of a field only as it is, as a %s', (form) => {
    const written = (spec: Fields) => (form === 'list' ? asList(spec) : spec);
    const plain = modelOf(written(fullOf(form)), form);
    const silent: string[] = [];
    for (const path of pathsOf(fullOf(form))) {
      for (const value of [5, 'zzz', null, [5], { zz: 5 }]) {
        const before = path.reduce<unknown>((at, key) => (at as Fields)[key], fullOf(form));
        if (JSON.stringify(before) === JSON.stringify(value)) continue;
        const spec = written(withField(fullOf(form), path, value) as Fields);
        // A trigger is no part of the definition.
        if (problemsOf(spec, form) !== 'none' || path[0] === 'trigger') continue;
        if (modelOf(spec, form) === plain) silent.push(`${path.join('.')} = ${JSON.stringify(value)}`);
      }
    }
    expect(silent).toEqual([]);
  });
});

const one = (step: object, more: object = {}) => ({ name: 'w', steps: { a: { next: null, ...step } }, ...more });

describe('a value of another type is refused, and the message says what must be written', () => {
  test.each<[string, object, string]>([
    ['a name', { ...one({ command: 'x' }), name: 5 }, '`name` must be a string, not 5'],
    ['a title', one({ command: 'x' }, { title: 7 }), '`title` must be a string, not 7'],
    ['a bound', one({ command: 'x' }, { limits: { maxIterations: '3' } }), '`limits.maxIterations` must be a positive integer, not "3"'],
    [
      'circuit breakers',
      one({ command: 'x' }, { circuitBreakers: 5 }),
      '`circuitBreakers` must be true or an object such as { iterations: 10 }, not 5',
    ],
    ['data', one({ command: 'x' }, { data: { now: () => 1 } }), '`data` must be an object of plain data, not an object'],
    [
      'a field of a parameter',
      one({ command: 'x' }, { params: { a: { typ: 'string' } } }),
      'a parameter has no field "typ" (did you mean "type"?)',
    ],
    ['a title of a step', one({ command: 'x', title: 5 }), 'step "a": `title` must be a string, not 5'],
    ['a prompt', one({ human: { prompt: 5 } }), 'step "a": `human.prompt` must be a string or a function, not 5'],
    ['a label', one({ human: { prompt: 'p', options: [{ label: 1 }] } }), '`human.options[0].label` must be a string, not 1'],
    ['options', one({ human: { prompt: 'p', options: 'yes' } }), '`human.options` must be a list, not "yes"'],
    ['a list of items', one({ each: { items: 5, step: { command: 'x' } } }), '`each.items` must be a string, not 5'],
    ['a condition', one({ command: 'x', next: { condition: 5, onTrue: null, onFalse: null } }), '`next.condition` must be a string, not 5'],
    ['a next', one({ command: 'x', next: 5 }), '`next` must be a step id, null or a map, not 5'],
    ['a list as next', one({ command: 'x', next: ['a'] }), '`next` must be a step id, null or a map, not a list'],
    ['a target that is not there', one({ command: 'x', next: { to: undefined } }), '`next.to` is missing; it must be a step id or null'],
    ['a number of retries', one({ command: 'x', retry: { max: '3' } }), '`retry.max` must be 0 or a positive integer, not "3"'],
    [
      'a poll',
      one({ delay: { duration: '1h', poll: { interval: '1s', condition: 5 } } }),
      '`delay.poll.condition` must be a string or a function, not 5',
    ],
    ['a gate', one({ gate: 'npm test' }), '`gate` must be an object such as { checks: ["npm test"] }, not "npm test"'],
    ['a list as a gate', one({ gate: ['npm test'] }), '`gate` must be an object such as { checks: ["npm test"] }, not a list'],
    ['a question', one({ human: 'Ship it?' }), '`human` must be an object such as { prompt: "Ship it?" }, not "Ship it?"'],
    ['a review', one({ review: 'src' }), '`review` must be an object such as { subject: "the change in src/"'],
    ['a webhook', one({ webhook: 'https://a.b' }), '`webhook` must be an object such as { request: { url: '],
    ['a webhook without an address', one({ webhook: { request: {} } }), '`request.url` must be an address'],
    [
      'a kind that is none, with an outcome of its own',
      one({ use: 'deploy', next: { ok: null, odd: null } }),
      '`use` must be a kind of step',
    ],
    ['a child that is no workflow', one({ workflow: {} }), '`workflow` must name the workflow to start'],
    ['an action', one({ forge: 'merge_pr' }), '`forge` must be an object such as { action: "merge_pr" }, not "merge_pr"'],
    ['a fan-out', one({ each: 'files' }), '`each` must be an object such as { items: '],
    ['branches', one({ parallel: { branches: 'lint' } }), '`parallel.branches` must be steps by id, such as { lint: { … } }, not "lint"'],
    ['a command', one({ command: 5 }), '`command` must be a string or a list of strings, not 5'],
    [
      'postconditions beside an output',
      one({ handler: () => 1, output: { '~standard': { validate: () => ({ value: 1 }) } }, postconditions: 'x' }),
      '`postconditions` must be a list, not "x"',
    ],
  ])('%s', (_, spec, expected) => {
    const message = problemsOf(spec);
    expect(message).toContain(expected);
    // One mistake is one problem: what follows from it is not reported.
    expect(message).toContain('is not valid: ');
  });

  test('a value of another type is also rejected in a list of steps', () => {
    const spec = (step: unknown) => ({ name: 'w', steps: [step] });
    expect(problemsOf(spec({ id: 5, command: 'x', next: null }), 'list')).toContain('step "step-1": `id` must be a string, not 5');
    expect(problemsOf(spec(5), 'list')).toContain('step "step-1": a step must be an object');
    expect(problemsOf({ type: 5, steps: [{ id: 'a', command: 'x', next: null }] }, 'list')).toContain('`type` must be a string, not 5');
  });

  test('an ending beside no end, with what the types accept instead', () => {
    const human = { prompt: 'p', options: [{ label: 'yes', ends: 'completed' }] };
    expect(problemsOf(one({ human }))).toContain('write nextStep: "complete" or "reject", and remove `ends`');
    expect(problemsOf(one({ human: { prompt: 'p', options: [{ label: 'yes', nextStep: 'complete' }] } }))).toBe('none');
  });

  test('a workflow that is not an object', () => {
    expect(problemsOf(5)).toContain('a workflow must be an object such as { name: "build", steps: { … } }');
    expect(problemsOf(null)).toContain('a workflow must be an object');
    expect(problemsOf(null, 'list')).toContain('a workflow must be an object');
  });
});
