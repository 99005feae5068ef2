import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { type CheckModel, declareCheck, isBuiltIn } from '../../definition/check.ts';
import type { StepOf } from '../../definition/model.ts';
import { REGISTRY } from '../registry.ts';
import { parsePercent } from './checks/coverage/percent.ts';
import { gate } from './declare.ts';

function faults(check: JsonObject): string[] {
  const found: string[] = [];
  const step = { config: { checks: [check] } } as unknown as StepOf<'gate'>;
  gate.validate(step, {
    kind: () => undefined,
    check: (name) => REGISTRY.checks[name],
    fault: (message) => found.push(message),
    expression: (source, what, roots) => found.push(`${what} ${source} over ${roots}`),
  });
  return found;
}

test('the types refuse a check that lacks a field, has another type, or has a misspelt name', () => {
  const wrong: readonly CheckModel[] = [
    // @ts-expect-error: it has no label.
    { check: 'label_present' },
    // @ts-expect-error: the minimum is a number or a text.
    { check: 'coverage', minimum: true },
    // @ts-expect-error: no literal is the name of a check of an application.
    { check: 'file_exist', paths: ['a'] },
  ];
  expect(wrong).toHaveLength(3);
});

test('the types know the fields of a built-in check by its name, and refuse a parser that leaves one out', () => {
  const check: CheckModel = { check: 'label_present', label: 'ready' };
  expect(isBuiltIn(check, 'label_present') ? check.label : undefined).toBe('ready');
  // @ts-expect-error: the label is missing.
  expect(declareCheck({ name: 'label_present', fields: () => ({}) }).name).toBe('label_present');
});

describe('a gate takes', () => {
  test.each<JsonObject>([
    { check: 'command', run: 'pytest', report: 'junit.xml', tests: 'required' },
    { check: 'coverage', minimum: '80%' },
    { check: 'coverage', minimum: 80, metric: 'branches', paths: ['src/**'], report: 'lcov.info' },
    { check: 'coverage', minimum: 80, metric: 'line', paths: [] },
    { check: 'webhook', url: 'https://api.example.com/validate' },
    { check: 'pr_approval', from: 'maintainers' },
    { check: 'pr_approval', from: ['maintainers', 'security-team'], count: 2 },
    { check: 'ci_status', workflows: ['test', 'lint'], expect: 'success' },
    { check: 'ci_status' },
    { check: 'any_of', checks: [{ check: 'file_exists', paths: ['a'] }], timeoutMs: 5 },
    { check: 'own', anything: [1] },
  ])('%j', (check) => {
    expect(faults(check)).toEqual([]);
  });
});

describe('a gate does not take', () => {
  test.each<[JsonObject, string]>([
    [{ check: 'command', run: 'pytest', expct: 'exit_code == 1' }, 'check 1: a check "command" has no field "expct"'],
    [
      { check: 'any_of', checks: [{ check: 'ci_status', workflow: 'test' }] },
      'check 1: check 1: a check "ci_status" has no field "workflow"',
    ],
    [{ check: 'command', run: 'pytest', tests: 'maybe' }, 'check 1: `tests` must be "required" or "optional"'],
    [{ check: 'command', run: 'pytest', report: 1 }, 'check 1: `report` must be a path'],
    [{ check: 'coverage' }, 'check 1: `minimum` must be a percentage, such as 80%'],
    [{ check: 'coverage', minimum: 0.8 }, 'check 1: `minimum` must be a percentage, such as 80%'],
    [{ check: 'coverage', minimum: 1 }, 'check 1: `minimum` must be a percentage, such as 80%'],
    [{ check: 'coverage', minimum: 80, metric: 'words' }, 'check 1: `metric` must be lines, branches or functions'],
    [{ check: 'coverage', minimum: 80, paths: 'src' }, 'check 1: `paths` must be a list of patterns'],
    [{ check: 'webhook' }, 'check 1: `url` must be an address'],
    [{ check: 'pr_approval' }, 'check 1: `from` must name the groups whose approval it needs'],
    [{ check: 'pr_approval', from: 'a', count: 0 }, 'check 1: `count` must be a number of people'],
    [{ check: 'ci_status', workflows: 'test' }, 'check 1: `workflows` must be a list of names'],
    [{ check: 'ci_status', expect: 'conclusion == 1' }, 'check 1: `expect` must be a conclusion'],
    [{ check: 'any_of', checks: [] }, 'check 1: `checks` must have at least one check'],
    [{ check: 'any_of', checks: [{ check: 'command' }] }, 'check 1: check 1: exactly one of `run` and `argv` is required'],
    [{ check: 'any_of', checks: ['x'] }, 'check 1: check 1: `check` must name what to check'],
  ])('%j', (check, fault) => {
    expect(faults(check)).toEqual([fault]);
  });
});

test('the names that `expect` can read depend on its check', () => {
  expect(faults({ check: 'webhook', url: 'https://a.example/', expect: 'status == 200' })).toEqual([
    'check 1: expect status == 200 over status,headers,body',
  ]);
});

describe('a share', () => {
  test.each<[Json, number | undefined]>([
    ['80%', 80],
    [80, 80],
    ['80', 80],
    [' 79.5 % ', 79.5],
    ['0.5%', 0.5],
    ['100%', 100],
    [1.5, 1.5],
    [1, undefined],
    [0.8, undefined],
    ['0.8', undefined],
    ['0%', undefined],
    [101, undefined],
    ['101%', undefined],
    [-5, undefined],
    ['eighty', undefined],
    ['80%%', undefined],
    [null, undefined],
    [Number.NaN, undefined],
  ])('%j is %s', (value, percent) => {
    expect(parsePercent(value)).toBe(percent);
  });
});
