import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import type { Json } from '../base/json.ts';
import type { StepContext } from '../definition/code.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { type AttemptFields, createAttemptRequest } from '../proof/attempt-request.ts';
import { createAttemptRunner } from './runner.ts';
import type { StepServices } from './services.ts';

const SERVICES: StepServices = { cwd: '.', now: () => 0 };
const runner = createAttemptRunner(SERVICES, REGISTRY);
const run = (fields: AttemptFields) => runner(createAttemptRequest(fields));
const ok = { outcome: 'ok', output: null };
const condition = (name: string, error = `${name} is not met`) => ({ name, error });

/** What a handler sees of its context. */
async function seen<T>(fields: Omit<AttemptFields, 'kind'>, look: (ctx: StepContext) => T): Promise<T> {
  let found: T | undefined;
  const result = await run({
    kind: 'task',
    ...fields,
    code: {
      run: (ctx) => {
        found = look(ctx);
        return ok;
      },
    },
  });
  expect(result).toMatchObject({ type: 'settled' });
  return found as T;
}

describe('preconditions', () => {
  test.each([
    ['does not hold', () => false, 'PRECONDITION_FAILED', 'Book not found (precondition "book_exists" of step "work")', false],
    ['rejects', async () => Promise.reject(new Error('no db')), 'CONDITION_ERROR', expect.stringContaining('no db'), null],
    ['gives no boolean', () => 'yes' as unknown as boolean, 'CONDITION_ERROR', expect.stringContaining('a string'), null],
  ])('when a precondition %s, nothing runs', async (...row) => {
    const [, check, code, message, passed] = row;
    let ran = false;
    const work = () => {
      ran = true;
      return ok;
    };
    const result = await run({
      kind: 'task',
      model: { preconditions: [condition('first'), condition('book_exists', 'Book not found')] },
      code: { run: work, preconditions: [() => true, check] },
    });
    expect(result).toMatchObject({
      type: 'errored',
      error: { code, message, reason: 'precondition' },
      evidence: {
        preconditions: [
          { name: 'first', passed: true },
          { name: 'book_exists', passed },
        ],
      },
    });
    expect(ran).toBe(false);
  });

  test('preconditions that are evaluated when the attempt is stopped start nothing', async () => {
    const controller = new AbortController();
    const stop = () => {
      controller.abort();
      return true;
    };
    const code = { run: () => expect.unreachable(), preconditions: [stop] };
    const result = await run({ kind: 'task', signal: controller.signal, model: { preconditions: [condition('a')] }, code });
    expect(result).toMatchObject({ type: 'errored', error: { message: expect.stringContaining('stopped') } });
  });

  test('only preconditions are checked when a wait is prepared', async () => {
    const fields = { kind: 'human', want: 'prepare', model: { preconditions: [condition('ready')] } } as const;
    expect(await run({ ...fields, code: { preconditions: [() => true] } })).toMatchObject({ type: 'ready' });
    expect(await run({ ...fields, code: { preconditions: [() => false] } })).toMatchObject({ error: { code: 'PRECONDITION_FAILED' } });
  });
});

describe('handed-out work', () => {
  const roles = { driven: { driver: 'scripted' }, attended: { driver: 'attended' } };
  const attended = { data: { $attended: true } };
  const agent = { execute: () => 'done' };
  test.each<[string, boolean, Omit<AttemptFields, 'want'>]>([
    ['an agent in an attended run', true, { kind: 'agent', config: { role: 'any' }, snapshot: attended }],
    ['a generator in an attended run', true, { kind: 'generate', config: { generator: 'any' }, snapshot: attended }],
    ['a generator whose role is attended', true, { kind: 'generate', config: { generator: 'attended' } }],
    ['a role with a driver', false, { kind: 'agent', config: { role: 'driven' }, snapshot: attended }],
    ['a live object', false, { kind: 'agent', config: { role: 'any' }, snapshot: attended, code: { agent } }],
    ['an agent in a driven run', false, { kind: 'agent', config: { role: 'any' } }],
    ['a task', false, { kind: 'task', snapshot: attended }],
  ])('handed-out work is marked before it begins: %s: %s', async (_what, isHandedOut, fields) => {
    const result = await createAttemptRunner({ ...SERVICES, roles }, REGISTRY)(createAttemptRequest({ ...fields, want: 'prepare' }));
    expect([result.type, 'handsOut' in result]).toEqual(['ready', isHandedOut]);
  });
});

