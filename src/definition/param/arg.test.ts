import { describe, expect, test } from 'vitest';
import { arg, argFaults, bindParams } from './arg.ts';

const PARAMS = {
  mode: arg({ description: 'Workflow mode', choices: ['quick', 'full'], default: 'full' }),
  rounds: arg({ min: 1, max: 5, required: true }),
  share: arg({ type: 'number', min: 0, max: 1 }),
  target: arg({ type: 'string' }),
};

const binding = (given: unknown) => () => bindParams(PARAMS, given, 'workflow "wf"');

describe('a parameter', () => {
  test('gets the type that its choices, bounds or default imply', () => {
    expect(arg({ choices: ['a', 'b'] }).type).toBe('string');
    expect(arg({ min: 1, max: 3 }).type).toBe('integer');
    expect(arg({ min: 0.5 }).type).toBe('number');
    expect(arg({ default: true }).type).toBe('boolean');
    expect(arg({ choices: ['a', 1] }).type).toBeUndefined();
    expect(arg({})).toEqual({ description: '', required: false });
  });

  test('a parameter is frozen', () => {
    const model = arg({ choices: [{ deep: 1 }] });
    expect(() => Object.assign(model.choices?.[0] as object, { deep: 2 })).toThrow(TypeError);
  });

  test('a parameter that is declared again is the same', () => {
    for (const model of Object.values(PARAMS)) expect(arg(model)).toEqual(model);
  });

  test.each([
    [{ min: 3, max: 1 }, 'min 3 is above max 1'],
    [{ min: Number.NaN }, 'min and max must be finite numbers'],
    [{ choices: [] }, 'choices is empty, so no value is allowed'],
    [{ type: 'string', min: 1 }, 'min and max apply only to numbers, but the type is string'],
    [{ choices: ['a'], default: 'b' }, 'the default "b" is not one of its choices; write one of "a"'],
    [{ min: 1, max: 3, default: 9 }, 'the default 9 is above 3; write an integer from 1 to 3'],
  ] as const)('%j contradicts itself', (spec, fault) => {
    expect(argFaults(arg(spec))).toContain(fault);
  });
});

describe('binding', () => {
  test('fills in defaults and omits optional values that are missing', () => {
    expect(bindParams(PARAMS, { rounds: 2 }, 'workflow "wf"')).toEqual({ mode: 'full', rounds: 2 });
    expect(bindParams({}, undefined, 'workflow "wf"')).toEqual({});
  });

  test('returns frozen values', () => {
    expect(() => Object.assign(bindParams(PARAMS, { rounds: 2 }, 'x'), { rounds: 3 })).toThrow(TypeError);
  });

  test.each([
    [{ rounds: '2' }, '"rounds" is "2", which is not of type integer; write an integer from 1 to 5'],
    [{ rounds: 2.5 }, '"rounds" is 2.5, which is not of type integer'],
    [{ rounds: 0 }, '"rounds" is 0, which is below 1'],
    [{ rounds: 6 }, '"rounds" is 6, which is above 5'],
    [{ rounds: null }, '"rounds" is null, which is not of type integer'],
    [{}, '"rounds" is missing; it must be an integer from 1 to 5'],
    [{ rounds: 1, mode: 'fast' }, '"mode" is "fast", which is not one of its choices; write one of "quick", "full"'],
    [{ rounds: 1, share: 2 }, '"share" is 2, which is above 1'],
    [{ rounds: 1, taget: 'x' }, '"taget" is not a parameter (did you mean "target"?); the parameters are mode, rounds, share, target'],
    [{ rounds: 1, target: () => 1 }, '"target" is not plain JSON: it is a function'],
    [JSON.parse('{"rounds":1,"__proto__":{}}'), '"__proto__" is not a parameter'],
    [[1], 'they must be an object with a value per name'],
  ])('%j is refused', (given, told) => {
    expect(binding(given)).toThrow(expect.objectContaining({ code: 'PARAMS_INVALID', message: expect.stringContaining(told) }));
  });

  test('reports all faults at once', () => {
    expect(binding({ mode: 'fast', colour: 1 })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/parameters of workflow "wf" are not valid: \n- "colour".*\n- "mode".*\n- "rounds"/s),
      }),
    );
  });
});
