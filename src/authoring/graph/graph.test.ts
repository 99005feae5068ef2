// biome-ignore-all lint/suspicious/noThenProperty: the `then` of an edge is a target and no function.

import { describe, expect, test } from 'vitest';
import { EngineError } from '../../base/error.ts';
import type { StepContext } from '../../definition/code.ts';
import { type Definition, membersOf, type StepModel } from '../../definition/model.ts';
import { Outcome } from '../../definition/outcome.ts';
import type { Problem } from '../../definition/validation/problem.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { compileGraph } from './graph.ts';
import type { GraphSpec, StepSpec } from './spec.ts';

const graph = (...steps: StepSpec[]) => compileGraph({ name: 'wf', steps }, REGISTRY);
const first = (...steps: StepSpec[]) => graph(...steps).definition.steps[0] as StepModel;
const DONE: StepSpec = { id: 'done', next: null };

/** The faults of a graph as `step CODE`, from the one error it is refused with. */
function faults(spec: unknown): string[] {
  return problems(spec).map(({ step, code }) => (step === undefined ? code : `${step} ${code}`));
}

function problems(spec: unknown): readonly Problem[] {
  try {
    compileGraph(spec as GraphSpec, REGISTRY);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'DEFINITION_INVALID') throw error;
    return error.details.problems as readonly Problem[];
  }
  return [];
}

describe('next', () => {
  test('a string or a step covers ok and skip; null ends the run', () => {
    const table = { ok: { to: { step: 'done' } }, skip: { to: { step: 'done' } } };
    expect(first({ id: 'a', next: 'done' }, DONE).next).toEqual(table);
    expect(first({ id: 'a', next: { step: 'done' } }, DONE).next).toEqual(table);
    expect(first({ id: 'a', next: null }).next).toEqual({ ok: { to: { end: 'complete' } }, skip: { to: { end: 'complete' } } });
  });

  test('a map leads each outcome to a step, an end or a bounded target', () => {
    const step: StepSpec = {
      id: 'a',
      next: { ok: 'done', fail: 'fail', reject: 'reject', iterate: { to: 'a', maxIterations: 2, onExhausted: 'done' }, _default: null },
    };
    expect(first(step, DONE).next).toEqual({
      ok: { to: { step: 'done' } },
      fail: { to: { end: 'fail' } },
      reject: { to: { end: 'reject' } },
      iterate: { to: { step: 'a' }, max: 2, then: { step: 'done' } },
      _default: { to: { end: 'complete' } },
    });
  });

  test('an edge that leads back without a bound takes that of the workflow', () => {
    const steps: StepSpec[] = [{ id: 'a', next: { ok: null, iterate: 'a' } }];
    expect(compileGraph({ name: 'wf', steps, limits: { maxIterations: 4 } }, REGISTRY).definition.steps[0]?.next.iterate).toMatchObject({
      max: 4,
    });
    expect(compileGraph({ name: 'wf', steps }, REGISTRY).definition.steps[0]?.next.iterate).toMatchObject({ max: 10 });
  });

  test('an error in one next is reported once, although it is stored under two outcomes', () => {
    const next = { to: 'a', maxIterations: 0, onExhausted: 'done' };
    expect(faults({ name: 'wf', steps: [{ id: 'a', next }, DONE] })).toEqual(['a NUMBER_INVALID']);
    expect(faults({ name: 'wf', steps: [{ id: 'a', next: { condition: 'results.x', onTrue: 'done', onFalse: 'a' } }, DONE] })).toEqual([
      'a CONDITION_INVALID',
    ]);
  });

  test('the bound of a condition with two targets is for the false one', () => {
    const next = { condition: 'result.ok', onTrue: 'done', onFalse: 'other', maxIterations: 1 };
    const compiled = first({ id: 'a', next }, { id: 'other', next: 'done' }, DONE);
    expect(compiled.next.ok).toEqual({
      condition: 'result.ok',
      onTrue: { to: { step: 'done' } },
      onFalse: { to: { step: 'other' }, max: 1, then: { end: 'escalate' } },
    });
  });
});

