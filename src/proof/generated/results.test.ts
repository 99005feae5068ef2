import { expect, test } from 'vitest';
import type { Definition } from '../../definition/model.ts';
import { arg, defineWorkflow, step, workflow } from '../../index.ts';
import { testWorkflow } from './results.ts';

const BOOM = (): never => {
  throw new Error('no handler is called');
};

/** Every kind of work, none of which may be done. */
const everything = defineWorkflow({
  name: 'everything',
  params: { mode: arg({ choices: ['full', 'quick'], default: 'full' }) },
  steps: {
    think: {
      handler: BOOM,
      args: { iteration: arg({ min: 1, max: 3 }) },
      next: { ok: 'write', iterate: { to: 'think', maxIterations: 3, onExhausted: 'write' }, error: 'escalate' },
    },
    write: { agent: 'writer', prompt: 'Write it.', next: { ok: 'build', fail: 'escalate' } },
    build: { command: 'exit 1', next: { ok: 'check', fail: { to: 'write', maxIterations: 2, onExhausted: 'fail' } } },
    check: {
      gate: { checks: [{ check: 'command', run: 'exit 1' }] },
      next: { ok: 'ask', fail: { to: 'write', maxIterations: 2, onExhausted: 'escalate' } },
    },
    ask: {
      human: {
        prompt: 'Publish?',
        options: [
          { label: 'yes', nextStep: 'pause' },
          { label: 'no', nextStep: 'write' },
        ],
      },
      next: 'pause',
    },
    pause: { delay: { duration: '1d' }, next: 'wake' },
    wake: { signal: 'go', next: 'all' },
    all: {
      parallel: { branches: { left: { command: 'exit 1' }, right: { handler: BOOM } } },
      next: { ok: null, fail: 'fail', reject: 'reject' },
    },
  },
});

test('generated tests pass on every kind of step, and run no code of the author', async () => {
  const { results, ...summary } = await testWorkflow(everything);
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(summary).toMatchObject({ workflow: 'everything', ok: true, failed: 0, passed: 6 + 7 * 2 + 2 * 2 + 4 });
});

test('generated tests follow both targets of a choice that only a run can make, and every outcome', async () => {
  const chosen = defineWorkflow({
    name: 'chosen',
    steps: {
      count: {
        handler: BOOM,
        next: {
          ok: { condition: 'result.n > 3', onTrue: 'many', onFalse: 'few' },
          timeout: 'escalate',
          skip: 'few',
          _default: 'reject',
        },
      },
      many: {
        condition: 'checkpoint.n < 9',
        handler: BOOM,
        next: { ok: { condition: 'outputs.count.n > 5', onTrue: 'few', onFalse: null } },
      },
      few: { handler: BOOM, next: null },
    },
  });
  expect((await testWorkflow(chosen, { category: 'steps' })).results.map(({ id, problems }) => [id, problems])).toEqual([
    ['chosen/count', []],
    ['chosen/many', []],
    ['chosen/few', []],
  ]);
  const { compiled } = chosen;
  const steps = compiled.definition.steps.filter(({ id }) => id !== 'many');
  const broken = await testWorkflow(
    { ...compiled, definition: { ...compiled.definition, steps } as Definition },
    { filter: 'chosen/count' },
  );
  expect(broken.results[0]?.problems).toEqual([expect.stringContaining('outcome "ok"')]);
});

test('generated tests are chosen by category and by id', async () => {
  const chosen = async (options: Parameters<typeof testWorkflow>[1]) =>
    (await testWorkflow(everything, options)).results.map(({ id }) => id);
  expect(await chosen({ category: ['import', 'structure'] })).toEqual(['everything/import', 'everything/structure']);
  expect(await chosen({ category: 'domain' })).toEqual(['everything/domain:mode', 'everything/domain:think.iteration']);
  expect(await chosen({ filter: 'everything/write:mode=full' })).toEqual(['everything/write:mode=full']);
  expect(await chosen({ filter: 'think', category: 'steps' })).toHaveLength(6);
});

