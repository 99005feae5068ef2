import { describe, expect, test } from 'vitest';
import { type Given, graph, human, step as model, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { MemoryHost } from '../../test/kernel/memory-host.ts';
import type { Json } from '../base/json.ts';
import { type CompiledWorkflow, NO_CODE } from '../definition/code.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { createFlowProgram, type FlowRecord } from './flow.ts';
import type { FlowStep, StepFailed } from './flow-step.ts';

type Body = () => Generator<unknown, unknown, unknown>;

function call(id: string, given: Given = {}): FlowStep {
  return { yields: 'step', bound: { model: model(id, given), code: NO_CODE } };
}

function programOf(flow: Body) {
  const { entry: _, ...frame } = graph(model('unused', { next: to('complete') }));
  const definition = { ...frame, form: 'flow', name: 'story', steps: [] } as const;
  const workflow: CompiledWorkflow = { definition, hash: 'h', codeHash: 'c', code: new Map(), flow, children: new Map() };
  return createFlowProgram({ workflow, params: {}, facts: REGISTRY });
}

function start(flow: Body): MemoryHost {
  const host = new MemoryHost({ program: programOf(flow), form: 'flow' });
  host.take({ type: 'start', at: 0 });
  return host;
}

/** What a store would hold of the steps that have ended, in the order in which they began. */
function historyOf(host: MemoryHost): FlowRecord[] {
  const events = host.rows.flat();
  return events.flatMap((event) => {
    if (event.type !== 'step.settled' || event.path.includes('/') || event.path === host.state.halt?.path) return [];
    const opened = events.find((other) => other.type === 'step.opened' && other.activation.path === event.path);
    if (opened?.type !== 'step.opened') return [];
    const output: Json = event.output === undefined ? null : host.view.value(event.output);
    const { step, input = '' } = opened.activation;
    return [
      { path: event.path, step, input, outcome: event.outcome, output, ...(event.error === undefined ? {} : { error: event.error }) },
    ];
  });
}

/** The same run, driven by a program that was built anew from another body. */
function revive(host: MemoryHost, flow: Body): void {
  const program = programOf(flow);
  program.replay(host.state, historyOf(host));
  host.program = program;
}

function output(host: MemoryHost): Json {
  return host.view.value(host.state.output as never);
}

function* twoSteps(): Generator<unknown, unknown, unknown> {
  const a = yield call('a');
  const b = yield call('b', { kind: 'task', config: { args: [a as Json] } });
  return { a: a as Json, b: b as Json };
}

describe('a flow', () => {
  test('opens what it yields, gets the result, and ends with what it returns (F4)', () => {
    const host = start(twoSteps);
    host.take(settled(host, 'a#1', { output: 'one' }));
    host.take(settled(host, 'b#1', { output: 'two' }));
    expect(host.state.status).toBe('completed');
    expect(output(host)).toEqual({ a: 'one', b: 'two' });
  });

  test('a flow that returns nothing ends with the output of its last step (F4)', () => {
    const host = start(function* () {
      yield call('a');
      yield call('b');
    });
    host.take(settled(host, 'a#1', { output: 'one' }));
    host.take(settled(host, 'b#1', { output: 'two' }));
    expect(output(host)).toBe('two');
  });

  test('a flow that went back to a step ends without the earlier output of that step (F4)', () => {
    const program = programOf(function* () {
      try {
        yield call('a');
        yield call('b');
      } catch {}
    });
    const kept: Json[] = [];
    const view = {
      value: () => 'first' as Json,
      keep: (value: Json) => {
        kept.push(value);
        return { digest: '', bytes: 0 };
      },
    } as unknown as Parameters<typeof program.next>[2];
    const run = {} as Parameters<typeof program.next>[0];
    program.begin(run, view);
    const settledA = { step: 'a', path: 'a#1', output: { digest: '', bytes: 0 } } as unknown as Parameters<typeof program.next>[1];
    program.next(run, { ...settledA, outcome: 'ok' }, view);
    program.goBack?.('a');
    program.next(run, { ...settledA, outcome: 'fail' }, view);
    expect(kept).toEqual([null]);
  });

  test('a flow that returns a value that cannot be stored fails with a reason (F4)', () => {
    const host = start(function* () {
      yield call('a');
      return { when: () => 1 };
    });
    host.take(settled(host, 'a#1'));
    expect(host.state).toMatchObject({ status: 'failed', halt: { reason: 'uncaught' } });
    expect(host.state.halt?.message).toContain('what the flow "story" returned');
  });

  test('gets the results of all in order, and of a race the first success', () => {
    const host = start(function* () {
      const both = yield { yields: 'all', steps: [call('x'), call('y')] };
      const first = yield { yields: 'race', steps: [call('slow'), call('fast')] };
      return { both: both as Json, first: first as Json };
    });
    expect(Object.keys(host.state.live)).toEqual(['all-1#1', 'all-1#1/x', 'all-1#1/y']);
    host.take(settled(host, 'all-1#1/y', { output: 'y' }));
    host.take(settled(host, 'all-1#1/x', { output: 'x' }));
    host.take(settled(host, 'race-2#1/fast', { output: 'f' }));
    expect(output(host)).toEqual({ both: ['x', 'y'], first: 'f' });
  });

  test('keeps the question of a human step beside the checkpoint, since no definition holds it', () => {
    const host = start(function* () {
      yield { yields: 'step', bound: { model: human('ask'), code: NO_CODE } };
    });
    expect(host.view.value(host.at('ask#1').wait?.question as never)).toMatchObject({ prompt: 'go on?' });
  });
});

describe('a step of a flow that did not succeed', () => {
  const cautious: Body = function* () {
    try {
      yield call('risky');
    } catch (thrown) {
      const { step, outcome, code, message } = thrown as StepFailed;
      return { step, outcome, code, message };
    }
    return null;
  };

  test.each(['fail', 'reject'])('(%s) is thrown into the generator, where it can be caught (F3)', (outcome) => {
    const host = start(cautious);
    host.take(settled(host, 'risky#1', { outcome }));
    expect(output(host)).toEqual({ step: 'risky', outcome, code: 'STEP_FAILED', message: `step "risky" settled "${outcome}"` });
  });

  test('brings the error of its last attempt along (F3)', () => {
    const host = start(cautious);
    host.take(errored(host, 'risky#1', { code: 'COMMAND_FAILED', message: 'exit 1' }));
    expect(output(host)).toEqual({ step: 'risky', outcome: 'error', code: 'COMMAND_FAILED', message: 'exit 1' });
  });

  test('fails the run when nothing catches it, and can be retried at the same place (F3)', () => {
    const host = start(twoSteps);
    host.take(settled(host, 'a#1', { output: 'one' }));
    host.take(errored(host, 'b#1', { message: 'exit 1' }));
    expect(host.state).toMatchObject({ status: 'failed', halt: { reason: 'uncaught', path: 'b#1', message: 'exit 1' } });
    revive(host, twoSteps);
    host.take(control(host, { do: 'retry' }));
    expect(host.at('b#1')).toMatchObject({ attempt: 2, feedback: 'exit 1' });
    host.take(settled(host, 'b#1', { output: 'two' }));
    expect(output(host)).toEqual({ a: 'one', b: 'two' });
  });

  test('a flow that throws its own error is replayed as a whole', () => {
    let isMended = false;
    const body: Body = function* () {
      const a = yield call('a');
      if (!isMended) throw new Error('not today');
      return a;
    };
    const host = start(body);
    host.take(settled(host, 'a#1', { output: 'one' }));
    expect(host.state).toMatchObject({ status: 'failed', halt: { reason: 'uncaught', message: 'not today' } });
    expect(host.state.halt?.path).toBeUndefined();
    isMended = true;
    revive(host, body);
    host.take(control(host, { do: 'retry' }));
    expect(output(host)).toBe('one');
  });
});

describe('the name of a step', () => {
  test('a step name is used once per run; the second use fails the run before that step runs (F2)', () => {
    const host = start(function* () {
      yield call('same');
      yield call('same');
    });
    host.take(settled(host, 'same#1'));
    expect(host.state).toMatchObject({ status: 'failed', live: {}, halt: { code: 'STEP_DUPLICATE' } });
    expect(host.state.halt?.message).toBe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the message shows how to write a template.
      'the flow "story" has two steps named "same"; names are unique in a run: in a loop write step(`same-${i}`)',
    );
  });

  test('a step name is used once inside a group (F2)', () => {
    const host = start(function* () {
      yield { yields: 'all', steps: [call('x'), call('x')] };
    });
    expect(host.state.halt).toMatchObject({ code: 'STEP_DUPLICATE' });
  });

  test('a step that was never yielded is unknown', () => {
    expect(() => start(twoSteps).program.model('zzz')).toThrow('the flow "story" has not yielded a step "zzz"');
  });

  test('belongs to a step: anything else that is yielded fails the run', () => {
    const host = start(function* () {
      yield 'a step, honestly';
    });
    expect(host.state.halt?.message).toBe('the flow "story" yielded something that is not a step; write yield* step("name").task(…)');
  });
});

