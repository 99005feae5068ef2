import { describe, expect, test } from 'vitest';
import { child, delay, edge, graph, human, PROMISE, parallel, question, step, to } from '../../test/kernel/definitions.ts';
import { errored, settled } from '../../test/kernel/inputs.ts';
import { openGraph, startGraph } from '../../test/kernel/memory-host.ts';
import { approvalDigest } from '../definition/question/question-digest.ts';

const SKIPPED_STEPS = 2_000;

describe('a step that opens', () => {
  test('works at once, under the path of its first visit', () => {
    const host = startGraph(graph(step('a', { timeoutMs: 20, next: to('complete') })));
    expect(host.at('a#1')).toEqual({
      path: 'a#1',
      step: 'a',
      kind: 'task',
      state: 'running',
      attempt: 1,
      since: 1,
      openedAt: 0,
      startedAt: 0,
      due: 20,
    });
  });

  test('on a cycle counts its visits, and off one does not', () => {
    const loop = graph(
      step('a', { next: to('b') }),
      step('b', { next: { ok: edge('c'), iterate: edge('b', { max: 3 }) } }),
      step('c', { next: to('complete') }),
    );
    const host = startGraph(loop);
    host.take(settled(host, 'a#1'));
    host.take(settled(host, 'b#1', { outcome: 'iterate' }));
    host.take(settled(host, 'b#2'));
    expect(Object.keys(host.state.live)).toEqual(['c#1']);
    expect(host.state.counts).toEqual({ b: 2, 'b:iterate': 1 });
  });

  test('can be the first of the run, wherever it stands', () => {
    const host = openGraph(graph(step('a', { next: to('b') }), step('b', { next: to('complete') })));
    host.take({ type: 'start', at: 0, from: 'b' });
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
  });

  test('that needs a slot is queued, and its time counts from the slot', () => {
    const host = startGraph(graph(step('a', { slots: ['s'], timeoutMs: 20, next: to('complete') })));
    expect(host.at('a#1')).toMatchObject({ state: 'queued', slots: ['s'] });
    host.take({ type: 'slot', at: 100, path: 'a#1' });
    expect(host.at('a#1')).toMatchObject({ state: 'running', startedAt: 100, due: 120 });
  });

  test('keeps its slot when it is retried at once, and releases it for a pause', () => {
    const host = startGraph(
      graph(
        step('a', {
          slots: ['s'],
          contractRetries: 1,
          retry: { max: 1, on: ['error'], backoff: { initialMs: 9, factor: 1, maxMs: 9 } },
          next: to('complete'),
        }),
      ),
    );
    host.take({ type: 'slot', at: 0, path: 'a#1' });
    host.take(errored(host, 'a#1', { reason: 'contract' }));
    expect(host.at('a#1')).toMatchObject({ state: 'running', slots: ['s'] });
    host.take(errored(host, 'a#1'));
    expect(host.at('a#1')).toMatchObject({ state: 'waiting' });
    expect(host.at('a#1').slots).toBeUndefined();
    host.take({ type: 'due', at: 9 });
    expect(host.at('a#1')).toMatchObject({ state: 'queued', slots: ['s'] });
  });

  test('that waits has its preconditions checked first', () => {
    const host = startGraph(graph(human('a', { preconditions: [PROMISE], timeoutMs: 30, next: to('complete') })));
    expect(host.at('a#1')).toMatchObject({ state: 'preparing' });
    host.take({ type: 'prepared', at: 5, path: 'a#1', attempt: 1 });
    expect(host.at('a#1')).toMatchObject({ state: 'waiting', wait: { kind: 'human' }, deadline: 35 });
  });

  test('that waits and whose precondition does not hold asks nobody', () => {
    const host = startGraph(graph(human('a', { preconditions: [PROMISE], next: to('complete') })));
    host.take({
      type: 'errored',
      at: 0,
      path: 'a#1',
      attempt: 1,
      error: { code: 'PRECONDITION_FAILED', message: 'no', reason: 'precondition' },
    });
    expect(host.state.halt).toMatchObject({ reason: 'error', message: 'no' });
  });

  test('starts a child under an id that follows from the run, the path and the attempt', () => {
    const run = () => startGraph(graph(child('a', { retry: { max: 1, on: ['error'] }, next: to('complete') })));
    const [one, other] = [run(), run()];
    const first = one.at('a#1').wait?.run;
    expect(other.at('a#1').wait?.run).toBe(first);
    one.take({ type: 'childEnded', at: 1, path: 'a#1', child: first ?? '', status: 'failed' });
    expect(one.at('a#1')).toMatchObject({ attempt: 2, wait: { kind: 'child' } });
    expect(one.at('a#1').wait?.run).not.toBe(first);
  });
});