test('generated tests of a flow have no steps, since those are known only while it runs', async () => {
  const flow = workflow('stroll', { params: { n: arg({ min: 1, max: 2, default: 1 }) } }, function* () {
    return yield* step('one').task(() => 1);
  });
  expect((await testWorkflow(flow)).results.map(({ id, ok }) => [id, ok])).toEqual([
    ['stroll/import', true],
    ['stroll/structure', true],
    ['stroll/domain:n', true],
  ]);
});

const problemsOf = async (...[subject, options]: Parameters<typeof testWorkflow>) =>
  (await testWorkflow(subject, options)).results.flatMap(({ id, problems }) => (problems.length === 0 ? [] : [[id, ...problems]]));
const MODE = { mode: arg({ choices: ['full', 'quick'], default: 'full' }) };

test('a generated test fails for the values for which a condition cannot be evaluated', async () => {
  const sized = defineWorkflow({
    name: 'sized',
    params: { size: arg({ choices: [1, 'large'] }) },
    steps: {
      one: { handler: BOOM, next: { ok: { condition: 'params.size + 1 > 1', onTrue: null, onFalse: 'two' } } },
      two: { handler: BOOM, next: null },
    },
  });
  expect(await problemsOf(sized, { category: 'steps' })).toEqual([
    ['sized/one:size=large', expect.stringMatching(/^outcome "ok": .*params\.size \+ 1 > 1/)],
  ]);
});

test('a generated test fails if the text of a step cannot be built for a value', async () => {
  const text = ({ mode }: { readonly [name: string]: unknown }) => {
    if (mode === 'quick') throw new Error('there is no quick way');
    return 'Do it.';
  };
  const told = defineWorkflow({
    name: 'told',
    params: MODE,
    steps: {
      one: { agent: 'dev', prompt: ({ params }) => text(params), next: 'two' },
      two: { actions: (params: { readonly [name: string]: unknown }) => [text(params)], next: null },
    },
  });
  expect(await problemsOf(told, { category: 'steps' })).toEqual([
    ['told/one:mode=quick', expect.stringContaining('there is no quick way')],
    ['told/two:mode=quick', 'its text cannot be built: there is no quick way'],
  ]);
});

test('a generated test fails if a function returns no text, unless it reads data that only a run has', async () => {
  const told = defineWorkflow({
    name: 'told',
    steps: {
      plan: { agent: 'dev', prompt: () => ' ', next: 'all' },
      all: {
        parallel: {
          branches: { a: { agent: 'dev', prompt: () => undefined as unknown as string }, b: { agent: 'dev', prompt: 'Look.' } },
        },
        next: 'last',
      },
      last: { agent: 'dev', prompt: ({ results }) => String(results.plan?.output), next: null },
    },
  });
  expect(await problemsOf(told, { category: 'steps' })).toEqual([
    ['told/plan', 'its prompt is empty'],
    ['told/all/a', 'its prompt must be a string, but its function returned undefined'],
  ]);
});

test('a generated test fails if an outcome leads to a step that does not exist', async () => {
  const { compiled } = defineWorkflow({
    name: 'gone',
    steps: { one: { handler: BOOM, next: { ok: 'two', fail: 'escalate' } }, two: { handler: BOOM, next: null } },
  });
  const [one, two] = compiled.definition.steps;
  const steps = [{ ...one, next: { ...one?.next, fail: { to: { step: 'three' } } } }, two] as typeof compiled.definition.steps;
  const found = await problemsOf({ ...compiled, definition: { ...compiled.definition, steps } as Definition });
  expect(found.map(([id, problem]) => [id, problem])).toEqual([
    ['gone/structure', expect.stringContaining('three')],
    ['gone/one', expect.stringContaining('outcome "fail"')],
  ]);
});

test('a generated test fails if its cases cannot be listed', async () => {
  const open = defineWorkflow({
    name: 'open',
    params: { issue: arg({ type: 'integer', required: true }) },
    steps: { one: { handler: BOOM, next: null } },
  });
  expect(await problemsOf(open)).toEqual([['open/steps', expect.stringContaining('"issue" of workflow "open"')]]);
  expect(await problemsOf(open, { values: { issue: [7] } })).toEqual([]);
  expect(await problemsOf(open, { values: { issue: ['seven'] }, category: 'domain' })).toEqual([
    ['open/domain:issue', '"seven" is one of its values, but is rejected'],
  ]);
});
