import { describe, expect, test } from 'vitest';
import { isEngineError } from './error.ts';
import { invariant, unreachable } from './invariant.ts';

describe('an invariant', () => {
  test('an invariant that holds does not throw', () => {
    expect(() => invariant(true, 'K1: holds')).not.toThrow();
  });

  test.each([false, 0, '', null, undefined])('an invariant that is %j throws its message', (condition) => {
    expect(() => invariant(condition, 'K1: holds')).toThrow('invariant: K1: holds');
  });

  test('an invariant that fails is our bug and never an EngineError', () => {
    const thrown = (() => {
      try {
        return unreachable({ type: 'new' } as never);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toHaveProperty('message', 'invariant: unreachable value {"type":"new"}');
    expect(isEngineError(thrown)).toBe(false);
  });
});