describe('what a handler returns', () => {
  const ctx = {} as StepContext;
  const returns = (value: unknown, next: StepSpec['next'] = null) =>
    graph({ id: 'a', handler: () => value, next })
      .code.get('a')
      ?.run?.(ctx);

  test('nothing is ok, an outcome is itself, a pair is both, anything else is the output', async () => {
    expect(returns(undefined)).toEqual({ outcome: 'ok', output: null });
    expect(returns(Outcome.FAIL)).toEqual({ outcome: 'fail', output: null });
    expect(returns([Outcome.ITERATE, { n: 2 }])).toEqual({ outcome: 'iterate', output: { n: 2 } });
    expect(returns({ n: 1 })).toEqual({ outcome: 'ok', output: { n: 1 } });
    expect(await returns(Promise.resolve([Outcome.SKIP, {}]))).toEqual({ outcome: 'skip', output: {} });
  });

  test('a list that is no outcome and patch is a list', () => {
    for (const list of [['fail', 'ok'], ['fail', ['x']], ['fail'], ['fail', {}, {}]])
      expect(returns(list)).toEqual({ outcome: 'ok', output: list });
  });

  const table = { ok: null, fail: 'fail' } as const;
  const outcomes = 'return one of ok, fail, skip, iterate, reject, error, timeout, or';

  test('where next names outcomes, a text that is no outcome is refused', async () => {
    const message = `the handler of step "a" returned "fial", but "fial" is not an outcome (did you mean "fail"?); ${outcomes} ["ok", text] if the text is the output`;
    expect(() => returns('fial', table)).toThrow(message);
    await expect(returns(Promise.resolve('fial'), { ok: null })).rejects.toThrow(message);
    for (const text of ['done', 'two words', '', 'OK'])
      expect(() => returns(text, table)).toThrow(`${JSON.stringify(text)} is not an outcome`);
    expect(returns(['ok', 'two words'], table)).toEqual({ outcome: 'ok', output: 'two words' });
    expect(returns('fial', { to: null })).toEqual({ outcome: 'ok', output: 'fial' });
  });

  test('where next names outcomes, a list that begins with a text is an outcome and its output, or refused', async () => {
    const message = `the handler of step "a" returned ["fial", …], but "fial" is not an outcome (did you mean "fail"?); ${outcomes} ["ok", list] if the list is the output`;
    for (const list of [['fial', { n: 1 }], ['fial'], ['fial', 'x'], ['fial', ['x']], ['fial', {}, {}]])
      expect(() => returns(list, table)).toThrow(message);
    await expect(returns(Promise.resolve(['fial', { n: 1 }]), { ok: null })).rejects.toThrow(message);
    for (const list of [['fail'], ['fail', {}, {}]])
      expect(() => returns(list, table)).toThrow('returned ["fail", …], which is not an outcome with one output; return one of');
    for (const output of [{ n: 1 }, 'x', ['x'], 3]) expect(returns(['fail', output], table)).toEqual({ outcome: 'fail', output });
    for (const list of [[], [{ n: 1 }, { n: 2 }], [1, 'x']]) expect(returns(list, table)).toEqual({ outcome: 'ok', output: list });
    expect(returns(['fial', { n: 1 }], { to: null })).toEqual({ outcome: 'ok', output: ['fial', { n: 1 }] });
  });

  test('the default is a key of next and no outcome', () => {
    expect(() => returns(Outcome.DEFAULT)).toThrow('step "a" returned Outcome.DEFAULT');
  });
});

