import { describe, expect, test } from 'vitest';
import { each, edge, graph, step, to } from '../../test/kernel/definitions.ts';
import { errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, openGraph, startGraph } from '../../test/kernel/memory-host.ts';
import { draftOf } from './apply.ts';
import { decide } from './decide.ts';
import type { RunState } from './run-state.ts';

function withoutDigits(run: RunState): string {
  return JSON.stringify(run).replaceAll(/\d+/g, '9');
}

/** The checkpoint after a loop went round that often; a working copy is used, so that no log is held. */
function afterRounds(rounds: number): RunState {
  const loop = graph(step('a', { next: to('b') }), step('b', { next: { ok: edge('complete'), iterate: edge('a', { max: 100_000 }) } }));
  const host = openGraph(loop);
  const means = { program: host.program, view: host.view };
  const draft = draftOf(host.state);
  decide(means, draft, { type: 'start', at: 0 });
  for (let round = 1; round <= rounds; round += 1) {
    decide(means, draft, { type: 'settled', at: round, path: `a#${round}`, attempt: 1, outcome: 'ok' });
    decide(means, draft, { type: 'settled', at: round, path: `b#${round}`, attempt: 1, outcome: 'iterate' });
  }
  return draft;
}

/** A chain of that many steps, halfway through. */
function halfway(size: number): MemoryHost {
  const steps = Array.from({ length: size }, (_, index) =>
    step(`s${index}`, { next: to(index + 1 < size ? `s${index + 1}` : 'complete') }),
  );
  const host = startGraph(graph(...steps));
  for (let index = 0; index < size / 2; index += 1) host.take(settled(host, `s${index}#1`, { output: { text: 'x'.repeat(100) } }));
  return host;
}

describe('the checkpoint', () => {
  test('does not grow with history: after 10 and 10,000 rounds only digits differ (K1)', () => {
    expect(withoutDigits(afterRounds(10_000))).toBe(withoutDigits(afterRounds(10)));
  });

  test('does not grow with the definition: with 10 and 5,000 steps only digits differ (K1)', () => {
    expect(withoutDigits(halfway(5_000).state)).toBe(withoutDigits(halfway(10).state));
  });

  test('does not grow with the attempts of a step (K1)', () => {
    const tried = (times: number) => {
      const host = startGraph(graph(step('a', { retry: { max: 1_000, on: ['error'] }, next: to('complete') })));
      for (let attempt = 0; attempt < times; attempt += 1) host.take(errored(host, 'a#1'));
      return withoutDigits(host.state);
    };
    expect(tried(900)).toBe(tried(2));
  });

  test('holds the members of a group that are at work, and a counter for the rest (K1)', () => {
    const items = Array.from({ length: 1_000 }, (_, index) => `item-${index}`);
    const host = startGraph(graph(each('fan', { concurrency: 10, next: to('complete') })), { items });
    let [membersMax, bytesMax] = [0, 0];
    for (let ended = 0; ended < 1_000; ended += 1) {
      const members = Object.keys(host.state.live).filter((path) => path !== 'fan#1');
      membersMax = Math.max(membersMax, members.length);
      bytesMax = Math.max(bytesMax, JSON.stringify(host.state).length);
      host.take(settled(host, members[ended % members.length] as string, { output: { text: 'x'.repeat(100) } }));
    }
    expect(host.state.status).toBe('completed');
    expect(membersMax).toBe(10);
    expect(bytesMax).toBeLessThan(4_000);
  });
});
