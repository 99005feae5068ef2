import { describe, expect, test } from 'vitest';
import {
  child,
  delay,
  each,
  edge,
  graph,
  human,
  JOINS,
  PROMISE,
  parallel,
  question,
  signal,
  step,
  to,
  validation,
} from '../../test/kernel/definitions.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import { type WalkOptions, walk } from '../../test/kernel/small-model.ts';
import type { GraphDefinition, JoinModel } from '../definition/model.ts';

const TIME = { timeoutMs: 10 };
const ONCE = { contractRetries: 0 };
const LOOP = graph(
  step('a', { next: { ok: edge('b'), iterate: edge('a', { max: 2, then: 'c' }), fail: edge('b') } }),
  step('b', { next: { ok: edge('c'), reject: edge('a', { max: 1 }) } }),
  step('c', { next: to('complete') }),
);
const PAUSED = { max: 1, on: ['error', 'timeout'] as const, backoff: { initialMs: 5, factor: 1, maxMs: 5 } };

const MODELS: readonly (readonly [string, GraphDefinition, WalkOptions])[] = [
  ['a loop with bounds', LOOP, { resumes: 1 }],
  ...JOINS.map((join) => {
    const fan = parallel('fan', [step('x', { ...ONCE, recovery: 'ask' }), human('y', TIME), step('z', ONCE)], {
      join,
      next: to('complete'),
    });
    return [`three branches joined by ${join.rule}`, graph(fan), { isNarrow: true }] as const;
  }),
  [
    'branches that a person takes up again',
    graph(
      parallel('fan', [step('x', ONCE), step('y', ONCE)], {
        join: { rule: 'any' },
        postconditions: [PROMISE],
        ...TIME,
        next: to('complete'),
      }),
    ),
    { resumes: 1, isNarrow: true },
  ],
  [
    'a fan-out of three, two at once',
    graph(each('fan', { concurrency: 2, body: step('fan', ONCE), next: to('complete') })),
    { params: { items: ['x', 'y', 'z'] }, isNarrow: true },
  ],
  [
    'a person behind a step',
    graph(
      step('a', { question: question(), ...TIME, slots: ['s'], next: to('b') }),
      human('b', { preconditions: [PROMISE], postconditions: [PROMISE], next: to('complete') }),
    ),
    { resumes: 1 },
  ],
  [
    'retries and a contract',
    graph(step('a', { retry: PAUSED, contractRetries: 1, ...TIME, recovery: 'reconcile', next: to('complete') })),
    { resumes: 2 },
  ],
  ['a validation with a repair', graph(validation('v', 2, { next: to('complete') })), { resumes: 1 }],
  [
    'signals, time and a child',
    graph(
      parallel(
        'fan',
        [signal('s', 'go', { ...TIME, retry: PAUSED }), delay('d', { durationMs: 9, poll: { intervalMs: 4 } }), child('c', TIME)],
        { next: to('complete') },
      ),
    ),
    {},
  ],
];

describe('every order of everything that can happen', () => {
  test.each(MODELS)(
    'in %s leaves nothing lost, doubled or stuck, and every state can reach an end',
    (name, definition, given) => {
      const { states, decisions, ends, faults } = walk(definition, given);
      console.info(`${name}: ${states} states, ${decisions} decisions, ends ${JSON.stringify(ends)}`);
      expect(faults).toEqual([]);
      expect(ends.completed).toBeGreaterThan(0);
      expect(ends.cancelled).toBeGreaterThan(0);
    },
    120_000,
  );
});

describe('a group of up to four', () => {
  const OUTCOMES = ['ok', 'reject', 'fail', 'skip'];
  const NEXT = { ok: edge('complete'), reject: edge('reject'), fail: edge('fail'), skip: edge('escalate') };

  function vectors(size: number): string[][] {
    return size === 0 ? [[]] : vectors(size - 1).flatMap((rest) => OUTCOMES.map((outcome) => [outcome, ...rest]));
  }

  function orders(of: readonly number[]): number[][] {
    if (of.length === 0) return [[]];
    return of.flatMap((one) => orders(of.filter((other) => other !== one)).map((rest) => [one, ...rest]));
  }

  function end(fresh: MemoryHost, order: readonly number[], outcomes: readonly string[]): string {
    const host = fresh.fork();
    for (const member of order)
      host.take({ type: 'settled', at: 0, path: `fan#1/m${member}`, attempt: 1, outcome: outcomes[member] as string });
    return host.state.status;
  }

  test.each<JoinModel>([...JOINS])(
    'joined by $rule ends the same in every order of its results (N3)',
    (join) => {
      for (const size of [2, 3, 4]) {
        const members = Array.from({ length: size }, (_, index) => step(`m${index}`));
        const fresh = startGraph(graph(parallel('fan', members, { join, next: NEXT })));
        const ends = new Map<string, Set<string>>();
        for (const outcomes of vectors(size)) {
          const key = [...outcomes].sort().join();
          const seen = ends.get(key) ?? new Set();
          for (const order of orders(members.map((_, index) => index))) seen.add(end(fresh, order, outcomes));
          ends.set(key, seen);
        }
        for (const [results, statuses] of ends) expect({ results, ends: statuses.size }).toEqual({ results, ends: 1 });
      }
    },
    60_000,
  );
});