describe('what does the work of a step', () => {
  test.each<[string, Partial<StepSpec>, unknown]>([
    ['nothing', {}, { kind: 'task', config: {}, recovery: 'ask' }],
    ['a shell line', { command: 'npm test' }, { kind: 'command', config: { run: 'npm test' } }],
    ['a program', { command: ['npm', 'test'], env: { CI: '1' } }, { kind: 'command', config: { argv: ['npm', 'test'], env: { CI: '1' } } }],
    [
      'checks',
      { gate: { checks: ['npm test', { check: 'file_exists', paths: ['a.md'] }, { check: 'lint', level: 2, timeout: '5s' } as never] } },
      {
        kind: 'gate',
        recovery: 'rerun',
        config: {
          checks: [
            { check: 'command', run: 'npm test' },
            { check: 'file_exists', paths: ['a.md'] },
            { check: 'lint', level: 2, timeoutMs: 5000 },
          ],
        },
      },
    ],
    ['time', { delay: '30s' }, { kind: 'delay', durationMs: 30_000 }],
    [
      'time with a poll',
      { delay: { duration: '1h', poll: { interval: '10s', condition: 'outputs.a.done' } } },
      { kind: 'delay', durationMs: 3_600_000, poll: { intervalMs: 10_000, condition: 'outputs.a.done' } },
    ],
    ['a child', { workflow: 'deploy', input: { to: 'test' } }, { kind: 'workflow', workflow: 'deploy', input: { to: 'test' } }],
    ['validation', { validate: { stages: ['lint'] } }, { kind: 'validate', stages: ['lint'], repairs: 3 }],
    [
      'an agent by role',
      { agent: 'developer', action: 'fix', prompt: 'Fix it', context: { a: 1 } },
      { kind: 'agent', config: { role: 'developer', action: 'fix', prompt: 'Fix it', context: { a: 1 } } },
    ],
    ['a generator', { generate: 'summary' }, { kind: 'generate', config: { generator: 'summary' } }],
    ['a signal', { signal: 'released' }, { kind: 'signal', signal: 'released' }],
  ])('%s', (_, work, expected) => {
    expect(first({ id: 'a', ...work, next: null } as StepSpec)).toMatchObject(expected as object);
  });

  test('functions and live objects are code and not data', () => {
    const agent = { execute: () => 'done' };
    const compiled = graph(
      { id: 'a', agent, context: () => ({ x: 1 }), next: 'b' },
      { id: 'b', delay: { duration: '1m', poll: { interval: '1s', condition: () => true } }, next: 'c' },
      { id: 'c', workflow: 'child', input: () => ({ y: 2 }), next: null },
    );
    expect(compiled.code.get('a')?.agent).toBe(agent);
    expect(compiled.code.get('a')?.context?.({} as StepContext)).toEqual({ x: 1 });
    expect(compiled.code.get('b')?.poll?.({} as StepContext)).toBe(true);
    expect(compiled.code.get('c')?.context?.({} as StepContext)).toEqual({ y: 2 });
    expect(compiled.definition.steps).toMatchObject([
      { config: {} },
      { durationMs: 60_000, poll: { intervalMs: 1000 } },
      { workflow: 'child', input: null },
    ]);
  });

  test('two fields that each define the work are refused, naming both', () => {
    const [problem] = problems({ name: 'wf', steps: [{ id: 'a', command: 'x', handler: () => {}, next: null }] });
    expect(problem).toMatchObject({ step: 'a', code: 'KIND_AMBIGUOUS', message: 'a step must have only one of `command` and `handler`' });
  });

  test('a question without options asks for approval, and its table decides', () => {
    const { kind, question } = first({ id: 'a', human: { prompt: 'Ship it?' }, next: { ok: null } });
    expect([kind, question?.options.map(({ label, outcome }) => [label, outcome])]).toEqual([
      'human',
      [
        ['approve', 'ok'],
        ['reject', 'reject'],
      ],
    ]);
  });

  test('an option that ends the run rejects it, unless it says that it completes it', () => {
    const options = [
      { label: 'Ship', nextStep: null, ends: 'completed' as const },
      { label: 'Stop', nextStep: null },
    ];
    const { question } = first({ id: 'a', human: { prompt: 'Ship it?', options } });
    expect(question?.options.map(({ outcome, to }) => [outcome, to])).toEqual([
      ['ok', { end: 'complete' }],
      ['reject', { end: 'reject' }],
    ]);
  });
});

