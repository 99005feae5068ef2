import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edge, graph, human, option, question, to } from '../../test/kernel/definitions.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { Ref } from '../base/digest.ts';
import type { Json } from '../base/json.ts';
import type { RunEvent } from './event.ts';
import type { RunInput } from './input.ts';

const before = { files: { 'plan.md': 'one' } };
const after = { files: { 'plan.md': 'two' } };

/** A question about files that takes so many people, and that was put. */
function asked(count: number): MemoryHost {
  const model = question({ count, subjects: { files: ['plan.md'] } });
  const host = startGraph(graph(human('ask', { question: model, next: to('complete') })));
  look(host, before);
  return host;
}

function look(host: MemoryHost, subjects: Json, waiting = host.at('ask#1').wait?.outside?.decided?.length ?? 0): readonly RunEvent[] {
  const seen = { subjects: host.view.keep(subjects) as Ref };
  return host.take({ type: 'observed', at: host.state.at, path: 'ask#1', attempt: 1, seen, after: waiting });
}

function says(host: MemoryHost, actor: string, option = 'yes'): RunInput {
  return { type: 'decided', at: host.state.at, path: 'ask#1', option, actor, digest: host.at('ask#1').wait?.digest ?? '' };
}

const votesOf = (host: MemoryHost) => host.at('ask#1').wait?.votes?.map(({ actor, option }) => `${actor} ${option}`);

describe('decisions about things outside (K13)', () => {
  test('that came before the same look all count, in their order', () => {
    const host = asked(3);
    for (const actor of ['ann', 'bob']) host.take(says(host, actor));
    expect(votesOf(host)).toBeUndefined();
    look(host, before);
    expect(votesOf(host)).toEqual(['ann yes', 'bob yes']);
  });

  test('that settle the question leave no place for those behind them', () => {
    const host = asked(1);
    for (const [actor, option] of [
      ['ann', 'yes'],
      ['bob', 'no'],
    ] as const)
      host.take(says(host, actor, option));
    const events = look(host, before);
    expect([host.state.status, host.state.decision]).toMatchObject(['completed', { actor: 'ann', option: 'yes' }]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'input.ignored', reason: 'no-wait' }));
  });

  test('that came while somebody looked wait for the next look', () => {
    const host = asked(3);
    host.take(says(host, 'ann'));
    host.take(says(host, 'bob'));
    look(host, before, 1);
    expect([votesOf(host), host.at('ask#1').wait?.outside?.decided]).toMatchObject([['ann yes'], [{ actor: 'bob' }]]);
    look(host, before);
    expect(votesOf(host)).toEqual(['ann yes', 'bob yes']);
  });

  test('are all void when something changed, those that counted and those that waited, and each is logged', () => {
    const host = asked(3);
    host.take(says(host, 'ann'));
    look(host, before);
    for (const actor of ['bob', 'cid']) host.take(says(host, actor));
    const events = look(host, after);
    expect(events.filter(({ type }) => type === 'input.ignored')).toMatchObject([{ reason: 'stale-digest' }, { reason: 'stale-digest' }]);
    expect(votesOf(host)).toBeUndefined();
    expect(host.at('ask#1').wait?.outside?.decided).toBeUndefined();
    expect(host.at('ask#1').wait?.round).toBe(1);
  });
});

describe('the number of people (K14)', () => {
  test('only the last vote of a person counts', () => {
    const model = question({ count: 2, options: [option('yes'), option('later')] });
    const host = startGraph(graph(human('ask', { question: model, next: to('complete') })));
    for (const choice of ['yes', 'later', 'yes', 'later', 'yes']) host.take(says(host, 'ann', choice));
    expect(votesOf(host)).toEqual(['ann yes']);
    host.take(says(host, 'cid', 'yes'));
    expect(host.state.status).toBe('completed');
  });

  test('one rejection is enough', () => {
    const host = startGraph(
      graph(human('ask', { question: question({ count: 2 }), next: { ...to('complete'), reject: { to: { end: 'reject' } } } })),
    );
    host.take(says(host, 'ann', 'no'));
    expect(host.state.status).toBe('rejected');
  });

  // The entry is before every question, "fix" only on one of the ways to it.
  const WAYS = graph(
    human('plan', { question: question({ options: [option('ask'), option('fix', { to: { step: 'fix' } })] }), next: to('ask') }),
    human('fix', { next: to('ask') }),
    human('ask', {
      question: question({
        count: 2,
        options: [
          option('ship'),
          option('rework', { to: { step: 'plan' } }),
          option('again', { to: { step: 'ask' } }),
          option('fix', { to: { step: 'fix' } }),
          option('land', { to: { step: 'land' } }),
          option('stop', { to: { end: 'fail' } }),
          option('done', { to: { end: 'complete' } }),
        ],
      }),
      next: to('land'),
    }),
    human('land', { next: { ok: edge('plan', { max: 3 }) } }),
  );

  test.each([
    ['rework', 'plan#2'],
    ['again', 'ask#2'],
  ])('one who goes back with "%s" is enough, whoever chose to go on before', (choice, path) => {
    const host = atQuestion();
    host.take(says(host, 'ann', 'ship'));
    host.take(says(host, 'bob', choice));
    expect(Object.keys(host.state.live)).toEqual([path]);
  });

  test('one who ends the run otherwise than completed is enough', () => {
    const host = atQuestion();
    host.take(says(host, 'ann', 'stop'));
    expect(host.state.status).toBe('failed');
  });

  test.each(['ship', 'fix', 'land', 'done'])('"%s" may lead past the question, so one is not enough', (choice) => {
    const host = atQuestion();
    host.take(says(host, 'ann', choice));
    expect(votesOf(host)).toEqual([`ann ${choice}`]);
    host.take(says(host, 'bob', choice));
    expect(host.state.live['ask#1']).toBeUndefined();
  });

  function atQuestion(): MemoryHost {
    const host = startGraph(WAYS);
    const digest = host.at('plan#1').wait?.digest ?? '';
    host.take({ type: 'decided', at: host.state.at, path: 'plan#1', option: 'ask', actor: 'eve', digest });
    return host;
  }
});

