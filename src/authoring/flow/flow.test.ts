import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { StepContext } from '../../definition/code.ts';
import { arg } from '../../definition/param/arg.ts';
import { step } from '../../kinds/step-builder.ts';
import { type FlowYield, StepFailed } from '../../programs/flow-step.ts';
import { all, race } from './call.ts';
import { compileFlow } from './flow.ts';

interface Drive {
  readonly yielded: FlowYield[];
  readonly returned: unknown;
}

/** Drives a generator as a host does: each yield is answered in turn; an error as answer is thrown into it. */
function drive(generator: Generator<unknown, unknown, unknown>, answers: readonly unknown[]): Drive {
  const yielded: FlowYield[] = [];
  let turn = generator.next();
  for (const answer of answers) {
    if (turn.done === true) break;
    yielded.push(turn.value as FlowYield);
    turn = answer instanceof Error ? generator.throw(answer) : generator.next(answer);
  }
  if (turn.done !== true) yielded.push(turn.value as FlowYield);
  return { yielded, returned: turn.done === true ? turn.value : undefined };
}

function namesOf(yielded: readonly FlowYield[]): unknown[] {
  return yielded.map((item) => (item.yields === 'step' ? item.bound.model.id : { [item.yields]: namesOf(item.steps) }));
}

const add = async (a: number, b: number) => a + b;

describe('the yield protocol', () => {
  test('yield* yields the step itself and gives back what was sent', () => {
    const flow = compileFlow('sum', function* () {
      const x = yield* step('first').task(add, 1, 2);
      expectTypeOf(x).toEqualTypeOf<number>();
      const y = yield* step('second').task(add, x, 10);
      return { x, y };
    });
    const { yielded, returned } = drive(flow.flow(undefined as never), [3, 13]);
    expect(namesOf(yielded)).toEqual(['first', 'second']);
    expect(returned).toEqual({ x: 3, y: 13 });
  });

  test('a plain yield works as in the seed, with a result of unknown type', () => {
    const flow = compileFlow('plain', function* () {
      const x = yield step('first').task(add, 1, 2);
      expectTypeOf(x).toBeUnknown();
      return x;
    });
    const { yielded, returned } = drive(flow.flow(undefined as never), [3]);
    expect(yielded).toHaveLength(1);
    expect(returned).toBe(3);
  });

  test('a failure thrown into the flow can be caught around the yield*', () => {
    const flow = compileFlow('careful', function* () {
      try {
        yield* step('risky').task(add, 1, 2);
      } catch (error) {
        return (error as StepFailed).step;
      }
      return 'fine';
    });
    const failure = new StepFailed({ step: 'risky', outcome: 'error', code: 'STEP_FAILED', message: 'broke' });
    expect(drive(flow.flow(undefined as never), [failure]).returned).toBe('risky');
  });

  test('all and race are one yield each, with a tuple and a union as results', () => {
    const flow = compileFlow('together', function* () {
      const both = yield* all([step('a').task(add, 1, 2), step('b').generate({ generator: 'writer' })]);
      expectTypeOf(both).toEqualTypeOf<[number, string]>();
      const first = yield* race([step('c').task(add, 1, 2), step('d').generate({ generator: 'writer' })]);
      expectTypeOf(first).toEqualTypeOf<number | string>();
      return [both, first];
    });
    const { yielded, returned } = drive(flow.flow(undefined as never), [[3, 'text'], 'won']);
    expect(namesOf(yielded)).toEqual([{ all: ['a', 'b'] }, { race: ['c', 'd'] }]);
    expect(returned).toEqual([[3, 'text'], 'won']);
  });

  test('all of a list gives a list, and of an empty list does not yield', () => {
    const flow = compileFlow('list', { params: { files: arg({ type: 'json', required: true }) } }, function* ({ files }) {
      const calls = (files as string[]).map((file) => step(`read-${file}`).task(add, 1, 1));
      const sums = yield* all(calls);
      expectTypeOf(sums).toEqualTypeOf<number[]>();
      return sums;
    });
    expect(drive(flow.flow({ files: [] } as never), [])).toEqual({ yielded: [], returned: [] });
    expect(drive(flow.flow({ files: ['x', 'y'] } as never), [[2, 2]]).returned).toEqual([2, 2]);
  });

  test('a race without steps and a group inside a group are refused', () => {
    expect(() => race([] as never)).toThrow('race([]) must have at least one step');
    expect(() => all([step('x').each([1], () => step('y').delay('1s'))])).toThrow(
      'all([…]) cannot contain step "x", which is a group itself',
    );
  });

  test('each gives results in the order of the items, by whatever keys they settle', () => {
    const flow = compileFlow('fan', function* () {
      const sizes = yield* step('sizes').each(['b', 'a'], (file) => step(`size-${file}`).task(add, 1, file.length));
      expectTypeOf(sizes).toEqualTypeOf<number[]>();
      return sizes;
    });
    expect(drive(flow.flow(undefined as never), [{ a: 1, b: 2 }]).returned).toEqual([2, 1]);
  });
});