describe('groups', () => {
  const branches = ['a', 'b', 'c'].map((id) => ({ id, handler: () => id }));

  test('branches are members with their own code, and a join says how many are needed', () => {
    const compiled = graph({
      id: 'review',
      parallel: { branches, join: '2-of-3', concurrency: 2 },
      next: { ok: null, reject_all: 'fail' },
    });
    const [review] = compiled.definition.steps;
    expect(review).toMatchObject({ kind: 'parallel', join: { rule: 'count', n: 2 }, concurrency: 2 });
    expect(review && membersOf(review).map(({ id, next }) => [id, next])).toEqual([
      ['a', {}],
      ['b', {}],
      ['c', {}],
    ]);
    expect(compiled.code.get('review')?.members.b?.run?.({} as StepContext)).toEqual({ outcome: 'ok', output: 'b' });
  });

  test('the body of a fan-out has the id of its group', () => {
    const step = first({ id: 'fix', each: { items: 'params.areas', step: { agent: 'developer' }, join: { n: 1 } }, next: null });
    expect(step).toMatchObject({ kind: 'each', items: 'params.areas', join: { rule: 'count', n: 1 } });
    expect(step).toMatchObject({ body: { id: 'fix', kind: 'agent' } });
  });

  test.each<[string, object, string]>([
    ['a join for more than there are branches', { parallel: { branches, join: 4 } }, 'g JOIN_INVALID'],
    ['a join whose second number is not that of the branches', { parallel: { branches, join: '2-of-5' } }, 'g JOIN_INVALID'],
    ['a counted join over a list of unknown length', { each: { items: 'xs', step: {}, join: '2-of-3' } }, 'g JOIN_INVALID'],
    ['a join that is no word', { parallel: { branches, join: 'most' } }, 'g JOIN_INVALID'],
    ['two branches of one name', { parallel: { branches: [branches[0], branches[0]] } }, 'g STEP_DUPLICATE'],
    ['a group without branches', { parallel: { branches: [] } }, 'g KIND_INVALID'],
    ['a group inside a group', { parallel: { branches: [{ id: 'a', parallel: { branches } }] } }, 'g/a MEMBER_INVALID'],
    ['a branch with a next', { parallel: { branches: [{ id: 'a', next: null }] } }, 'g/a MEMBER_INVALID'],
    ['a join without a key', { parallel: true, join: 'any', command: 'x' }, 'g FIELD_INVALID'],
    ['a key without a fan-out', { parallelKey: 'xs', command: 'x' }, 'g FIELD_INVALID'],
  ])('%s is refused', (_, work, expected) => {
    expect(faults({ name: 'wf', steps: [{ id: 'g', ...work, next: null }] })).toContain(expected);
  });

  test('an option of a branch that leads to a step is refused; one that would end the run rejects the branch', () => {
    const branch = (nextStep: string | null) => ({ id: 'a', human: { prompt: '?', options: [{ label: 'x', nextStep }] } });
    expect(faults({ name: 'wf', steps: [{ id: 'g', parallel: { branches: [branch('g')] }, next: null }] })).toEqual(['g/a MEMBER_INVALID']);
    const group = first({ id: 'g', parallel: { branches: [branch(null)] }, next: null });
    expect(membersOf(group)[0]?.question?.options).toEqual([{ label: 'x', outcome: 'reject', requiresInput: false }]);
  });
});

