import { describe, expect, test } from 'vitest';
import { graph, human, question, to } from '../../test/kernel/definitions.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { Json } from '../base/json.ts';
import type { RunEvent } from './event.ts';
import type { RunInput } from './input.ts';
import type { Ref } from './run-state.ts';

const before = { files: { 'plan.md': 'one' } };
const after = { files: { 'plan.md': 'two' } };

/** A question about files that takes so many people, and that was put. */
function asked(count: number): MemoryHost {
  const gate = question({ count, subjects: { files: ['plan.md'] } });
  const host = startGraph(graph(human('ask', { gate, next: to('complete') })));
  look(host, before);
  return host;
}

function look(host: MemoryHost, subjects: Json, waiting = host.at('ask#1').wait?.decided?.length ?? 0): readonly RunEvent[] {
  const seen = host.view.keep(subjects) as Ref;
  return host.take({ type: 'observed', at: host.state.at, path: 'ask#1', attempt: 1, subjects: seen, after: waiting });
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
    expect([votesOf(host), host.at('ask#1').wait?.decided]).toMatchObject([['ann yes'], [{ actor: 'bob' }]]);
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
    expect(host.at('ask#1').wait).not.toHaveProperty('votes');
    expect(host.at('ask#1').wait).not.toHaveProperty('decided');
    expect(host.at('ask#1').wait?.round).toBe(1);
  });
});

describe('how many it takes (K14)', () => {
  test('a person who changes their mind counts for the last they said', () => {
    const gate = question({ count: 2, options: [...question().options, { label: 'later', outcome: 'ok', requiresInput: false }] });
    const host = startGraph(graph(human('ask', { gate, next: to('complete') })));
    for (const option of ['yes', 'later', 'yes']) host.take(says(host, 'ann', option));
    expect(votesOf(host)).toEqual(['ann yes']);
    host.take(says(host, 'bob', 'later'));
    expect(host.at('ask#1').state).toBe('waiting');
    host.take(says(host, 'cid', 'yes'));
    expect(host.state.status).toBe('completed');
  });

  test('one who rejects is enough', () => {
    const host = startGraph(
      graph(human('ask', { gate: question({ count: 2 }), next: { ...to('complete'), reject: { to: { end: 'reject' } } } })),
    );
    host.take(says(host, 'ann', 'no'));
    expect(host.state.status).toBe('rejected');
  });
});
