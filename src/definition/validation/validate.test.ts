// biome-ignore-all lint/suspicious/noThenProperty: the `then` of an edge is a target and no function.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../../test/cpu-time.ts';
import { type Given, step as plainStep } from '../../../test/kernel/definitions.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { Definition, Edge, GraphDefinition, StepModel, Target } from '../model.ts';
import { ProblemList } from './problem.ts';
import { checkDefinition, findProblems } from './validate.ts';

const END: Edge = { to: { end: 'complete' } };
const to = (step: string, bound: Omit<Edge, 'to'> = {}): Edge => ({ to: { step }, ...bound });
const step = (id: string, next: StepModel['next'], fields: Given = {}): StepModel => plainStep(id, { ...fields, next });
const workflow = (steps: readonly StepModel[], fields: Partial<GraphDefinition> = {}): GraphDefinition => ({
  name: 'wf',
  title: 'wf',
  description: '',
  form: 'graph',
  params: {},
  entry: steps[0]?.id ?? '',
  steps,
  limits: { maxIterations: 10 },
  ...fields,
});
const faults = (definition: Definition) =>
  findProblems(definition, { registry: REGISTRY }).map(({ step: at, code }) => (at === undefined ? code : `${at} ${code}`));
const messages = (definition: Definition) =>
  findProblems(definition, { registry: REGISTRY }).map(({ message, hint }) => `${message}; ${hint}`);

describe('the checks of construction', () => {
  test('a valid definition has no faults', () => {
    const definition = workflow([step('a', { ok: to('b'), iterate: to('a', { max: 3, then: { step: 'b' } }) }), step('b', { ok: END })]);
    expect(faults(definition)).toEqual([]);
  });

  test('the entry exists', () => {
    const definition = workflow([step('plan', { ok: END })], { entry: 'plann' });
    expect(faults(definition)).toEqual(['ENTRY_UNKNOWN']);
    expect(messages(definition)[0]).toContain('the entry "plann" does not exist (did you mean "plan"?)');
  });

  test('every target exists, also behind bounds, conditions and options', () => {
    const options = [{ label: 'Go', to: { step: 'fourth-lost' }, outcome: 'ok', requiresInput: false }];
    const definition = workflow([
      step('a', { ok: to('first-lost'), fail: to('a', { max: 1, then: { step: 'second-lost' } }) }),
      step(
        'b',
        { ok: { condition: 'result.ok', onTrue: to('third-lost'), onFalse: to('a', { max: 1 }) } },
        { question: { prompt: '?', show: [], options } },
      ),
    ]);
    const unknown = messages(definition).filter((message) => message.includes('does not exist'));
    expect(unknown).toEqual([
      'the outcome "ok" leads to "first-lost", which does not exist; name a step, or null to end the run',
      'the loop limit of "fail" leads to "second-lost", which does not exist; name a step, or null to end the run',
      'the outcome "ok" with a true condition leads to "third-lost", which does not exist; name a step, or null to end the run',
      'the option "Go" leads to "fourth-lost", which does not exist; name a step, or null to end the run',
    ]);
  });

  test('something ends the run; the escalation of a loop does not count', () => {
    expect(faults(workflow([step('a', { ok: to('a', { max: 2, then: { end: 'escalate' } }) })]))).toEqual(['NO_END']);
    expect(faults(workflow([step('a', { ok: to('a', { max: 2, then: { end: 'fail' } }) })]))).toEqual([]);
    expect(faults(workflow([step('a', { ok: { to: { end: 'escalate' } } })]))).toEqual(['NO_END']);
  });

  test('every step can be reached, also by an option or a used-up bound', () => {
    const question = { prompt: '?', show: [], options: [{ label: 'Go', to: { step: 'c' }, outcome: 'ok', requiresInput: false }] };
    const reached = [
      step('a', { ok: to('a', { max: 1, then: { step: 'b' } }) }),
      step('b', {}, { kind: 'human', question }),
      step('c', { ok: END }),
    ];
    expect(faults(workflow(reached))).toEqual([]);
    expect(faults(workflow([...reached, step('lost', { ok: END })]))).toEqual(['lost UNREACHABLE']);
  });

  test('from every step the run can end', () => {
    const trapped = [step('a', { ok: END, fail: to('b') }), step('b', { ok: to('b', { max: 5, then: { end: 'escalate' } }) })];
    expect(faults(workflow(trapped))).toEqual(['b DEAD_END']);
    expect(faults(workflow([step('a', { ok: END, fail: to('b') }), step('b', { ok: { to: { end: 'escalate' } } })]))).toEqual([]);
  });
});