describe('the seed’s example', () => {
  class Implementer {
    async execute(context: { task: unknown }) {
      return { success: true, output: context.task };
    }
  }
  const validate = (text: string) => ({ text, ok: text.length > 0 });

  test('compiles and yields its three steps in order', async () => {
    const example = compileFlow(
      'example',
      { description: 'Example workflow', params: { inputData: arg({ type: 'string', required: true }) } },
      function* (input) {
        expectTypeOf(input).toEqualTypeOf<{ readonly inputData: string }>();
        const validated = yield* step('validate_input').task({ action: validate, args: [input.inputData] });
        const result = yield* step('implement').agent({ agent: new Implementer(), context: { task: validated } });
        yield* step('verify').validate({
          stages: ['lint', 'test'],
          retry: 3,
          onFailure: step('fix').agent({ agent: new Implementer(), context: { task: 'fix' } }),
        });
        return result;
      },
    );
    const { yielded, returned } = drive(example.flow({ inputData: 'x' } as never), [
      { text: 'x', ok: true },
      { success: true, output: 'y' },
      { success: true, stages: [] },
    ]);
    expect(namesOf(yielded)).toEqual(['validate_input', 'implement', 'verify']);
    expect(returned).toEqual({ success: true, output: 'y' });
    const [first, second, third] = yielded.map((item) => (item.yields === 'step' ? item.bound : undefined));
    await expect(first?.code.run?.({} as StepContext)).resolves.toEqual({ outcome: 'ok', output: { text: 'x', ok: true } });
    expect(second?.model).toMatchObject({ config: { context: { task: { text: 'x', ok: true } } } });
    expect(second?.code.agent).toBeInstanceOf(Implementer);
    expect(third?.model).toMatchObject({
      kind: 'validate',
      stages: ['lint', 'test'],
      repairs: 3,
      onFailure: { id: 'fix', kind: 'agent' },
    });
    expect(third?.code.members.fix?.agent).toBeInstanceOf(Implementer);
  });
});