describe('postconditions', () => {
  const model = { postconditions: [condition('a'), condition('b'), condition('c')] };

  test('postconditions are all evaluated, and those that do not hold are reported', async () => {
    const result = await run({
      kind: 'task',
      model,
      code: { run: () => ok, postconditions: [() => false, () => true, async () => false] },
    });
    expect(result).toMatchObject({
      error: { message: 'a is not met (postcondition "a" of step "work"); c is not met (postcondition "c" of step "work")' },
      evidence: { postconditions: [{ passed: false }, { passed: true }, { passed: false }] },
    });
  });

  test('a postcondition that throws is not a pass', async () => {
    const broken = (ctx: { result: { id: number } }) => ctx.result.id > 0;
    const result = await run({
      kind: 'task',
      model: { postconditions: [condition('a')] },
      code: { run: () => ok, postconditions: [broken] },
    });
    expect(result).toMatchObject({ type: 'errored', error: { code: 'CONDITION_ERROR', reason: 'contract' } });
  });

  test('a postcondition without a check is not a pass', async () => {
    const result = await run({ kind: 'task', model: { postconditions: [condition('a')] }, code: { run: () => ok } });
    expect(result).toMatchObject({ type: 'errored', error: { code: 'CONDITION_ERROR' } });
  });

  test('postconditions are not evaluated if the outcome is not ok', async () => {
    const code = { run: () => ({ outcome: 'fail', output: null }), postconditions: [() => false] };
    expect(await run({ kind: 'task', model: { postconditions: [condition('a')] }, code })).toMatchObject({
      type: 'settled',
      outcome: 'fail',
    });
  });

  test.each([
    ['result.n == params.n && result.n == checkpoint.n', true],
    ['outputs.plan.ok && checkpoint.results.plan.ok', true],
    ["'plan' in checkpoint.completedSteps && checkpoint.lastDecision == null && item == 'x'", true],
    ['result.n > 5', false],
    ['result.misspelt', null],
  ])('postconditions can be expressions over the run: %s', async (expression, passed) => {
    const result = await run({
      kind: 'task',
      params: { n: 3 },
      item: 'x',
      snapshot: { results: { plan: { ok: true } }, completedSteps: ['plan'] },
      model: { postconditions: [{ ...condition('a'), expression }] },
      code: { run: () => ({ outcome: 'ok', output: { n: 3 } }) },
    });
    expect(result).toMatchObject({ evidence: { postconditions: [{ passed }] } });
  });
});

describe('context', () => {
  test('the context has the facts of the attempt', async () => {
    const facts = await seen(
      {
        activation: { path: 'each#2/k', member: { group: 'each#2', key: 'k', index: 0 }, attempt: 3, feedback: 'no chapter changed' },
        item: { id: 1 },
      },
      ({ runId, workflow, stepId, path, attempt, idempotencyKey, item, itemKey, retryContext, result }) => ({
        ...{ runId, workflow, stepId, path, attempt, idempotencyKey, item, itemKey, retryContext, result },
      }),
    );
    expect(facts).toEqual({
      runId: 'run1',
      workflow: 'example',
      stepId: 'work',
      path: 'each#2/k',
      attempt: 3,
      idempotencyKey: 'run1/each#2/k/3',
      item: { id: 1 },
      itemKey: 'k',
      retryContext: { error: 'no chapter changed', attempt: 3 },
      result: undefined,
    });
  });

  test('the context has the data over the params, and the names of completed steps', async () => {
    const fields = {
      params: { threshold: 1, mode: 'x' },
      snapshot: {
        data: { threshold: 2, completedSteps: 'forged' },
        results: { plan: { areas: ['a'] } },
        completedSteps: ['plan'],
        iterationCounts: { plan: 1 },
        decision: { step: 'g', option: 'yes' },
      },
    };
    expect(await seen(fields, ({ params, results, checkpoint }) => ({ params, results, checkpoint }))).toEqual({
      params: { threshold: 1, mode: 'x' },
      results: { plan: { output: { areas: ['a'] } } },
      checkpoint: {
        threshold: 2,
        mode: 'x',
        completedSteps: ['plan'],
        results: { plan: { areas: ['a'] } },
        iterationCounts: { plan: 1 },
        lastDecision: { step: 'g', option: 'yes' },
      },
    });
  });

  test('the context is deeply frozen, and does not change the record of the host', async () => {
    const data = { areas: ['a'] };
    const change = (ctx: StepContext) => () => (ctx.checkpoint.areas as string[]).push('b');
    const attempts = await seen({ snapshot: { data }, params: { deep: { n: 1 } } }, (ctx) => [
      change(ctx),
      () => Object.assign(ctx.params.deep as object, { n: 2 }),
      () => Object.assign(ctx.checkpoint, { x: 1 }),
    ]);
    for (const attempt of attempts) expect(attempt).toThrow(TypeError);
    expect(Object.isFrozen(data)).toBe(false);
  });

  test('the context has the fields of the application, built once per attempt', async () => {
    let built = 0;
    const result = await run({
      kind: 'task',
      params: { book: 'b1' },
      context: async ({ runId, workflow, params }) => {
        built += 1;
        return { id: `${workflow}/${runId}/${String(params.book)}` };
      },
      model: { preconditions: [condition('a')], postconditions: [condition('b')] },
      code: {
        preconditions: [(ctx: { id: string }) => ctx.id === 'example/run1/b1'],
        run: (ctx) => ({ outcome: 'ok', output: (ctx as unknown as { id: string }).id }),
        postconditions: [(ctx: { id: string; result: string }) => ctx.id === ctx.result],
      },
    });
    expect(result).toMatchObject({ type: 'settled', outcome: 'ok', output: 'example/run1/b1' });
    expect(built).toBe(1);
  });

  test.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new Error('no database')), 'no database'],
    ['is no object', () => 5, 'must be an object, not a number'],
    ['claims a name of the engine', () => ({ result: 'forged' }), 'has a field "result"'],
  ])('the context that %s fails the attempt before anything runs', async (_how, context, message) => {
    const result = await run({ kind: 'task', context, code: { run: () => expect.unreachable() } });
    expect(result).toMatchObject({ type: 'errored', error: { code: 'CONTEXT_FAILED', message: expect.stringContaining(message) } });
  });

  test('the context waits for a record that has to be loaded', async () => {
    const record = { data: { n: 1 }, results: {}, completedSteps: [], iterationCounts: {}, decision: undefined };
    expect(await seen({ snapshot: async () => record }, (ctx) => ctx.checkpoint.n)).toBe(1);
  });

  test('the context loads no record for a task of a flow whose arguments are given', async () => {
    const code = { run: () => ok };
    const snapshot = () => expect.unreachable();
    expect(await run({ kind: 'task', form: 'flow', config: { args: [1] }, snapshot, code })).toMatchObject({ type: 'settled' });
  });
});

