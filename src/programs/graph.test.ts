import { describe, expect, test } from 'vitest';
import { edge, graph, human, option, parallel, question, step, to } from '../../test/kernel/definitions.ts';
import { decided, errored, settled } from '../../test/kernel/inputs.ts';
import { startGraph } from '../../test/kernel/memory-host.ts';
import type { NextTable } from '../definition/model.ts';

function afterOutcome(next: NextTable, outcome: string) {
  const host = startGraph(graph(step('a', { next })));
  host.take(settled(host, 'a#1', { outcome }));
  return host.state;
}

describe('the next step of a run', () => {
  test.each<[string, NextTable, string, string]>([
    ['a string next covers ok', to('complete'), 'ok', 'completed'],
    ['a string next covers skip', to('complete'), 'skip', 'completed'],
    ['a string next does not cover fail', to('complete'), 'fail', 'escalated'],
    ['a string next does not cover iterate', to('complete'), 'iterate', 'escalated'],
    ['_default covers fail', { ok: edge('fail'), _default: edge('complete') }, 'fail', 'completed'],
    ['_default covers reject', { ok: edge('fail'), _default: edge('complete') }, 'reject', 'completed'],
    ['an outcome of its own goes before _default', { reject: edge('fail'), _default: edge('complete') }, 'reject', 'failed'],
    ['an unmapped reject ends the run rejected (K6)', to('complete'), 'reject', 'rejected'],
    ['an unmapped outcome escalates (K6)', to('complete'), 'conflict', 'escalated'],
  ])('%s', (_rule, ...[next, outcome, status]) => {
    expect(afterOutcome(next, outcome).status).toBe(status);
  });

  test.each(['error', 'timeout'] as const)('_default does not cover %s, which escalates', (reason) => {
    const host = startGraph(graph(step('a', { next: { ok: edge('complete'), _default: edge('complete') } })));
    host.take(errored(host, 'a#1', { reason }));
    expect(host.state).toMatchObject({ status: 'escalated', halt: { reason: 'error', path: 'a#1', outcome: reason, message: 'boom' } });
  });

  test('an error takes its own transition', () => {
    const host = startGraph(graph(step('a', { next: { ok: edge('complete'), error: edge('b') } }), step('b', { next: to('complete') })));
    host.take(errored(host, 'a#1'));
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
  });

  test('an unmapped outcome says which step settled how (K6)', () => {
    const { halt } = afterOutcome(to('complete'), 'iterate');
    expect(halt).toMatchObject({
      reason: 'unmapped',
      step: 'a',
      outcome: 'iterate',
      message: 'step "a" settled "iterate", but `next` has no transition for that outcome',
    });
  });

  test('the run ends with the output of the step that led to its end', () => {
    const host = startGraph(graph(step('a', { next: to('complete') })));
    host.take(settled(host, 'a#1', { output: { n: 1 } }));
    expect(host.view.value(host.state.output as never)).toEqual({ n: 1 });
  });

  test('a group of which every branch rejected takes reject_all, one of which some did takes reject', () => {
    const fan = parallel('fan', [step('a'), step('b')], {
      next: { ok: edge('complete'), reject: edge('fail'), reject_all: edge('reject') },
    });
    const end = (second: string) => {
      const host = startGraph(graph(fan));
      host.take(settled(host, 'fan#1/a', { outcome: 'reject' }));
      host.take(settled(host, 'fan#1/b', { outcome: second }));
      return host.state.status;
    };
    expect([end('reject'), end('ok'), end('skip')]).toEqual(['rejected', 'failed', 'rejected']);
  });

  test("a person's option that names a target goes there, whatever the table says", () => {
    const ask = human('ask', {
      question: question({ options: [option('on', { to: { step: 'b' } }), option('off')] }),
      next: to('complete'),
    });
    const host = startGraph(graph(ask, step('b', { next: to('complete') })));
    host.take(decided(host, 'ask#1', { option: 'on' }));
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
  });
});

