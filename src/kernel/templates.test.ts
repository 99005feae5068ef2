import { describe, expect, test } from 'vitest';
import { edge, graph, graphWith, human, parallel, question, step, to } from '../../test/kernel/definitions.ts';
import { errored, settled } from '../../test/kernel/inputs.ts';
import { openGraph, startGraph } from '../../test/kernel/memory-host.ts';
import type { JsonObject } from '../base/json.ts';
import type { Edge } from '../definition/model.ts';

const END = to('complete');

function back(context: JsonObject): Edge {
  return { ...edge('b', { max: 2 }), context };
}

describe('what a run begins with', () => {
  test('its context is made once, in order, from params and facts, and keeps the types of values', () => {
    const definition = {
      ...graph(step('a', { next: END })),
      context: [
        { name: 'number', value: '{{ trigger.issue.number }}' },
        { name: 'title', value: 'issue {{ context.number }} on {{ params.branch }}' },
        { name: 'labels', value: ['{{ number }}', 'fixed'] },
      ],
    };
    const host = openGraph(definition, { branch: 'main' });
    host.take({ type: 'start', at: 0, ...factsOf(host, { $trigger: { issue: { number: 42 } } }) });
    expect(Object.fromEntries(host.view.merged)).toEqual({
      $trigger: { issue: { number: 42 } },
      number: 42,
      title: 'issue 42 on main',
      labels: [42, 'fixed'],
    });
  });

  test('a name that is missing refuses the start, and nothing has begun', () => {
    const definition = { ...graph(step('a', { next: END })), context: [{ name: 'n', value: '{{ trigger.isue }}' }] };
    const host = openGraph(definition);
    expect(() => host.take({ type: 'start', at: 0, ...factsOf(host, { $trigger: { issue: 1 } }) })).toThrow(/isue.*did you mean "issue"/);
    expect(host.state.live).toEqual({});
  });
});

describe('which captured files are public', () => {
  const captured = { files: ['src/a.py', 'src/b.py'], $public_api: ['src/b.py'] };
  const opened = (condition: string, output: object) => {
    const a = step('a', { merges: false, next: to('b') });
    const host = startGraph(
      graphWith({ outputNames: { files: 'a' } }, a, step('b', { condition, next: to('c') }), step('c', { next: END })),
    );
    host.take(settled(host, 'a#1', { output }));
    return Object.keys(host.state.live);
  };

  test.each(['outputs.a.files | has_public_api', 'outputs.files | has_public_api', 'checkpoint.results.a.files | has_public_api'])(
    'is known to %s',
    (condition) => {
      expect(opened(condition, captured)).toEqual(['b#1']);
      expect(opened(condition, { files: ['src/a.py'] })).toEqual(['c#1']);
    },
  );

  test('is known in the own transitions of the step, and is no part of what authors read', () => {
    const next = { ok: back({ isPublic: '{{ result.files | has_public_api }}', all: '{{ result }}' }) };
    const host = startGraph(graph(step('a', { merges: false, next }), step('b', { next: END })));
    host.take(settled(host, 'a#1', { output: captured }));
    expect(Object.fromEntries(host.view.merged)).toEqual({ isPublic: true, all: { files: captured.files } });
  });
});