describe('reconciliation', () => {
  const post = { model: { postconditions: [condition('a')] } };
  const reconcile = (fields: Partial<AttemptFields>) => run({ kind: 'task', want: 'reconcile', ...fields });

  test.each<[string, Partial<AttemptFields>, object]>([
    ['took effect, says its author', { code: { reconcile: async () => true } }, { type: 'settled', outcome: 'ok', output: null }],
    ['took effect and left a result', { code: { reconcile: () => ({ output: { id: 1 } }) } }, { type: 'settled', output: { id: 1 } }],
    ['took no effect, says its author', { code: { reconcile: () => false } }, { type: 'ready' }],
    [
      'took effect, says its contract',
      { ...post, code: { postconditions: [() => true] } },
      { type: 'settled', outcome: 'ok', output: null },
    ],
    ['took no effect, says its contract', { ...post, code: { postconditions: [() => false] } }, { type: 'ready' }],
  ])('an attempt left without an end %s', async (_what, fields, expected) => {
    expect(await reconcile(fields)).toMatchObject(expected);
  });

  test.each<[string, Partial<AttemptFields>]>([
    ['its author cannot tell', { code: { reconcile: () => Promise.reject(new Error('db gone')) } }],
    ['its author gives neither yes nor no', { code: { reconcile: () => undefined } }],
    ['its contract cannot be evaluated', { ...post, code: { postconditions: [() => Promise.reject(new Error('db gone'))] } }],
    ['there is nothing to look at', {}],
  ])('an attempt left without an end is neither done nor run again when %s', async (_what, fields) => {
    expect(await reconcile(fields)).toMatchObject({
      type: 'errored',
      error: { code: 'CONDITION_ERROR', reason: 'error', retryable: false },
    });
  });
});