describe('what else is rejected', () => {
  test.each<[string, readonly StepModel[], string[]]>([
    ['no steps at all', [], ['NO_STEPS']],
    ['two steps of one id', [step('a', { ok: END }), step('a', { ok: END })], ['a STEP_DUPLICATE']],
    ['the id of an end', [step('complete', { ok: END })], ['complete STEP_RESERVED']],
    ['an id that would break a path', [step('a#1', { ok: END })], ['a#1 NAME_INVALID']],
    ['an id that every object has', [step('constructor', { ok: END })], ['constructor NAME_INVALID']],
    ['a missing next', [step('a', {})], ['a NEXT_MISSING']],
    ['an outcome that does not exist', [step('a', { ok: END, success: END })], ['a OUTCOME_UNKNOWN']],
    ['the key of a group on a task', [step('a', { ok: END, reject_all: END })], ['a OUTCOME_UNKNOWN']],
    ['a bound of nothing', [step('a', { ok: END, iterate: to('a', { max: 0 }) })], ['a NUMBER_INVALID']],
    ['a loop without a bound', [step('a', { ok: to('b') }), step('b', { ok: END, fail: to('a') })], ['a LOOP_UNBOUNDED']],
    [
      'a bound that leads where it bounds',
      [step('a', { ok: END, iterate: to('b', { max: 1, then: { step: 'b' } }) }), step('b', { ok: END })],
      ['a LOOP_REENTERED'],
    ],
    [
      'a bound that leads back into its loop',
      [step('a', { ok: to('b') }), step('b', { ok: to('c') }), step('c', { ok: END, fail: to('b', { max: 2, then: { step: 'a' } }) })],
      ['c LOOP_REENTERED'],
    ],
    ['a condition that cannot be read', [step('a', { ok: END }, { condition: 'result ===' })], ['a CONDITION_INVALID']],
    ['a condition over an unknown name', [step('a', { ok: END }, { condition: 'results.x == 1' })], ['a CONDITION_INVALID']],
    ['a timeout of no time', [step('a', { ok: END }, { timeoutMs: 0 })], ['a TIMEOUT_INVALID']],
    [
      'concurrency of nobody',
      [step('a', { ok: END }, { kind: 'parallel', join: { rule: 'all' }, members: [step('x', {})], concurrency: 0 })],
      ['a NUMBER_INVALID'],
    ],
    [
      'pauses that shrink',
      [step('a', { ok: END }, { retry: { max: 1, on: [], backoff: { initialMs: 5, factor: 0.5, maxMs: 9 } } })],
      ['a NUMBER_INVALID'],
    ],
    ['a question without answers', [step('a', { ok: END }, { question: { prompt: '?', show: [], options: [] } })], ['a QUESTION_INVALID']],
    ['a question to a person without a question', [step('a', { ok: END }, { kind: 'human' } as Given)], ['a KIND_INVALID']],
    [
      'a join for more than there are',
      [step('a', { ok: END }, { kind: 'parallel', members: [step('x', {})], join: { rule: 'count', n: 2 } })],
      ['a JOIN_INVALID'],
    ],
    [
      'a member with transitions',
      [step('a', { ok: END }, { kind: 'parallel', join: { rule: 'all' }, members: [step('x', { ok: END })] })],
      ['a/x MEMBER_INVALID'],
    ],
    [
      'a fan-out without items',
      [step('a', { ok: END }, { kind: 'each', items: '', body: step('a', {}), join: { rule: 'all' } })],
      ['a KIND_INVALID'],
    ],
    [
      'a parameter that contradicts itself',
      [step('a', { ok: END }, { args: { n: { description: '', required: false, choices: [] } } })],
      ['a ARG_INVALID'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(faults(workflow(steps))).toEqual(expected);
  });

  test('a transition into the branch of a group', () => {
    const group = step('g', { ok: END }, { kind: 'parallel', join: { rule: 'all' }, members: [step('x', {}), step('y', {})] });
    for (const target of ['x', 'g/x']) {
      const definition = workflow([step('a', { ok: to('g'), fail: to(target) }), group]);
      expect(faults(definition)).toEqual(['a TARGET_IN_BRANCH']);
      expect(messages(definition)[0]).toContain('a branch of "g"; a branch starts with its group; lead to "g"');
    }
  });

  test('a question needs a next only if an option has no target', () => {
    const option = { label: 'Go', outcome: 'ok', requiresInput: false };
    const asking = (options: readonly object[]) =>
      workflow([step('a', {}, { kind: 'human', question: { prompt: '?', show: [], options: options as never } })]);
    expect(faults(asking([{ ...option, to: { end: 'complete' } }]))).toEqual([]);
    expect(
      faults(
        asking([
          { ...option, to: { end: 'complete' } },
          { ...option, label: 'No' },
        ]),
      ),
    ).toEqual(['a NEXT_MISSING']);
  });

  test('a person may loop as often as they like', () => {
    const options = [
      { label: 'Again', to: { step: 'a' } as Target, outcome: 'ok', requiresInput: false },
      { label: 'Done', to: { end: 'complete' } as Target, outcome: 'ok', requiresInput: false },
    ];
    expect(
      faults(workflow([step('a', { ok: to('b') }), step('b', {}, { kind: 'human', question: { prompt: '?', show: [], options } })])),
    ).toEqual([]);
  });

  test("an option's outcome is a key of the table", () => {
    const question = { prompt: '?', show: [], options: [{ label: 'Later', outcome: 'later', requiresInput: false }] };
    expect(faults(workflow([step('a', { later: END }, { kind: 'human', question })]))).toEqual([]);
  });

  test('an authoring format may allow more names', () => {
    const definition = workflow([step('a', { ok: END }, { condition: 'trigger.label == "x"' })]);
    expect(findProblems(definition, { registry: REGISTRY, roots: ['trigger'] })).toEqual([]);
  });

  test('a flow has no graph to check', () => {
    const { entry: _, ...frame } = workflow([]);
    expect(faults({ ...frame, form: 'flow', steps: [] })).toEqual([]);
  });

  test('all faults at once, in one error that has them as data', () => {
    const definition = workflow([step('a', { okay: to('b') }), step('c', { ok: END })]);
    const problems = new ProblemList();
    checkDefinition(definition, problems, { registry: REGISTRY });
    expect(() => problems.refuse(definition.name)).toThrow(
      expect.objectContaining({
        code: 'DEFINITION_INVALID',
        message: expect.stringMatching(
          /^workflow "wf" has 3 problems:\n- step "a": "okay" is not an outcome of a task step.*\n- step "a".*"b".*\n- step "c"/,
        ),
        details: {
          workflow: 'wf',
          problems: [
            expect.objectContaining({ step: 'a', code: 'OUTCOME_UNKNOWN', hint: expect.stringContaining('ok, fail') }),
            expect.objectContaining({ step: 'a', code: 'TARGET_UNKNOWN' }),
            expect.objectContaining({ step: 'c', code: 'UNREACHABLE' }),
          ],
        },
      }),
    );
  });
});

describe('against a naive reference', () => {
  /** Steps 0…n-1 with edges to steps, or to the end (n). Every edge is bounded, so that loops are not a fault. */
  const graphs = fc
    .integer({ min: 1, max: 8 })
    .chain((size) =>
      fc.array(fc.array(fc.integer({ min: 0, max: size }), { minLength: 1, maxLength: 3 }), { minLength: size, maxLength: size }),
    );
  const KEYS = ['ok', 'fail', 'iterate'];

  function walk(edges: readonly (readonly number[])[], from: number): Set<number> {
    const seen = new Set([from]);
    for (let before = -1; before !== seen.size; ) {
      before = seen.size;
      for (const node of [...seen]) for (const target of edges[node] ?? []) seen.add(target);
    }
    return seen;
  }

  test('reachability and dead ends are reported exactly', () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        const end = edges.length;
        const steps = edges.map((targets, index) =>
          step(
            `s${index}`,
            Object.fromEntries(
              targets.map((target, key) => [KEYS[key], target === end ? END : to(`s${target}`, { max: 1, then: { end: 'escalate' } })]),
            ),
          ),
        );
        const ids = steps.map(({ id }) => id);
        const unreachable = ids.filter((_, index) => !walk(edges, 0).has(index));
        const isEndless = !edges.flat().includes(end);
        const dead = isEndless ? [] : ids.filter((_, index) => !walk(edges, index).has(end));
        const expected = [
          ...unreachable.map((id) => `${id} UNREACHABLE`),
          ...(isEndless ? ['NO_END'] : []),
          ...dead.map((id) => `${id} DEAD_END`),
        ];
        expect(faults(workflow(steps))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('a loop without a bound is reported exactly if there is one', () => {
    const bounded = fc.tuple(graphs, fc.infiniteStream(fc.boolean()));
    fc.assert(
      fc.property(bounded, ([edges, coin]) => {
        const end = edges.length;
        const free = edges.map(() => [] as number[]);
        const steps = edges.map((targets, index) => {
          const entries = targets.map((target, key) => {
            if (target === end) return [KEYS[key], END];
            const isFree = coin.next().value === true;
            if (isFree) free[index]?.push(target);
            return [KEYS[key], to(`s${target}`, isFree ? {} : { max: 1, then: { end: 'escalate' } })];
          });
          return step(`s${index}`, Object.fromEntries(entries));
        });
        const loops = free.some((targets, index) => targets.some((target) => walk(free, target).has(index)));
        expect(findProblems(workflow(steps), { registry: REGISTRY }).some(({ code }) => code === 'LOOP_UNBOUNDED')).toBe(loops);
      }),
      { numRuns: 500 },
    );
  });
});

describe('size', () => {
  const COUNT = 5000;

  test('5,000 steps are checked in less than 100 ms', () => {
    const steps = Array.from({ length: COUNT }, (_, index) => {
      const condition = index % 10 === 0 ? { condition: `outputs.s${index}.done == true` } : {};
      const next = index === COUNT - 1 ? END : to(`s${index + 1}`);
      return step(`s${index}`, { ok: next, fail: to('s0', { max: 3, then: { end: 'escalate' } }) }, condition);
    });
    const definition = workflow(steps);
    // The fastest of several, so that other load on the machine does not fail the test.
    const times = Array.from({ length: 5 }, () => {
      const started = cpuTimeMs();
      expect(findProblems(definition, { registry: REGISTRY })).toEqual([]);
      return cpuTimeMs() - started;
    });
    expect(Math.min(...times)).toBeLessThan(100);
  });

  test('a definition in which every target is wrong is reported without comparing every name with every other', () => {
    const steps = Array.from({ length: COUNT }, (_, index) => step(`step-number-${index}`, { ok: to(`stepnumber-${index}`) }));
    const started = cpuTimeMs();
    expect(findProblems(workflow(steps), { registry: REGISTRY }).filter(({ code }) => code === 'TARGET_UNKNOWN')).toHaveLength(COUNT);
    expect(cpuTimeMs() - started).toBeLessThan(2000);
  });
});