describe('fields of a step', () => {
  test.each<[string, object, string]>([
    ['a misspelt field', { postcondition: [] }, 'a FIELD_UNKNOWN'],
    ['a question that is signed in words', { human: { prompt: 'x', signed: 'yes' } }, 'a FIELD_INVALID'],
    ['a field beside the wrong work', { prompt: 'x' }, 'a FIELD_INVALID'],
    ['a timeout that is no duration', { timeout: 'soon' }, 'a TIMEOUT_INVALID'],
    ['a timeout of nothing', { timeout: 0 }, 'a TIMEOUT_INVALID'],
    ['a retry that is no count', { retry: -1 }, 'a NUMBER_INVALID'],
    ['a pause of a retry that is not an object', { retry: { max: 1, backoff: '1500ms' } }, 'a FIELD_INVALID'],
    ['a pause of a retry without its length', { retry: { max: 1, backoff: { factor: 2 } } }, 'a TIMEOUT_INVALID'],
    ['a recovery that does not exist', { recovery: 'again' }, 'a RECOVERY_INVALID'],
    ['reconciling without a function', { recovery: 'reconcile' }, 'a RECOVERY_INVALID'],
    ['a function that is never asked', { recovery: 'rerun', reconcile: () => true }, 'a RECOVERY_INVALID'],
    ['a check that is nothing', { preconditions: [{ name: 'x', error: 'x' }] }, 'a FIELD_INVALID'],
    ['data that is none', { agent: 'dev', context: { when: new Map() } }, 'a FIELD_INVALID'],
    ['a command of nothing', { command: ' ' }, 'a KIND_INVALID'],
    ['a gate of nothing', { gate: { checks: [] } }, 'a KIND_INVALID'],
    ['a signal without a name', { signal: '' }, 'a KIND_INVALID'],
    ['a signal that is not a name', { signal: { name: 's' } }, 'a KIND_INVALID'],
    ['a child that is neither a workflow nor a name', { workflow: { name: 'child' } }, 'a KIND_INVALID'],
    ['a misspelt field of a contract', { contract: { document: [] } }, 'a FIELD_UNKNOWN'],
    ['documents that are not a list', { contract: { documents: { path: 'a.md' } } }, 'a FIELD_INVALID'],
    ['a document that is nothing', { contract: { documents: [null] } }, 'a FIELD_INVALID'],
    ['a misspelt field of a document', { contract: { documents: [{ path: 'a.md', minwords: 3 }] } }, 'a FIELD_UNKNOWN'],
    ['two options of one label', { human: { prompt: '?', options: [{ label: 'x' }, { label: 'x' }] } }, 'a QUESTION_INVALID'],
    ['an argument whose default is none of its choices', { args: { m: { choices: ['x'], default: 'y' } } }, 'a ARG_INVALID'],
  ])('%s is refused', (_, fields, expected) => {
    expect(faults({ name: 'wf', steps: [{ id: 'a', next: null, ...fields }] })).toEqual([expected]);
  });

  test('a contract is copied: what its author does with the object later changes nothing', () => {
    const document = { path: 'a.md', minWords: undefined };
    const contract = { documents: [document] };
    expect(first({ id: 'a', contract, next: null } as never).contract).toEqual({ documents: [{ path: 'a.md' }] });
    expect(Object.isFrozen(document)).toBe(false);
  });

  test('a misspelt field is reported with a suggestion', () => {
    const [problem] = problems({ name: 'wf', steps: [{ id: 'a', postcondition: [], next: null }] });
    expect(problem?.message).toContain('did you mean "postconditions"?');
  });

  test('a reconcile function is itself the recovery', () => {
    expect(first({ id: 'a', reconcile: () => true, next: null }).recovery).toBe('reconcile');
  });
});

