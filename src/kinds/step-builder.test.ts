import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ResultOf } from '../authoring/flow/call.ts';
import type { AgentResult, CommandResult, GateResult, HumanResult, ValidateResult } from '../authoring/flow/result.ts';
import type { Json } from '../base/json.ts';
import type { StepContext } from '../definition/code.ts';
import { membersOf, type StepModel } from '../definition/model.ts';
import { step } from './step-builder.ts';

const ctx = { idempotencyKey: 'run/a#1/1' } as StepContext;
const greet = (name: string) => `hello ${name}`;

/** The model of a call, read as its kind has it. */
const modelOf = (call: { readonly bound: { readonly model: StepModel } }) => call.bound.model as StepModel & { readonly config: unknown };

describe('step(name)', () => {
  test('refuses names that could not be part of a path', () => {
    for (const name of ['', '@undo', 'a#1', 'a/b', 'a\nb', 'x'.repeat(201)]) expect(() => step(name)).toThrow('cannot be used');
    expect(step('fix ü-1.2').delay(1).bound.model.id).toBe('fix ü-1.2');
  });
});

describe('an argument that no method reads', () => {
  const given = step('a') as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  test.each([
    ['command', ['npm test', { timeout: '1s' }]],
    ['agent', [{ agent: 'a', prompt: 'p' }, { timeout: '1s' }]],
    ['generate', [{}, {}]],
    ['validate', [{}, {}]],
    ['review', [{}, {}]],
    ['gate', [{}, {}]],
    ['human', [{ prompt: 'p' }, ['yes']]],
    ['delay', ['1s', {}]],
    ['action', [{}, {}, {}]],
    ['webhook', [{}, {}, {}]],
    ['signal', ['go', {}, {}]],
    ['use', [{}, {}, {}, {}]],
    ['workflow', ['child', {}, {}, {}]],
    ['each', [[], () => given, {}, {}]],
    ['task', [{ action: greet, args: ['x'] }, 'you']],
  ])('is refused by .%s()', (method, args) => {
    expect(() => given[method]?.(...args)).toThrow(/^\.\w+\(\).* accepts at most \d arguments?, but got \d/);
  });

  test('is not what the function of a task takes', () => {
    expect(() => step('a').task((...all: number[]) => all.length, 1, 2, 3, 4, 5)).not.toThrow();
  });
});

describe('a task', () => {
  test('calls its function with its arguments and is ok with what it returns', async () => {
    const { model, code } = step('hi').task(greet, 'you').bound;
    await expect(code.run?.(ctx)).resolves.toEqual({ outcome: 'ok', output: 'hello you' });
    expect(model).toMatchObject({ kind: 'task', config: { args: ['you'] }, recovery: 'ask', retry: { max: 0, on: ['error'] } });
  });

  test('does not take a returned outcome word for an outcome', async () => {
    await expect(
      step('word')
        .task(() => 'fail')
        .bound.code.run?.(ctx),
    ).resolves.toEqual({ outcome: 'ok', output: 'fail' });
  });

  test('can build its arguments from the context', async () => {
    const { code } = step('key').task({ action: greet, args: (context) => [context.idempotencyKey], timeout: '2s' }).bound;
    await expect(code.run?.(ctx)).resolves.toEqual({ outcome: 'ok', output: 'hello run/a#1/1' });
  });

  test('has typed arguments', () => {
    // @ts-expect-error: a number is no name.
    step('x').task(greet, 1);
    // @ts-expect-error: the name is missing.
    step('x').task(greet);
    // @ts-expect-error: a number is no name.
    step('x').task({ action: greet, args: [1] });
    expect(() => step('x').task(undefined as never)).toThrow('step "x" has no function to call');
  });
});