describe('a compiled flow', () => {
  const params = {
    mode: arg({ choices: ['quick', 'full'], default: 'quick' }),
    rounds: arg({ min: 1, max: 5, required: true, description: 'how often' }),
  };
  const flow = compileFlow('review', { title: 'Review', description: 'Looks twice', params }, function* (input) {
    expectTypeOf(input.mode).toEqualTypeOf<'quick' | 'full'>();
    expectTypeOf(input.rounds).toEqualTypeOf<number>();
    yield* step('look').delay('1s');
    return input;
  });

  test('has a readable, frozen definition without steps', () => {
    expect(flow.definition).toEqual({
      name: 'review',
      title: 'Review',
      description: 'Looks twice',
      form: 'flow',
      params: {
        mode: { description: '', type: 'string', required: false, choices: ['quick', 'full'], default: 'quick' },
        rounds: { description: 'how often', type: 'integer', required: true, min: 1, max: 5 },
      },
      steps: [],
      limits: { maxIterations: 10 },
    });
    expect(() => Object.assign(flow.definition.params, { more: 1 })).toThrow(TypeError);
  });

  test('binds its input with defaults before the first step, and refuses wrong input', () => {
    expect(drive(flow.flow({ rounds: 2 } as never), [null]).returned).toEqual({ mode: 'quick', rounds: 2 });
    expect(() => flow.flow({ rounds: 9, mood: 'bad' } as never)).toThrow(
      /workflow "review"[\s\S]*"mood" is not a parameter[\s\S]*"rounds" is 9/,
    );
  });

  test('refuses what is not a generator function, a nameless flow, parameters that contradict themselves, and two children of one name', () => {
    expect(() => compileFlow('plain', (() => 1) as never)).toThrow('workflow "plain" must be a generator function');
    expect(() => compileFlow('async', async function* () {} as never)).toThrow('async work belongs in them');
    const empty = function* () {};
    expect(() => compileFlow(' ', empty)).toThrow('must have a name');
    expect(() => compileFlow('bad', { params: { n: arg({ min: 3, max: 1 }) } }, empty)).toThrow('parameter "n": min 3 is above max 1');
    const [one, other] = [compileFlow('same', empty), compileFlow('same', empty)];
    expect(() => compileFlow('parent', { children: [one, other] }, empty)).toThrow('two children named "same"');
    expect(compileFlow('parent', { children: [one, one] }, empty).children.get('same')).toBe(one);
  });

  test('has a code hash that follows its text, and a definition hash that does not; a version is a label of the definition', () => {
    const one = function* () {
      yield* step('a').delay(1);
    };
    const two = function* () {
      yield* step('b').delay(1);
    };
    expect(compileFlow('w', one).codeHash).toBe(compileFlow('w', one).codeHash);
    expect(compileFlow('w', one).codeHash).not.toBe(compileFlow('w', two).codeHash);
    expect(compileFlow('w', one).hash).toBe(compileFlow('w', two).hash);
    const labelled = compileFlow('w', { version: '2' }, one);
    expect(labelled.definition.version).toBe('2');
    expect(labelled.codeHash).toBe(compileFlow('w', one).codeHash);
    expect(labelled.hash).not.toBe(compileFlow('w', one).hash);
  });

  test('gives its return type to the step that starts it', () => {
    const call = step('child').workflow(flow, { rounds: 1 });
    const silent = compileFlow('silent', function* () {
      yield* step('a').delay(1);
    });
    const probe = function* () {
      expectTypeOf(yield* call).toEqualTypeOf<{ readonly mode: 'quick' | 'full'; readonly rounds: number }>();
      expectTypeOf(yield* step('s').workflow(silent)).toEqualTypeOf<Json>();
      expectTypeOf(yield* step('n').workflow('by-name', { any: 'thing' })).toEqualTypeOf<Json>();
    };
    // @ts-expect-error: rounds is a number.
    step('wrong').workflow(flow, { rounds: 'one' });
    expect(drive(probe(), [1, 2, 3]).yielded).toHaveLength(3);
    expect(call.child).toBe(flow);
    const wrapped = step('child').workflow({ compiled: flow }, { rounds: 1 });
    expectTypeOf(wrapped).toEqualTypeOf(call);
    expect(wrapped.child).toBe(flow);
    expect(wrapped.bound.model).toMatchObject({ workflow: 'review', input: { rounds: 1 } });
    expect(() => step('w').workflow('')).toThrow('`workflow` must name the workflow to start');
    expect(call.timeout('1h').child).toBe(flow);
  });
});

test.each<[string, () => unknown, string]>([
  ['a title', () => compileFlow('w', { title: 7 } as never, function* () {}), 'workflow "w" is not valid: `title` must be a string, not 7'],
  ['data of a limit', () => compileFlow('w', { limits: 5 } as never, function* () {}), '`limits` must be an object such as'],
  [
    'circuit breakers',
    () => compileFlow('w', { circuitBreakers: 5 } as never, function* () {}),
    '`circuitBreakers` must be true or an object',
  ],
  ['retries', () => step('a').command({ run: 'x', retry: { max: '3' } } as never), '`retry.max` must be 0 or a positive integer, not "3"'],
  [
    'slots',
    () => step('a').command({ run: 'x', slots: 'db' } as never),
    'step "a" cannot be built: `slots` must be a list of strings, not "db"',
  ],
  [
    'a title of a step',
    () =>
      step('a')
        .command('x')
        .title(5 as never),
    'step "a" cannot be built: `title` must be a string, not 5',
  ],
  ['a prompt', () => step('a').human({ prompt: 5 } as never), 'step "a": `prompt` must be a string'],
  ['answers', () => step('a').human({ prompt: 'p', options: 'yes' } as never), '`options` must be a list, not "yes"'],
])('a value of another type is refused in a flow: %s', (_, build, message) => {
  expect(build).toThrow(message);
});
