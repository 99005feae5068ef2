import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { expressionValue, holds, needsOfShown, type ScopeInput, shownValues } from './scope.ts';

interface Known {
  readonly data?: JsonObject;
  readonly params?: JsonObject;
  readonly outputs?: JsonObject;
  readonly names?: Record<string, string>;
  readonly result?: Json;
}

function scope({ data = {}, params = {}, outputs = {}, names, result = null }: Known): ScopeInput {
  return {
    run: { id: 'r', workflow: 'w' },
    view: { params, data: (key) => data[key], output: (step) => outputs[step] },
    step: 'here',
    names,
    result,
  };
}

describe('null is a value, not a missing name', () => {
  test.each([
    ['note', { data: { note: null } }],
    ['context.note', { data: { note: null } }],
    ['checkpoint.note', { data: { note: null } }],
    ['params.note', { params: { note: null } }],
    ['checkpoint.note', { params: { note: null } }],
    ['trigger', { data: { $trigger: null } }],
    ['outputs.a', { outputs: { a: null } }],
    ['checkpoint.results.a', { outputs: { a: null } }],
    ['context.outputs.a', { outputs: { a: null } }],
    ['outputs.page', { outputs: { a: { page: null } }, names: { page: 'a' } }],
    ['result', { result: null }],
  ] satisfies [string, Known][])('in %s of %j', (source, known) => {
    expect(expressionValue(source, scope(known))).toBeNull();
    expect(holds(`${source} == null`, scope(known))).toBe(true);
  });

  test('data that became null hides the param with its name', () => {
    const known = scope({ data: { branch: null }, params: { branch: 'main' } });
    expect([expressionValue('checkpoint.branch', known), shownValues(['branch'], known)]).toEqual([null, { branch: null }]);
  });

  test('a question shows outputs by the step that gave them or by their name', () => {
    const known = scope({ outputs: { work: { files: ['a.ts'] } }, names: { files: 'work' } });
    expect(shownValues(['outputs.work.files', 'outputs.files'], known)).toEqual({
      'outputs.work.files': ['a.ts'],
      'outputs.files': ['a.ts'],
    });
    expect(needsOfShown(['outputs.files'], { files: 'work' })).toContainEqual({ read: 'output', step: 'work' });
    expect(shownValues(['outputs.none'], known)).toEqual({ 'outputs.none': '(nothing in this run has that name)' });
  });

  test.each(['note', 'context.note', 'checkpoint.note', 'outputs.note', 'params.note'])(
    '%s that nothing has is a missing name',
    (source) => {
      expect(() => expressionValue(source, scope({}))).toThrow(/note/);
    },
  );
});