describe('an agent', () => {
  test('is a role by name or a live object, which stays out of the model', () => {
    const live = { name: 'me', execute: async (context: { branch: string }) => context.branch };
    const named = step('review').agent({ agent: 'reviewer', context: { branch: 'main' }, prompt: 'look' }).bound;
    const object = step('review').agent({ agent: live, context: { branch: 'main' } }).bound;
    expect(named).toMatchObject({ model: { kind: 'agent', config: { role: 'reviewer', prompt: 'look', context: { branch: 'main' } } } });
    expect(named.code.agent).toBeUndefined();
    expect(modelOf({ bound: object }).config).toEqual({ context: { branch: 'main' } });
    expect(object.code.agent).toBe(live);
    expect(Object.isFrozen(live)).toBe(false);
    // @ts-expect-error: this agent wants a branch.
    step('review').agent({ agent: live, context: { tree: 'main' } });
  });

  test('takes a context builder as code', async () => {
    const build = async (context: StepContext) => ({ files: context.results.implement?.output });
    const { model, code } = step('review').agent({ agent: 'reviewer', context: build }).bound;
    expect(model).toMatchObject({ config: { role: 'reviewer' } });
    expect(code.context).toBe(build);
  });

  test('refuses a context that is not a plain object, and an invalid worker', () => {
    expect(() => step('r').agent({ agent: 'x', context: { f: () => 1 } })).toThrow(
      'step "r" cannot be built: `agent` is not plain JSON: context.f is a function',
    );
    expect(() => step('r').agent({ agent: 'x', context: ['a'] })).toThrow('step "r" cannot be built: `context` must be an object');
    expect(() => step('r').agent({ agent: {} as never })).toThrow(
      'step "r" cannot be built: `agent` must be a role or an object with execute(context, ctx)',
    );
    expect(() => step('r').agent({ prompt: 'p' } as never)).toThrow('step "r" cannot be built: `agent` is missing');
    expect(() => step('r').generate({ generator: '' })).toThrow('step "r" cannot be built: `generate` must be the name of a role');
  });
});

describe('validate', () => {
  test('repairs three times unless told otherwise, and null stages are the default set', () => {
    expect(step('v').validate().bound.model).toMatchObject({ stages: null, repairs: 3 });
    expect(step('v').validate({ stages: 'ci', retry: 0 }).bound.model).toMatchObject({ stages: 'ci', repairs: 0 });
    expect(() => step('v').validate({ retry: -1 })).toThrow('`retry` must be 0 or a positive integer');
  });
});

describe('a question to a person', () => {
  test('can be approved or rejected when it has no options; a rejection is an outcome of its own', () => {
    const { question } = step('ok').human({ prompt: 'Ship?', show: ['plan.title'] }).bound.model;
    expect(question).toEqual({
      prompt: 'Ship?',
      show: ['plan.title'],
      options: [
        { label: 'approve', outcome: 'ok', requiresInput: false },
        { label: 'reject', outcome: 'reject', requiresInput: false },
      ],
    });
  });

  test('returns a typed answer, without the options that are thrown', () => {
    const call = step('which').human({
      prompt: '?',
      options: ['a', 'reject', { label: 'later', requiresInput: true }, { label: 'no', outcome: 'reject' }],
    });
    expectTypeOf<ResultOf<typeof call>>().toEqualTypeOf<HumanResult<'a' | 'later'>>();
    expect(call.bound.model.question?.options.map(({ outcome }) => outcome)).toEqual(['ok', 'reject', 'ok', 'reject']);
    expect(step('x').human({ prompt: '?', options: [{ label: 'reject', outcome: 'ok' }] }).bound.model.question?.options[0]?.outcome).toBe(
      'ok',
    );
  });

  test('needs distinct answers, and one at least', () => {
    expect(() => step('q').human({ prompt: '?', options: [] })).toThrow('step "q" cannot be built: the question has no options');
    expect(() => step('q').human({ prompt: '?', signed: 'yes' as never })).toThrow('signed` must be true or false, not "yes"');
    expect(() => step('q').human({ prompt: '?', options: ['a', 'a'] })).toThrow('two options are called "a"');
  });
});