describe('tasks', () => {
  test('a task that throws is an error with its text', async () => {
    const result = await run({ kind: 'task', code: { run: () => Promise.reject(new TypeError('x is not a function')) } });
    expect(result).toMatchObject({
      type: 'errored',
      error: { code: 'STEP_FAILED', message: 'x is not a function', reason: 'error' },
      evidence: { thrown: expect.stringContaining('runner.test.ts') },
    });
  });

  test.each<[string, unknown, string]>([
    ['a function', { f: () => 1 }, 'f is a function'],
    ['no number', { a: [Number.NaN] }, 'a[0] is NaN'],
    ['a live object', { m: new Map() }, 'm is a Map'],
  ])('a task that returns %s has no output', async (_what, output, message) => {
    const result = await run({ kind: 'task', code: { run: () => ({ outcome: 'ok', output }) } });
    expect(result).toMatchObject({ type: 'errored', error: { code: 'STEP_OUTPUT_INVALID', message: expect.stringContaining(message) } });
  });

  test('a task is not awaited once the attempt is stopped', async () => {
    const controller = new AbortController();
    const never = () => {
      queueMicrotask(() => controller.abort());
      return new Promise<typeof ok>(() => {});
    };
    expect(await run({ kind: 'task', signal: controller.signal, code: { run: never } })).toMatchObject({
      type: 'errored',
      error: { code: 'STEP_FAILED', message: expect.stringContaining('stopped') },
    });
  });

  test('a task does not begin when the attempt was stopped before', async () => {
    const result = await run({ kind: 'task', signal: AbortSignal.abort(), code: { run: () => expect.unreachable() } });
    expect(result).toMatchObject({ type: 'errored', error: { message: expect.stringContaining('stopped') } });
  });

  test.each(['graph', 'flow'] as const)('a task adds almost no time to the function, in a %s', async (form) => {
    const code = { run: form === 'flow' ? async () => ok : () => ok };
    const request = createAttemptRequest({ kind: 'task', form, config: { args: [] }, code });
    for (let index = 0; index < 2000; index += 1) await runner(request);
    // The fastest of several: the worker's other garbage may be collected meanwhile.
    let fastestMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && fastestMs >= 300; round += 1) {
      const startedMs = cpuTimeMs();
      for (let index = 0; index < 10_000; index += 1) await runner(request);
      fastestMs = Math.min(fastestMs, cpuTimeMs() - startedMs);
    }
    expect(fastestMs).toBeLessThan(300);
  });
});

describe('secrets', () => {
  const masking = createAttemptRunner({ ...SERVICES, secrets: { TOKEN: 's3cr3t-token-value' } }, REGISTRY);
  const ask = (fields: AttemptFields) => masking(createAttemptRequest(fields));
  const text = 'got s3cr3t-token-value';

  test.each<[string, AttemptFields]>([
    ['outputs', { kind: 'task', code: { run: () => ({ outcome: 'ok', output: { [text]: [text, { deep: text }] } }) } }],
    ['errors and their stacks', { kind: 'task', code: { run: () => Promise.reject(new Error(text)) } }],
    [
      'claims of a broken contract',
      {
        kind: 'task',
        model: { postconditions: [condition('a', text)] },
        code: { run: () => ({ outcome: 'ok', output: text }), postconditions: [() => false] },
      },
    ],
    [
      'encoded forms',
      { kind: 'task', code: { run: () => ({ outcome: 'ok', output: Buffer.from('s3cr3t-token-value').toString('base64') }) } },
    ],
  ])('secrets are masked in %s', async (_where, fields) => {
    const told = JSON.stringify(await ask(fields));
    expect(told).toContain('[redacted:TOKEN]');
    expect(told).not.toContain('s3cr3t-token-value');
    expect(told).not.toContain('czNjcjN0');
  });

  test('postconditions see the output as it will be stored', async () => {
    let looked: Json = null;
    const look = (ctx: { result: Json }) => {
      looked = ctx.result;
      return true;
    };
    const result = await ask({
      kind: 'task',
      model: { postconditions: [condition('a')] },
      code: { run: () => ({ outcome: 'ok', output: text }), postconditions: [look] },
    });
    expect(result).toMatchObject({ output: 'got [redacted:TOKEN]' });
    expect(looked).toBe('got [redacted:TOKEN]');
  });
});

test('a kind that only waits is not executed', async () => {
  expect(await run({ kind: 'signal' })).toMatchObject({ type: 'errored', error: { code: 'STEP_FAILED' } });
});

describe('templates', () => {
  const templated = (title: string, text: string) =>
    run({
      kind: 'gate',
      form: 'graph',
      config: {
        checks: [{ check: 'command', run: 'test "$TITLE" = "$WANTED"', env: { TITLE: text, WANTED: '{{ outputs.plan.title }}' } }],
      },
      model: { templates: true },
      params: { who: 'ann' },
      snapshot: { data: { title }, results: { plan: { title: 'ann: "; exit 0 #' } } },
    });

  test('templates of a step are rendered from the record of the run when the step begins, and rendered values stay data', async () => {
    expect(await templated('"; exit 0 #', '{{ params.who }}: {{ context.title }}')).toMatchObject({ type: 'settled', outcome: 'ok' });
    expect(await templated('other', '{{ params.who }}: {{ context.title }}')).toMatchObject({ type: 'settled', outcome: 'fail' });
  });

  test('templates of a step that name something missing fail the attempt, and nothing runs', async () => {
    expect(await templated('x', '{{ context.titel }}')).toMatchObject({
      type: 'errored',
      error: { code: 'EXPRESSION_EVALUATION', message: expect.stringContaining('titel') },
    });
  });
});

test('a report without a pending result is an error, not a success', async () => {
  const fields = { kind: 'agent', config: { role: 'dev' }, result: 'done' } as const;
  expect(await runner({ ...createAttemptRequest(fields), want: 'verify' })).toMatchObject({
    type: 'errored',
    error: { code: 'STEP_FAILED' },
  });
});