describe('a replay', () => {
  function interrupted(): MemoryHost {
    const host = start(twoSteps);
    host.take(settled(host, 'a#1', { output: 'one' }));
    return host;
  }

  test('feeds back what is recorded and continues at the current step, running nothing again', () => {
    const host = interrupted();
    revive(host, twoSteps);
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
    host.take(settled(host, 'b#1', { output: 'two' }));
    expect(output(host)).toEqual({ a: 'one', b: 'two' });
  });

  test.each<[string, Body, string]>([
    [
      'another step',
      function* () {
        yield call('z');
      },
      'the record has step "a", the code now yields step "z"',
    ],
    [
      'other arguments',
      function* () {
        yield call('a');
        yield call('b', { kind: 'task', config: { args: ['changed'] } });
      },
      'the record has step "b", the code now yields step "b" with other arguments',
    ],
    [
      'an earlier end',
      function* () {
        yield call('a');
      },
      'the record has step "b", the code now yields the end of the workflow',
    ],
    [
      'an error',
      // biome-ignore lint/correctness/useYield: a flow that throws before its first step.
      function* () {
        throw new Error('no network');
      },
      'the record has step "a", the code now yields an error (no network)',
    ],
  ])('that gives %s stops with what was expected and what came (F1)', (_what, body, message) => {
    const host = interrupted();
    expect(() => revive(host, body)).toThrow(message);
  });

  test('accepts another time limit or other retries', () => {
    const host = interrupted();
    revive(host, function* () {
      const a = yield call('a', { timeoutMs: 5 });
      yield call('b', { kind: 'task', config: { args: [a as Json] }, retry: { max: 9, on: ['timeout'] } });
    });
    expect(host.at('b#1').state).toBe('running');
  });

  test('throws a recorded failure into the generator again', () => {
    const body: Body = function* () {
      try {
        yield call('risky');
      } catch {
        yield call('instead');
      }
      return 'done';
    };
    const host = start(body);
    host.take(errored(host, 'risky#1'));
    revive(host, body);
    host.take(settled(host, 'instead#1'));
    expect(output(host)).toBe('done');
  });
});