describe('the other kinds', () => {
  test('keep what the executors read', async () => {
    expect(modelOf(step('c').command('npm test')).config).toEqual({ run: 'npm test' });
    expect(modelOf(step('c').command(['npm', 'test'])).config).toEqual({ argv: ['npm', 'test'] });
    expect(modelOf(step('c').command({ run: 'x', env: { A: '1' }, cwd: 'sub' })).config).toEqual({
      run: 'x',
      env: { A: '1' },
      cwd: 'sub',
    });
    expect(modelOf(step('g').gate({ checks: ['npm test', { check: 'command', argv: ['x'], timeout: '5s' }] })).config).toEqual({
      checks: [
        { check: 'command', run: 'npm test' },
        { check: 'command', argv: ['x'], timeoutMs: 5000 },
      ],
    });
    expect(step('d').delay('1m').bound.model).toMatchObject({ durationMs: 60_000 });
    const polling = step('d').delay({ duration: '1h', poll: { interval: '10s', condition: () => true } }).bound;
    expect(polling.model).toMatchObject({ durationMs: 3_600_000, poll: { intervalMs: 10_000 } });
    expect(await polling.code.poll?.(ctx)).toBe(true);
    expect(step('s').signal('paid').bound.model).toMatchObject({ signal: 'paid' });
    expect(step('w').workflow('child', { a: 1 }).bound.model).toMatchObject({ workflow: 'child', input: { a: 1 } });
    expect(modelOf(step('n').generate({ generator: 'writer', context: { tone: 'dry' } })).config).toEqual({
      generator: 'writer',
      context: { tone: 'dry' },
    });
  });

  test('refuse a first argument of another type, naming the step and the method', () => {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(step('a'))).filter((name) => name !== 'constructor');
    expect(methods).toContain('gate');
    const call = (method: string, value: unknown): unknown => {
      try {
        (step('a') as unknown as Record<string, (value: unknown) => unknown>)[method]?.(value);
        return undefined;
      } catch (error) {
        return error;
      }
    };
    const raw = methods.flatMap((method) =>
      [null, 5, 'x', undefined, [], true, {}].flatMap((value) => {
        const error = call(method, value);
        return error === undefined || (error as { code?: string }).code === 'DEFINITION_INVALID' ? [] : [`${method}: ${String(error)}`];
      }),
    );
    expect(raw).toEqual([]);
    expect(call('gate', 'npm test')).toMatchObject({
      message: 'step "a" cannot be built: the argument of .gate() must be an object such as { checks: ["npm test"] }, not "npm test"',
    });
  });

  test('refuse invalid options, naming the step', () => {
    expect(() => step('c').command({} as never)).toThrow('step "c" cannot be built: exactly one of `run` and `argv` is required');
    const inner = { check: 'any_of', checks: ['npm test', { check: 'command', run: 'x', timeout: '5s' }] } as const;
    expect(modelOf(step('g').gate({ checks: [inner], flaky: 'quarantine' })).config).toEqual({
      checks: [
        {
          check: 'any_of',
          checks: [
            { check: 'command', run: 'npm test' },
            { check: 'command', run: 'x', timeoutMs: 5000 },
          ],
        },
      ],
      flaky: 'quarantine',
    });
    expect(() => step('g').gate({ checks: [] })).toThrow('step "g" cannot be built: `checks` must have at least one check');
    expect(() => step('g').gate({ checks: [{ check: 'command', run: 'x', expect: 'exit_code ==' }] })).toThrow(
      'step "g" cannot be built: check 1: expect is invalid',
    );
    expect(() => step('d').delay('soon' as never)).toThrow('step "d" cannot be built: `delay` must be a duration, not "soon"');
    expect(() => step('s').signal('')).toThrow('step "s" cannot be built');
    expect(() => step('w').workflow('child', [] as never)).toThrow('gives workflow "child" an input that is not an object');
  });

  test('have results of their own types', () => {
    expectTypeOf<ResultOf<ReturnType<typeof command>>>().toEqualTypeOf<CommandResult>();
    const command = () => step('c').command('x');
    const agent = step('a').agent({ agent: 'x' });
    expectTypeOf<ResultOf<typeof agent>>().toEqualTypeOf<AgentResult>();
    const text = step('a').generate({ generator: 'x' });
    expectTypeOf<ResultOf<typeof text>>().toEqualTypeOf<string>();
    const checked = step('v').validate();
    expectTypeOf<ResultOf<typeof checked>>().toEqualTypeOf<ValidateResult>();
    const passed = step('g').gate({ checks: ['true'] });
    expectTypeOf<ResultOf<typeof passed>>().toEqualTypeOf<GateResult>();
    const sent = step('s').signal('x');
    expectTypeOf<ResultOf<typeof sent>>().toEqualTypeOf<Json>();
    expect([command(), agent, text, checked, passed, sent].map(({ bound }) => bound.model.kind)).toEqual([
      'command',
      'agent',
      'generate',
      'validate',
      'gate',
      'signal',
    ]);
  });
});

