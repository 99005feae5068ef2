import { expect, test } from 'vitest';
import { defineWorkflow as defineCompat } from '../../compat/index.ts';
import { arg, defineWorkflow } from '../../index.ts';
import { type GenerateOptions, type GenerateSubject, generateInputs } from './inputs.ts';

const MODE = arg({ choices: ['full', 'quick'], default: 'full' });
const CONFIDENCE = arg({ choices: ['low', 'high'], default: 'low' });

/** Three steps: one for full mode only, one that repeats itself, one that ends. */
const think = defineWorkflow({
  name: 'think',
  params: { mode: MODE, iteration: arg({ min: 1, max: 3, default: 1 }) },
  steps: {
    plan: { handler: () => null, next: { ok: 'design', skip: 'refine' } },
    design: { condition: "params.mode == 'full'", handler: () => null, next: 'refine' },
    refine: {
      handler: () => null,
      args: { confidence: CONFIDENCE },
      next: { ok: 'end', iterate: { to: 'refine', maxIterations: 3, onExhausted: 'end' } },
    },
    end: { handler: () => null, next: null },
  },
});

const ids = (subject: GenerateSubject, options?: GenerateOptions): string[] => [...generateInputs(subject, options)].map(({ id }) => id);

test('generated cases are every combination at every step, in the order of the steps', () => {
  expect(ids(think)).toEqual([
    'think/plan:mode=full,iteration=1',
    'think/plan:mode=quick,iteration=1',
    'think/design:mode=full,iteration=1',
    ...['full', 'quick'].flatMap((mode) =>
      [1, 2, 3].flatMap((n) => ['low', 'high'].map((sure) => `think/refine:mode=${mode},iteration=${n},confidence=${sure}`)),
    ),
    'think/end:mode=full,iteration=1',
    'think/end:mode=quick,iteration=1',
  ]);
});

test('generated cases have unique ids, the number of their step and how many there are', () => {
  const cases = [...generateInputs(think.definition)];
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  for (const { step, number, totalSteps } of cases)
    expect([number, totalSteps]).toEqual([think.stepOrder.indexOf(step) + 1, think.totalSteps]);
});

test('generated cases leave out steps that the parameters exclude', () => {
  const forked = defineWorkflow({
    name: 'forked',
    params: { mode: MODE },
    steps: {
      start: { handler: () => null, next: { ok: { condition: "params.mode == 'quick'", onTrue: 'short', onFalse: 'long' } } },
      short: { handler: () => null, next: null },
      long: { handler: () => null, next: null },
    },
  });
  expect(ids(forked)).toEqual(['forked/start:mode=full', 'forked/start:mode=quick', 'forked/short:mode=quick', 'forked/long:mode=full']);
});

test('generated cases are the same for pawl/compat', () => {
  const handler = () => null;
  const other = defineCompat({
    name: 'think',
    params: { mode: MODE, iteration: arg({ min: 1, max: 3, default: 1 }) },
    steps: [
      { id: 'plan', handler, next: { ok: 'design', skip: 'refine' } },
      { id: 'design', handler, condition: "params.mode == 'full'", next: 'refine' },
      {
        id: 'refine',
        handler,
        args: { confidence: CONFIDENCE },
        next: { ok: 'end', iterate: { to: 'refine', maxIterations: 3, onExhausted: 'end' } },
      },
      { id: 'end', handler, next: null },
    ],
  });
  expect(ids(other)).toEqual(ids(think));
});

test('generated cases leave out values that the caller excludes', () => {
  const found = ids(think, { applies: (step, { mode }) => step !== 'plan' || mode === 'full' });
  expect(found.filter((id) => id.includes('/plan'))).toEqual(['think/plan:mode=full,iteration=1']);
});

test('generated cases give an argument the value of the parameter with its name', () => {
  const named = defineWorkflow({
    name: 'named',
    params: { mode: MODE },
    steps: { one: { handler: () => null, args: { mode: arg({ choices: ['quick', 'full'] }) }, next: null } },
  });
  expect([...generateInputs(named)].map(({ params, args }) => [params.mode, args.mode])).toEqual([
    ['full', 'full'],
    ['quick', 'quick'],
  ]);
});

test('generated cases include the branches of a step, and tell "true" from true', () => {
  const wide = defineWorkflow({
    name: 'wide',
    params: { flag: arg({ choices: [true, 'true', 'a b'] }) },
    steps: {
      both: {
        parallel: { branches: { left: { command: 'true', args: { n: arg({ min: 1, max: 2 }) } }, right: { command: 'true' } } },
        next: null,
      },
    },
  });
  expect(ids(wide, { values: { flag: [true] } })).toEqual([
    'wide/both:flag=true',
    'wide/both/left:flag=true,n=1',
    'wide/both/left:flag=true,n=2',
    'wide/both/right:flag=true',
  ]);
  expect(ids(wide).filter((id) => id.includes('right'))).toEqual([
    'wide/both/right:flag=true',
    'wide/both/right:flag="true"',
    'wide/both/right:flag="a b"',
  ]);
});

const open = (param: Parameters<typeof arg>[0]) =>
  defineWorkflow({
    name: 'open',
    params: { issue: arg(param as object), mode: MODE },
    steps: { one: { handler: () => null, next: null } },
  });

test('a parameter that cannot be listed is an error that names the parameter and says how to limit it', () => {
  expect(() => ids(open({ type: 'string', required: true }))).toThrow(
    expect.objectContaining({
      code: 'CASES_UNBOUNDED',
      message: expect.stringMatching(/^"issue" of workflow "open" is required.*choices.*-p issue=VALUE/),
    }),
  );
});

test('a parameter that cannot be listed is left out if it is optional, or gets the values of the caller', () => {
  expect(ids(open({ type: 'string' }))).toEqual(['open/one:mode=full', 'open/one:mode=quick']);
  expect(ids(open({ type: 'string', required: true }), { values: { issue: ['7'] } })).toEqual([
    'open/one:issue="7",mode=full',
    'open/one:issue="7",mode=quick',
  ]);
});

test('too many cases are an error that names the largest parameter', () => {
  expect(() => ids(open({ min: 1, max: 1e9 }))).toThrow(
    expect.objectContaining({ code: 'CASES_UNBOUNDED', message: expect.stringContaining('"issue" alone has 1000000000 values') }),
  );
  expect(() => ids(think, { casesMax: 16 })).toThrow(expect.objectContaining({ code: 'CASES_UNBOUNDED' }));
  expect(ids(think, { casesMax: 17 })).toHaveLength(17);
});