describe('a compiled workflow', () => {
  const compiled = compileGraph(
    {
      name: 'wf',
      version: '2',
      steps: [
        { id: 'a', actions: ['x'], handler: () => Outcome.OK, postconditions: [{ name: 'p', check: () => true, error: 'e' }], next: null },
      ],
    },
    REGISTRY,
  );

  test('does not change, however deep', () => {
    const { definition } = compiled as { definition: { -readonly [K in keyof Definition]: Definition[K] } };
    expect(() => {
      definition.name = 'other';
    }).toThrow(TypeError);
    expect(() => (definition.steps as StepModel[]).push(definition.steps[0] as StepModel)).toThrow(TypeError);
    expect(() => Object.assign(definition.steps[0]?.next.ok as object, { to: 'b' })).toThrow(TypeError);
    expect(() => ((definition.steps[0] as StepModel).actions as string[]).push('y')).toThrow(TypeError);
    expect(() => (compiled.code as Map<string, unknown>).set('a', {})).toThrow('a compiled workflow is immutable');
    expect(() => Object.assign(compiled.code.get('a') as object, { run: undefined })).toThrow(TypeError);
  });

  test('does not change with the object it was made from', () => {
    const actions = ['x'];
    const args = { n: { description: '', required: false, choices: [{ deep: 1 }] } };
    const { definition } = compileGraph({ name: 'wf', steps: [{ id: 'a', actions, args, next: null }] }, REGISTRY);
    actions.push('y');
    (args.n.choices[0] as { deep: number }).deep = 2;
    expect(definition.steps[0]).toMatchObject({ actions: ['x'], args: { n: { choices: [{ deep: 1 }] } } });
  });

  test('is data: it is the same after being stored', () => {
    expect(JSON.parse(JSON.stringify(compiled.definition))).toEqual(compiled.definition);
    expect(compiled.definition.version).toBe('2');
  });

  test('has the same hash in both spellings and in any order of keys', () => {
    const native = compileGraph(
      { name: 'wf', title: 'T', entry: 'a', steps: [{ id: 'a', command: 'x', timeout: '60s', next: null }] },
      REGISTRY,
    );
    const other = compileGraph(
      {
        steps: [{ next: { ok: null, skip: null }, timeout: '1m', command: 'x', name: 'a' }],
        initialStep: 'a',
        name: 'T',
        type: 'wf',
      },
      REGISTRY,
    );
    expect(other.hash).toBe(native.hash);
    expect(compileGraph({ name: 'wf', title: 'T', steps: [{ id: 'a', command: 'y', next: null }] }, REGISTRY).hash).not.toBe(native.hash);
  });

  test('has another code hash when a function, or what it is for, changes', () => {
    const of = (step: Partial<StepSpec>) => graph({ id: 'a', next: null, ...step } as StepSpec).codeHash;
    const check = (x: number) => [{ name: 'p', check: x === 1 ? () => true : () => false, error: 'e' }];
    expect(of({ preconditions: check(1) })).toBe(of({ preconditions: check(1) }));
    expect(of({ preconditions: check(1) })).not.toBe(of({ preconditions: check(2) }));
    expect(of({ preconditions: check(1) })).not.toBe(of({ postconditions: check(1) }));
    expect(of({ handler: () => 1 })).not.toBe(of({ handler: () => 2 }));
  });

  test('keeps the workflows its steps start, once each', () => {
    const child = compileGraph({ name: 'child', steps: [{ id: 'a', next: null }] }, REGISTRY);
    const parent = graph({ id: 'a', workflow: child, next: 'b' }, { id: 'b', workflow: { compiled: child }, next: null });
    expect([...parent.children]).toEqual([['child', child]]);
    const other = compileGraph({ name: 'child', steps: [{ id: 'b', next: null }] }, REGISTRY);
    expect(() => graph({ id: 'a', workflow: child, next: 'b' }, { id: 'b', workflow: other, next: null })).toThrow(
      expect.objectContaining({ code: 'WORKFLOW_DUPLICATE' }),
    );
  });
});

describe('an invalid workflow', () => {
  test('is refused with all its faults, in one error that says what to do', () => {
    const spec = {
      name: 'wf',
      colour: 'red',
      steps: [
        { id: 'plan', command: 'x', handler: () => {}, next: 'implemnt' },
        { id: 'implement', timeout: 'soon' },
      ],
    };
    expect(faults(spec)).toEqual([
      'plan KIND_AMBIGUOUS',
      'implement TIMEOUT_INVALID',
      'FIELD_UNKNOWN',
      'implement NEXT_MISSING',
      'plan TARGET_UNKNOWN',
      'implement UNREACHABLE',
    ]);
    expect(() => compileGraph(spec as unknown as GraphSpec, REGISTRY)).toThrow(
      /workflow "wf" has 6 problems:.*\(did you mean "implement"\?\)/s,
    );
    expect(() => compileGraph({ name: 'wf', steps: [{ id: 'a' }] }, REGISTRY)).toThrow(
      'workflow "wf" is not valid: step "a": `next` is missing; write `next: null` to end the run here, or name a step',
    );
  });
});