describe('a fan-out', () => {
  const body = (item: unknown) => step('body').task(greet, String(item));

  test('has one member per item, named by the item’s key', () => {
    const { model, code } = step('all').each([{ id: 'x' }, { id: 'y' }], body, { concurrency: 2 }).bound;
    expect(model).toMatchObject({
      kind: 'parallel',
      join: { rule: 'all' },
      concurrency: 2,
      members: [{ id: 'x', title: 'body' }, { id: 'y' }],
    });
    expect(Object.keys(code.members)).toEqual(['x', 'y']);
    expect(membersOf(step('all').each(['a', 'a', 'b c'], body).bound.model).map(({ id }) => id)).toEqual(['a', '1', '2']);
    expect(membersOf(step('all').each([], body).bound.model)).toEqual([]);
  });

  test('takes keys from the author, which must be distinct and fit into a path', () => {
    expect(membersOf(step('all').each([5, 6], body, { key: (item) => `n${item}` }).bound.model).map(({ id }) => id)).toEqual(['n5', 'n6']);
    expect(() => step('all').each([5, 6], body, { key: () => 'n' })).toThrow('step "all" has two items with the key "n"');
    expect(() => step('all').each([5], body, { key: () => 'a/b' })).toThrow('has the item key "a/b"');
    expect(() => step('all').each([5], body, { concurrency: 0 })).toThrow('concurrency` must be a positive integer, not 0');
    expect(() => step('all').each(new Array(1_000_000_000), body)).toThrow('has 1000000000 items; a fan-out can have at most 100000');
    expect(() => step('all').each([5], () => step('in').each([1], body))).toThrow('step "all" cannot contain step "in"');
  });
});

describe('shared options', () => {
  test('can be chained, each giving a new call and leaving the old one as it was', () => {
    const plain = step('a').task(greet, 'you');
    const rich = plain
      .title('Greet')
      .retry({ max: 2, on: ['error', 'timeout'], backoff: { initial: '1s', max: '1m' } })
      .timeout('30s')
      .recovery('reconcile', () => 'done')
      .preconditions({ name: 'awake', check: () => true, error: 'wake up first' })
      .postconditions({ name: 'greeted', check: 'result != null' })
      .slots('mouth');
    expectTypeOf(rich).toEqualTypeOf(plain);
    expect(rich.bound.model).toMatchObject({
      title: 'Greet',
      retry: { max: 2, on: ['error', 'timeout'], backoff: { initialMs: 1000, factor: 2, maxMs: 60_000 } },
      timeoutMs: 30_000,
      recovery: 'reconcile',
      preconditions: [{ name: 'awake', error: 'wake up first' }],
      postconditions: [{ name: 'greeted', expression: 'result != null' }],
      slots: ['mouth'],
    });
    expect(rich.bound.code.preconditions).toHaveLength(1);
    expect(rich.bound.code.postconditions).toEqual([undefined]);
    expect(plain.bound.model).toMatchObject({ title: 'a', retry: { max: 0 }, recovery: 'ask', preconditions: [] });
  });

  test('a pause of a retry that is not an object is refused, with how to write it', () => {
    const paused = { max: 1, backoff: '1500ms' as never };
    expect(() => step('a').delay('1s').retry(paused)).toThrow('`retry.backoff` must be an object such as { initial: "1s" }');
  });

  test('can be given with what the step does', () => {
    const { model } = step('a').task({ action: greet, args: ['you'], retry: 1, timeout: '1s', slots: ['x'], contractRetries: 0 }).bound;
    expect(model).toMatchObject({ retry: { max: 1, on: ['error'] }, timeoutMs: 1000, slots: ['x'], contractRetries: 0 });
    expect(step('s').signal('paid', { timeout: '1d' }).bound.model.timeoutMs).toBe(86_400_000);
  });

  test('are refused when they are invalid', () => {
    const call = step('a').task(greet, 'you');
    expect(() => call.retry(-1)).toThrow('`retry` must be 0 or a positive integer');
    expect(() => call.timeout('soon' as never)).toThrow('step "a" cannot be built: `timeout` must be a duration, not "soon"');
    expect(() => call.recovery('reconcile' as never)).toThrow('needs the function `reconcile`');
    expect(() => call.postconditions({ name: 'odd', check: '1 +' })).toThrow('step "a" cannot be built: the check "odd" is invalid');
  });

  test('the models of steps are deeply frozen', () => {
    const { model } = step('a').agent({ agent: 'x', context: { list: [1] } }).bound;
    expect(() => ((modelOf({ bound: { model } }).config as { context: unknown }).context as { list: number[] }).list.push(2)).toThrow(
      TypeError,
    );
    expect(() => Object.assign(model, { id: 'b' })).toThrow(TypeError);
  });
});