describe('what an edge brings along', () => {
  test('is merged into the data before the next step opens, and stays', () => {
    const a = step('a', { next: { ok: back({ note: '{{ result.n }}', whole: 'n is {{ result.n }}' }) } });
    const b = step('b', { condition: 'checkpoint.note == 7', next: END });
    const host = startGraph(graph(a, b));
    const events = host.take(settled(host, 'a#1', { output: { n: 7 } }));
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
    expect(Object.fromEntries(host.view.merged)).toEqual({ n: 7, note: 7, whole: 'n is 7' });
    expect(events.filter(({ type }) => type === 'edge.taken')).toMatchObject([{ to: 'b', merge: { bytes: 27 } }]);
  });

  test.each<[string, Edge['context'], unknown]>([
    ['the checks of a gate that failed', { why: '{{ gate.failed_checks }}' }, ['lint']],
    ['the result itself', { why: '{{ result.failed_checks }}' }, ['lint']],
  ])('can be %s', (_, context, why) => {
    const gate = step('g', {
      kind: 'gate',
      config: { checks: [{ check: 'command', run: 'x' }] },
      next: { ok: edge('complete'), fail: back(context ?? {}) },
    });
    const host = startGraph(graph(gate, step('b', { next: END })));
    host.take(settled(host, 'g#1', { outcome: 'fail', output: { failed_checks: ['lint'] } }));
    expect(host.view.merged.get('why')).toEqual(why);
  });

  test('can be why an action failed', () => {
    const host = startGraph(
      graph(step('a', { next: { ok: edge('complete'), error: back({ why: '{{ action.error }}' }) } }), step('b', { next: END })),
    );
    host.take(errored(host, 'a#1'));
    expect(host.view.merged.get('why')).toBe('boom');
  });

  test('can be what all branches said, those that were skipped left out', () => {
    const fan = parallel('fan', [step('x'), step('y'), step('z', { condition: 'params.z' })], {
      merges: false,
      next: { ok: edge('complete'), reject: back({ said: '{{ branches.*.feedback }}' }) },
    });
    const host = startGraph(graph(fan, step('b', { next: END })), { z: false });
    host.take(settled(host, 'fan#1/x', { outcome: 'reject', output: { feedback: 'no' } }));
    host.take(settled(host, 'fan#1/y', { outcome: 'ok', output: { feedback: 'fine' } }));
    expect(Object.fromEntries(host.view.merged)).toEqual({ said: ['no', 'fine'] });
  });

  test('that cannot be evaluated escalates, and names the transition', () => {
    const host = startGraph(graph(step('a', { next: { ok: back({ n: '{{ result.m }}' }) } }), step('b', { next: END })));
    host.take(settled(host, 'a#1', { output: { n: 7 } }));
    expect(host.state).toMatchObject({ status: 'escalated', live: {}, halt: { reason: 'condition', code: 'CONDITION_ERROR', step: 'a' } });
    expect(host.state.halt?.message).toMatch(/the `context` of the transition from "a" to "b" could not be evaluated: .*"m"/);
  });

  test('is not read again: text that looks like a template stays text', () => {
    const host = startGraph(graph(step('a', { next: { ok: back({ n: '{{ result.n }}' }) } }), step('b', { next: END })));
    host.take(settled(host, 'a#1', { output: { n: '{{ secrets.TOKEN }}' } }));
    expect(host.view.merged.get('n')).toBe('{{ secrets.TOKEN }}');
  });
});

test('a step that does not merge keeps its result among the outputs only', () => {
  const host = startGraph(graph(step('a', { merges: false, next: to('b') }), step('b', { condition: 'outputs.a.n == 7', next: END })));
  host.take(settled(host, 'a#1', { output: { n: 7 } }));
  expect(host.view.merged.size).toBe(0);
  expect(Object.keys(host.state.live)).toEqual(['b#1']);
});

test('a question is asked, and bound by its digest, with its templates filled in', () => {
  const ask = (n: number) => {
    const asked = human('ask', { templates: true, question: question({ prompt: 'merge #{{ context.pr }}?' }), next: END });
    const host = startGraph(graph(step('a', { next: to('ask') }), asked));
    host.take(settled(host, 'a#1', { output: { pr: n } }));
    return host;
  };
  const host = ask(7);
  const { wait } = host.at('ask#1');
  expect(host.view.value(wait?.question as never)).toMatchObject({ prompt: 'merge #7?' });
  expect(wait?.digest).not.toBe(ask(8).at('ask#1').wait?.digest);
  expect(wait?.digest).toBe(ask(7).at('ask#1').wait?.digest);
});

function factsOf(host: ReturnType<typeof openGraph>, facts: JsonObject) {
  const kept = host.view.keep(facts);
  return kept === undefined ? {} : { facts: kept };
}

test('a step that merges some fields only adds those to the data', () => {
  const host = startGraph(
    graph(step('a', { kind: 'command', config: { run: 'true' }, merges: ['pr_number'], next: to('b') }), step('b', { next: END })),
  );
  host.take(settled(host, 'a#1', { output: { pr_number: 7, note: 'x' } }));
  expect(Object.fromEntries(host.view.merged)).toEqual({ pr_number: 7 });
  expect(host.view.results.get('a')).toEqual({ pr_number: 7, note: 'x' });
});

test('an output is found by its own name where no step has that name', () => {
  const b = step('b', { condition: "outputs.files | contains('x')", next: END });
  const host = startGraph(graphWith({ outputNames: { files: 'a' } }, step('a', { merges: false, next: to('b') }), b));
  host.take(settled(host, 'a#1', { output: { files: ['x'] } }));
  expect(Object.keys(host.state.live)).toEqual(['b#1']);
});