describe('a choice', () => {
  const choosing = (condition: string) =>
    graph(step('a', { next: { ok: { condition, onTrue: edge('complete'), onFalse: edge('reject') } } }));

  test.each([
    ['result.n > 1', 'completed'],
    ['result.n > 2', 'rejected'],
    ['params.limit == result.n', 'completed'],
    ['checkpoint.n == 2', 'completed'],
  ])('%s is decided over the result, the params and the data', (condition, status) => {
    const host = startGraph(choosing(condition), { limit: 2 });
    host.take(settled(host, 'a#1', { output: { n: 2 } }));
    expect(host.state.status).toBe(status);
  });

  test('a choice that cannot be evaluated escalates and is never false by accident (G2)', () => {
    const host = startGraph(choosing('result.missing.deep == 1'));
    host.take(settled(host, 'a#1', { output: { n: 2 } }));
    expect(host.state).toMatchObject({ status: 'escalated', halt: { reason: 'condition', code: 'CONDITION_ERROR', path: 'a#1' } });
    expect(host.state.halt?.message).toContain('result.missing.deep == 1');
  });
});

describe('a bound', () => {
  const loop = (then?: string) =>
    graph(
      step('a', { next: to('b') }),
      step('b', { next: { ok: edge('complete'), iterate: edge('a', { max: 2, ...(then === undefined ? {} : { then }) }) } }),
    );

  function goRound(definition: ReturnType<typeof loop>, rounds: number) {
    const host = startGraph(definition);
    for (let round = 1; round <= rounds; round += 1) {
      host.take(settled(host, `a#${round}`));
      host.take(settled(host, `b#${round}`, { outcome: 'iterate' }));
    }
    return host;
  }

  test('lets an edge be taken that often, then escalates with the edge by name (G1)', () => {
    expect(goRound(loop(), 2).state).toMatchObject({ status: 'running', counts: { 'b:iterate': 2 } });
    const { state } = goRound(loop(), 3);
    expect(state).toMatchObject({
      status: 'escalated',
      counts: { 'b:iterate': 2 },
      halt: { reason: 'exhausted', edge: 'b:iterate', to: 'a' },
    });
    expect(state.halt?.message).toContain('reached its limit of 2');
  });

  test('an edge at its limit leads to its `then` (G1)', () => {
    expect(goRound(loop('complete'), 3).state.status).toBe('completed');
    expect(goRound(loop('fail'), 3).state.status).toBe('failed');
  });

  test('the limit of _default counts all outcomes that take it (G1)', () => {
    const next = { ok: edge('complete'), _default: edge('a', { max: 2, then: 'reject' }) };
    const host = startGraph(graph(step('a', { next })));
    for (const [index, outcome] of ['fail', 'iterate', 'fail'].entries()) host.take(settled(host, `a#${index + 1}`, { outcome }));
    expect(host.state.status).toBe('rejected');
  });

  test('the limit of one choice is not used up by another choice of the same step (G1)', () => {
    const again = (max: number) => ({ condition: 'true', onTrue: edge('a', { max, then: 'reject' }), onFalse: edge('complete') });
    const host = startGraph(graph(step('a', { next: { ok: edge('complete'), iterate: again(1), fail: again(1) } })));
    host.take(settled(host, 'a#1', { outcome: 'iterate' }));
    host.take(settled(host, 'a#2', { outcome: 'fail' }));
    expect(host.state).toMatchObject({ status: 'running' });
    host.take(settled(host, 'a#3', { outcome: 'fail' }));
    expect(host.state.status).toBe('rejected');
  });
});

test('a step that the workflow does not have is named, with the one that was meant', () => {
  const host = startGraph(graph(step('build', { next: to('complete') })));
  expect(() => host.program.model('biuld')).toThrow('workflow "w" has no step "biuld" (did you mean "build"?)');
});