describe('a skip condition', () => {
  test.each([
    ['params.on', 'b'],
    ['not params.on', 'a'],
    ['params.count > 2', 'a'],
  ])('%s leaves the step out when it is false', (condition, opened) => {
    const host = startGraph(graph(step('a', { condition, next: to('b') }), step('b', { next: to('complete') })), { on: false, count: 3 });
    expect(Object.keys(host.state.live)).toEqual([`${opened}#1`]);
  });

  test('that cannot be evaluated is an error of the step, not a skip (G2)', () => {
    const host = startGraph(graph(step('a', { condition: 'checkpoint.no.such > 1', next: to('complete') })));
    expect(host.state).toMatchObject({ status: 'escalated', halt: { reason: 'error', code: 'CONDITION_ERROR', step: 'a' } });
  });

  test('skips a chain of 2,000 steps in one decision and without a deep stack', () => {
    const steps = Array.from({ length: SKIPPED_STEPS }, (_, index) =>
      step(`s${index}`, { condition: 'params.on', next: to(index + 1 < SKIPPED_STEPS ? `s${index + 1}` : 'complete') }),
    );
    const host = startGraph(graph(...steps), { on: false });
    expect(host.state).toMatchObject({ status: 'completed', live: {} });
    expect(host.rows[1]?.filter(({ type }) => type === 'step.settled')).toHaveLength(SKIPPED_STEPS);
  });

  test('of a member leaves it out of the count (N1)', () => {
    const host = startGraph(graph(parallel('fan', [step('x', { condition: 'false' }), step('y')], { next: to('complete') })));
    expect(Object.keys(host.state.live)).toEqual(['fan#1', 'fan#1/y']);
    host.take(settled(host, 'fan#1/y'));
    expect(host.state.status).toBe('completed');
  });
});

describe('the digest of a question', () => {
  const model = question({ show: ['plan'] });

  test('is the same for the same question and values, in every order of keys', () => {
    expect(approvalDigest(model, { a: 1, b: 2 })).toBe(approvalDigest(model, { b: 2, a: 1 }));
  });

  test.each([
    ['the prompt', { ...model, prompt: 'really?' }, {}],
    ['an option', { ...model, options: model.options.slice(1) }, {}],
    ['a target', { ...model, options: model.options.map((one) => ({ ...one, to: { step: 'z' } })) }, {}],
    ['a shown value', model, { plan: 2 }],
  ])('differs when %s does', (_what, other, shown) => {
    expect(approvalDigest(other, shown)).not.toBe(approvalDigest(model, {}));
  });

  test('covers the result of the work before the question', () => {
    const ask = (output: object) => {
      const host = startGraph(graph(step('a', { question: model, next: to('complete') })));
      host.take(settled(host, 'a#1', { output }));
      return host.at('a#1').wait;
    };
    expect(ask({ plan: 1 })?.digest).not.toBe(ask({ plan: 2 })?.digest);
    expect(ask({ plan: 1 })?.shown).toBeDefined();
  });
});

test('a delay is due when its time is over, a polling one at its next look', () => {
  const plain = startGraph(graph(delay('d', { durationMs: 100 }, { next: to('complete') })));
  expect(plain.at('d#1')).toMatchObject({ state: 'waiting', due: 100, wait: { kind: 'delay', polls: false, until: 100 } });
  const polling = startGraph(graph(delay('d', { durationMs: 100, poll: { intervalMs: 30 } }, { next: to('complete') })));
  expect(polling.at('d#1')).toMatchObject({ due: 30, wait: { kind: 'delay', polls: true, until: 100 } });
});
