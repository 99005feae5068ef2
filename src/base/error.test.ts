import { describe, expect, test } from 'vitest';
import { EngineError, ERROR_CODES, failureOf, isEngineError, messageOf } from './error.ts';

describe('an engine error', () => {
  test('carries its code, details, position and cause', () => {
    const cause = new Error('disk');
    const position = { file: 'a.yaml', line: 2, column: 5 };
    const error = new EngineError('STORE_FULL', 'no space', { cause, details: { bytes: 1 }, position });
    expect(error).toMatchObject({ name: 'EngineError', code: 'STORE_FULL', message: 'no space', cause, details: { bytes: 1 }, position });
  });

  test('an engine error is printed with its name, whatever a bundle calls its class', () => {
    expect(EngineError.name).toBe('EngineError');
    expect(Object.hasOwn(new EngineError('RUN_FINAL', 'over'), 'name')).toBe(false);
    expect(String(new EngineError('RUN_FINAL', 'over'))).toBe('EngineError: over');
  });

  test('an engine error has no cause and no details unless they are passed', () => {
    const error = new EngineError('RUN_FINAL', 'over');
    expect('cause' in error).toBe(false);
    expect(error).toMatchObject({ details: {}, position: undefined });
  });

  test('an engine error is recognised by its code, even if its class came from another copy of the module', () => {
    expect(isEngineError(new EngineError('RUN_FINAL', 'over'))).toBe(true);
    expect(isEngineError(Object.assign(new Error('over'), { code: 'RUN_FINAL' }))).toBe(true);
  });

  test.each([new Error('x'), Object.assign(new Error('x'), { code: 'ENOENT' }), { code: 'RUN_FINAL' }, 'RUN_FINAL', null, undefined])(
    'is not %o',
    (thrown) => {
      expect(isEngineError(thrown)).toBe(false);
    },
  );
});

describe('the catalogue', () => {
  const exits = [1, 2, 4, 5, 6, 7];

  test.each(Object.entries(ERROR_CODES))('%s is a failure by status and by exit code', (_code, { http, exit }) => {
    expect(http).toBeGreaterThanOrEqual(400);
    expect(http).toBeLessThan(600);
    expect(exits).toContain(exit);
  });
});

const refuse = () => {
  throw new Error('no');
};
const unreadable = (field: string) => Object.defineProperty(new Error('x'), field, { get: refuse });

describe('the message of whatever was thrown', () => {
  test.each([
    [new Error('x'), 'x'],
    [new TypeError(''), 'TypeError'],
    ['text', 'text'],
    [undefined, 'a non-error was thrown: undefined'],
    [7, 'a non-error was thrown: 7'],
    [null, 'a non-error was thrown: null'],
    [{ a: 1 }, 'a non-error was thrown: {"a":1}'],
    [{ a: 1n }, 'a non-error was thrown: [object Object]'],
    [Object.assign(new Error('x'), { message: 7 }), '7'],
  ])('of %o is %s', (thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });

  test('says that it cannot be read if reading it throws', () => {
    for (const thrown of [unreadable('message'), unreadable('code'), new Proxy(new Error('x'), { getPrototypeOf: refuse })])
      expect([messageOf(thrown), isEngineError(thrown)]).toEqual(['what was thrown cannot be read', false]);
  });
});

test('a failure that a user can fix becomes a value, and any other error is thrown', async () => {
  const failure = new EngineError('USAGE', 'no');
  expect(await failureOf(() => Promise.reject(failure))).toBe(failure);
  expect(await failureOf(() => Promise.resolve(1))).toBeUndefined();
  await expect(failureOf(() => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
});