describe('people who choose different options (K17)', () => {
  const THREE = [option('yes'), option('later'), option('no', { outcome: 'reject' })];

  function split(count: number): MemoryHost {
    const next = { ...to('complete'), reject: { to: { end: 'reject' as const } } };
    return startGraph(graph(human('ask', { question: question({ count, options: THREE }), next })));
  }

  test('have decided nothing: their votes are void, and the question is asked again with who chose what', () => {
    const host = split(2);
    host.take(says(host, 'ann', 'yes'));
    const events = host.take(says(host, 'bob', 'later'));
    expect(host.at('ask#1').wait).toMatchObject({
      round: 1,
      split: {
        times: 1,
        votes: [
          { actor: 'ann', option: 'yes' },
          { actor: 'bob', option: 'later' },
        ],
      },
    });
    expect(votesOf(host)).toBeUndefined();
    expect(events).toContainEqual(
      expect.objectContaining({
        note: 'people chose differently: ann "yes", bob "later"; the votes are void, and the question is asked again',
      }),
    );
    for (const actor of ['ann', 'bob']) host.take(says(host, actor, 'later'));
    expect(host.state.status).toBe('completed');
  });

  test('three times end the step with an error, and a person can have the question asked again', () => {
    const host = split(2);
    for (let time = 1; time <= 3; time += 1)
      for (const [actor, choice] of [
        ['ann', 'yes'],
        ['bob', 'later'],
      ] as const)
        host.take(says(host, actor, choice));
    expect([host.state.status, host.state.halt?.message]).toEqual([
      'escalated',
      'the question of step "ask" was asked 3 times, and each time people chose differently: ann "yes", bob "later"',
    ]);
    host.take({ type: 'control', at: host.state.at, actor: 'ann', action: { do: 'retry' } });
    expect(host.at('ask#1').wait).not.toHaveProperty('split');
  });

  const votes = (people: number) => fc.shuffledSubarray(names(people), { minLength: people, maxLength: people });
  const names = (people: number): string[] => Array.from({ length: people }, (_, index) => `p${index}`);
  const cases = fc.integer({ min: 2, max: 4 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      rounds: fc.array(
        fc.tuple(
          votes(count),
          fc.array(fc.constantFrom('yes', 'later', 'sooner'), { minLength: count, maxLength: count }),
          // People who change their mind in between.
          fc.array(fc.tuple(fc.nat(count - 1), fc.constantFrom('yes', 'later', 'sooner')), { maxLength: 4 }),
        ),
        { minLength: 6, maxLength: 6 },
      ),
    }),
  );

  test('never wait forever, and no option is taken with too few people', () => {
    fc.assert(
      fc.property(cases, ({ count, rounds }) => {
        const options = [option('yes'), option('later'), option('sooner')];
        const host = startGraph(graph(human('ask', { question: question({ count, options }), next: to('complete') })));
        const latest = new Map<string, string>();
        const say = (actor: string, choice: string): void => {
          if (host.state.live['ask#1'] === undefined) return;
          const round = host.at('ask#1').wait?.round;
          host.take(says(host, actor, choice));
          if (host.state.live['ask#1'] !== undefined && host.at('ask#1').wait?.round !== round) latest.clear();
          else latest.set(actor, choice);
        };
        // Each time everybody it takes has spoken since the question was put, it is settled or put anew: three times at most.
        for (const [order, choices, changes] of rounds) {
          for (const [who, choice] of changes) say(`p${who}`, choice);
          order.forEach((actor, index) => {
            say(actor, choices[index] as string);
          });
        }
        expect(host.state.live['ask#1']).toBeUndefined();
        const { status, decision } = host.state;
        const agreed = [...latest.values()].filter((choice) => choice === decision?.option).length;
        expect(status === 'escalated' || (status === 'completed' && agreed === count && latest.size === count)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('signatures', () => {
  const signature = { key: 'k', at: 1, value: 'v' };

  test('go from the decision into the log as they are, also where it had to wait for a look', () => {
    const host = asked(1);
    host.take({ ...says(host, 'ann'), signature } as RunInput);
    const digest = host.at('ask#1').wait?.digest;
    const [, decided] = look(host, before);
    expect(decided).toMatchObject({ decision: { actor: 'ann' }, signed: { on: 'decision', path: 'ask#1', digest, signature } });
    expect(host.state.decision).not.toHaveProperty('signature');
  });

  test('are part of what a question is: one that takes them has another digest', () => {
    const digestOf = (model: ReturnType<typeof question>) =>
      startGraph(graph(human('ask', { question: model, next: to('complete') }))).at('ask#1').wait;
    expect(digestOf(question({ signed: true }))).toMatchObject({ signed: true });
    expect(digestOf(question({ signed: true }))?.digest).not.toBe(digestOf(question())?.digest);
  });

  test('of an action are on record before it takes effect; mail that the host refused changes nothing', () => {
    const host = asked(1);
    const action = { do: 'pause' as const };
    const events = host.take({ type: 'control', at: host.state.at, actor: 'ann', action, signature });
    expect(events).toMatchObject([{ actor: 'ann', signed: { on: 'control', action, signature } }, { change: 'paused' }]);
    expect(host.take({ type: 'refused', at: host.state.at, input: 'decided', path: 'ask#1' })).toMatchObject([
      { type: 'input.ignored', input: 'decided', path: 'ask#1', reason: 'not-allowed' },
    ]);
  });
});
