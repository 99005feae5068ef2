// Owns random definitions that pass validation: every kind of step, forward edges, bounded edges back, choices,
// contracts, limits of time and questions behind steps.

import * as fc from 'fast-check';
import type { Choice, Edge, GraphDefinition, NextTable, StepFrame, StepModel } from '../../src/definition/model.ts';
import {
  child,
  delay,
  each,
  edge,
  graph,
  human,
  JOINS,
  option,
  PROMISE,
  parallel,
  question,
  signal,
  step,
  target,
  validation,
} from './definitions.ts';

const TIMEOUT_MS = 50;
const CONDITIONS = ['true', 'params.flag', 'not params.flag', 'checkpoint.missing.deep == 1'];

const retry = fc.record(
  {
    max: fc.integer({ min: 0, max: 2 }),
    on: fc.constantFrom<('error' | 'timeout')[]>(['error'], ['error', 'timeout']),
    backoff: fc.constant({ initialMs: 10, factor: 2, maxMs: 30 }),
  },
  { requiredKeys: ['max', 'on'] },
);

/** Fields that any step may have. */
const common = fc.record(
  {
    retry,
    contractRetries: fc.integer({ min: 0, max: 2 }),
    recovery: fc.constantFrom('rerun', 'reconcile', 'ask'),
    timeoutMs: fc.constant(TIMEOUT_MS),
    condition: fc.constantFrom(...CONDITIONS),
    preconditions: fc.constant([PROMISE]),
    postconditions: fc.constant([PROMISE]),
    slots: fc.constant(['s']),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<StepFrame>>;

function memberOf(id: string): fc.Arbitrary<StepModel> {
  return fc
    .tuple(fc.constantFrom('task', 'human', 'signal', 'delay', 'workflow', 'validate'), common)
    .map(([kind, given]) => plainStep(kind, id, given));
}

function plainStep(kind: string, id: string, given: Partial<StepFrame>): StepModel {
  if (kind === 'human') return human(id, given);
  if (kind === 'signal') return signal(id, 'go', given);
  if (kind === 'delay') return delay(id, { durationMs: 40 }, given);
  if (kind === 'poll') return delay(id, { durationMs: 40, poll: { intervalMs: 15 } }, given);
  if (kind === 'workflow') return child(id, given);
  if (kind === 'validate') return step(id, { ...given, kind: 'validate', stages: null, repairs: 1 });
  if (kind === 'mended') return validation(id, 2, given);
  if (kind === 'asking') return step(id, { ...given, question: question() });
  return step(id, given);
}

const group = fc.record(
  { join: fc.constantFrom(...JOINS), concurrency: fc.integer({ min: 1, max: 2 }), gate: fc.constant(question()) },
  { requiredKeys: ['join'] },
) as fc.Arbitrary<Partial<StepFrame>>;

function bodyOf(id: string): fc.Arbitrary<StepModel> {
  const kinds = ['task', 'human', 'signal', 'delay', 'poll', 'workflow', 'validate', 'mended', 'asking'];
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...kinds), common).map(([kind, given]) => plainStep(kind, id, given)) },
    { weight: 2, arbitrary: parallelOf(id) },
    { weight: 1, arbitrary: eachOf(id) },
  );
}

function parallelOf(id: string): fc.Arbitrary<StepModel> {
  const members = fc.tuple(memberOf('a'), memberOf('b'), memberOf('c'));
  return fc.tuple(members, group, common).map(([branches, given, others]) => parallel(id, branches, { ...others, ...given }));
}

function eachOf(id: string): fc.Arbitrary<StepModel> {
  const items = fc.constantFrom('params.items', 'params.none', 'params.flag');
  return fc
    .tuple(memberOf(id), group, fc.tuple(common, items))
    .map(([body, given, [others, source]]) => each(id, { ...others, ...given, body, items: source }));
}

interface Place {
  readonly index: number;
  readonly size: number;
}

/** Where an edge may lead: on or out without a bound, back only with one. */
function edgeOf({ index, size }: Place): fc.Arbitrary<Edge> {
  const ends = ['complete', 'fail', 'escalate', 'reject'];
  const on = [...ends, ...range(index + 1, size)];
  const back = fc
    .record({ to: fc.constantFrom(...range(0, index + 1)), max: fc.integer({ min: 1, max: 3 }), then: fc.constantFrom(...on) })
    .map(({ to: name, max, then }) => edge(name, { max, then }));
  return fc.oneof(
    fc.constantFrom(...on).map((name) => edge(name)),
    back,
  );
}

function range(from: number, until: number): string[] {
  return Array.from({ length: until - from }, (_, offset) => `s${from + offset}`);
}

function choiceOf(place: Place): fc.Arbitrary<Choice> {
  return fc.record({ condition: fc.constantFrom(...CONDITIONS), onTrue: edgeOf(place), onFalse: edgeOf(place) });
}

/** A table whose `ok` leads on, so that every step can be reached and the run can end. */
function nextOf(place: Place): fc.Arbitrary<NextTable> {
  const entry = fc.oneof(edgeOf(place), choiceOf(place));
  const on = edge(place.index + 1 < place.size ? `s${place.index + 1}` : 'complete');
  return fc
    .record(
      { skip: entry, fail: entry, reject: entry, iterate: entry, error: entry, timeout: entry, _default: entry },
      { requiredKeys: [] },
    )
    .map((table) => ({ ...table, ok: on }) as NextTable);
}

function stepOf(place: Place): fc.Arbitrary<StepModel> {
  const jump = fc.constantFrom(...range(0, place.size), 'complete');
  return fc.tuple(bodyOf(`s${place.index}`), nextOf(place), jump).map(([body, next, name]) => {
    const question =
      body.question === undefined
        ? undefined
        : { ...body.question, options: [...body.question.options, option('jump', { to: target(name) })] };
    return { ...body, next, ...(question === undefined ? {} : { question }) };
  });
}

/** A valid definition of one to five steps; its params are `flag`, `items` and `none`. */
export const arbitraryDefinition: fc.Arbitrary<GraphDefinition> = fc
  .integer({ min: 1, max: 5 })
  .chain((size) => fc.tuple(fc.boolean(), ...Array.from({ length: size }, (_, index) => stepOf({ index, size }))))
  .map(([undoes, ...steps]) => graph(...(steps as StepModel[]).map((one) => (undoes ? { ...one, undo: step('undo') } : one))));

/** The params that go with a random definition. */
export const arbitraryParams = fc.record({
  flag: fc.boolean(),
  items: fc.constantFrom<string[]>([], ['x'], ['x', 'y', 'x']),
  none: fc.constant(null),
});
