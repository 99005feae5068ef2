import { describe, expect, test } from 'vitest';
import { graph, step, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { Ref } from '../base/digest.ts';
import { blockingAssumptions, openAssumptions } from '../definition/question/assumption-record.ts';
import { lastEndOf } from '../engine/request/assumptions.ts';
import type { RunInput } from './input.ts';

const TEXT = { question: 'Which?', assumed: 'this', severity: 'MUST' };
const three = (): MemoryHost =>
  startGraph(graph(step('a', { next: to('b') }), step('b', { next: to('c') }), step('c', { next: to('complete') })));
const said = (host: MemoryHost, ...texts: readonly object[]): Ref => host.view.keep(texts as never) as Ref;

/** The step ends with something that it assumed. */
function assumes(host: MemoryHost, path: string, ...texts: readonly object[]): void {
  host.take({ ...settled(host, path), assumed: said(host, ...(texts.length === 0 ? [TEXT] : texts)) } as RunInput);
}

function answer(host: MemoryHost, agrees: boolean, id = 'a1') {
  const found = host.state.assumptions?.find((one) => one.id === id);
  const place = lastEndOf(host.rows.flat(), found?.within ?? found?.path ?? '');
  return host.take(control(host, { do: 'answer', assumption: id, agrees, ...(place === undefined ? {} : { place }) }));
}
const live = ({ state }: MemoryHost): string[] => Object.values(state.live).map(({ path, attempt }) => `${path}/${attempt}`);

describe('an assumption (K21)', () => {
  test('is recorded with the result that it came with, and the run goes on', () => {
    const host = three();
    assumes(host, 'a#1', TEXT, { ...TEXT, question: 'How?', severity: 'COULD' });
    expect(host.state.assumptions).toMatchObject([
      { id: 'a1', path: 'a#1', step: 'a', attempt: 1, severity: 'MUST', index: 0 },
      { id: 'a2', severity: 'COULD', index: 1 },
    ]);
    expect(live(host)).toEqual(['b#1/1']);
  });

  test('of an attempt that failed is not recorded', () => {
    const host = three();
    host.take({ ...errored(host, 'a#1', { reason: 'contract' }), assumed: said(host, TEXT) } as RunInput);
    expect(host.state.assumptions).toBeUndefined();
  });

  test('is recorded while its worker goes on, once, and not by an attempt that is over', () => {
    const host = three();
    const assumed = said(host, TEXT);
    for (const attempt of [1, 1, 2]) host.take({ type: 'assumed', at: 0, path: 'a#1', attempt, assumed });
    expect(host.state.assumptions?.map(({ id }) => id)).toEqual(['a1']);
    expect(host.rows.at(-1)).toMatchObject([{ type: 'input.ignored', reason: 'late' }]);
    expect(live(host)).toEqual(['a#1/1']);
  });

  test('that a run has no room for fails the attempt, and nothing of it is recorded', () => {
    const host = three();
    const many = Array.from({ length: 51 }, (_, at) => ({ ...TEXT, question: `q${at}` }));
    assumes(host, 'a#1', ...many);
    expect([host.state.status, host.state.halt?.message, host.state.assumptions]).toEqual([
      'escalated',
      expect.stringContaining('at most 50 of a run may wait'),
      undefined,
    ]);
  });

  test('makes room when it was answered: the list never grows beyond its bound', () => {
    const host = three();
    for (let round = 0; round < 140; round += 1) {
      host.take({ type: 'assumed', at: 0, path: 'a#1', attempt: 1, assumed: said(host, { ...TEXT, question: `q${round}` }) });
      answer(host, true, `a${round + 1}`);
    }
    expect(host.state.assumptions).toHaveLength(100);
    expect(host.state.assumptions?.at(-1)?.id).toBe('a140');
  });
});

describe('an answer (K22)', () => {
  test('that agrees runs nothing again', () => {
    const host = three();
    assumes(host, 'a#1');
    expect(answer(host, true).map(({ type }) => type)).toEqual(['run.changed']);
    expect([live(host), openAssumptions(host.state)]).toEqual([['b#1/1'], []]);
  });

  test('that differs gives up what came after the step and begins it again, under new keys', () => {
    const host = three();
    assumes(host, 'a#1');
    host.take(settled(host, 'b#1'));
    answer(host, false);
    expect(live(host)).toEqual(['a#1/2']);
    host.take(settled(host, 'a#1'));
    expect(live(host)).toEqual(['b#2/1']);
  });

  test('counts once', () => {
    const host = three();
    assumes(host, 'a#1');
    answer(host, true);
    expect(answer(host, false)).toMatchObject([{ type: 'input.ignored', reason: 'duplicate' }]);
    expect(answer(host, false, 'a9')).toMatchObject([{ type: 'input.ignored', reason: 'no-wait' }]);
  });

  test('about a step that is at work gives its attempt up; one about a step that has not begun is told to it', () => {
    const host = three();
    host.take({ type: 'assumed', at: 0, path: 'a#1', attempt: 1, assumed: said(host, TEXT) });
    answer(host, false);
    expect(live(host)).toEqual(['a#1/2']);
    expect(host.rows.at(-1)?.find(({ type }) => type === 'step.changed')).toMatchObject({ failed: { attempt: 1 } });
  });

  test('in a run that is over is recorded, and nothing runs', () => {
    const host = three();
    assumes(host, 'a#1');
    host.take(settled(host, 'b#1'));
    host.take(settled(host, 'c#1'));
    answer(host, false);
    expect([host.state.status, live(host), host.state.assumptions?.[0]?.answer]).toMatchObject([
      'completed',
      [],
      { agrees: false, unmet: true },
    ]);
  });
});

describe('a landing (K23)', () => {
  const held = (host: MemoryHost): void => {
    host.take(errored(host, 'b#1', { code: 'ASSUMPTION_OPEN', reason: 'assumptions' }));
  };

  test('waits without using up retries, and looks again when the last grave one is answered', () => {
    const host = three();
    assumes(host, 'a#1', TEXT, { ...TEXT, question: 'How?' }, { ...TEXT, question: 'When?', severity: 'SHOULD' });
    held(host);
    expect(host.at('b#1').wait).toEqual({ kind: 'assumptions' });
    answer(host, true, 'a1');
    expect(host.at('b#1').state).toBe('waiting');
    answer(host, true, 'a2');
    expect([host.at('b#1').state, host.at('b#1').attempt, host.at('b#1').since]).toEqual(['running', 2, 2]);
  });

  test('is held up by an answer that the work does not follow, however grave it was', () => {
    const host = three();
    assumes(host, 'a#1', { ...TEXT, severity: 'COULD' });
    expect(blockingAssumptions(host.state)).toEqual([]);
    host.take(control(host, { do: 'answer', assumption: 'a1', agrees: false }));
    expect(blockingAssumptions(host.state).map(({ id }) => id)).toEqual(['a1']);
  });
});
