import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { evaluate, evaluateCondition, parseExpression } from './expression.ts';

const SCOPE: Json = {
  result: { decision: 'approved', score: 85, ok: true, none: null, metrics: { delta: 2 }, tags: ['a', 'b'], 'write-tests': 1 },
  checkpoint: { threshold: 2 },
  branches: { lint: { feedback: 'x' }, skipped: {}, text: 'no fields', audit: { feedback: null, notes: [{ id: 1 }, { id: 2 }] } },
  labels: [{ name: 'bug' }, { name: 'security' }],
  key: 'score',
  empty: [],
};

const value = (source: string, scope: Json = SCOPE) => evaluate(parseExpression(source), scope);

function failure(source: string, scope: Json = SCOPE): EngineError {
  try {
    value(source, scope);
  } catch (thrown) {
    if (thrown instanceof EngineError) return thrown;
    throw thrown;
  }
  throw new Error(`${source} has a value`);
}

describe('an expression has the value its grammar says', () => {
  test.each<[string, Json]>([
    ['result.decision === "approved"', true],
    ['result.metrics.delta >= checkpoint.threshold', true],
    ['{{ result.none != null }}', false],
    ["result['decision'] == 'approved' and not (result.score < 80)", true],
    ['result[key]', 85],
    ['result.tags[0]', 'a'],
    ["result['write-tests']", 1],
    ['result.tags.length + result.decision.length', 10],
    ['branches.*.feedback', ['x', null]],
    ['branches.*.notes.*.id', [1, 2]],
    ['labels.*.name', ['bug', 'security']],
    ["'bug' in labels.*.name", true],
    ["'score' in result && 'toString' not in result", true],
    ["'rove' in result.decision", true],
    ["result.decision in ['approved', 'ok']", true],
    ['1 + 2 * 3 - 4 / 2 % 3', 5],
    ['(1 + 2) * -3', -9],
    ['-2 | abs', 2],
    ['!result.tags | contains("z")', true],
    ['result.tags | length > 1', true],
    ['not 1 == 2', true],
    ["'a' + \"b\\n\\u0041\\'\"", "ab\nA'"],
    ['true ? 1 : false ? 2 : 3', 1],
    ['false || true && false', false],
    ['result.missing ?? result.none ?? 5', 5],
    ['result.missing.deeper ?? 5', 5],
    ['result.none.deeper ?? 5', 5],
    ['(result.missing > 3) ?? false', false],
    ["result.missing | lower | default('x')", 'x'],
    ['result.ok ?? false', true],
    ['result.tags[9] ?? "none"', 'none'],
    ['(labels | first).name', 'bug'],
    ['(result.missing ?? labels)[1].name', 'security'],
    ['result.metrics == result.metrics && result.tags == ["a", "b"]', true],
    ['result.tags != ["b", "a"]', true],
    ['1 == "1"', false],
    ['0 * -1', 0],
    ['2e3', 2000],
    ['result.in ?? result.not ?? 1', 1],
  ])('%s', (source, expected) => {
    expect(value(source)).toStrictEqual(expected);
  });

  test('objects are equal whatever the order of their keys', () => {
    const scope = { a: { x: 1, y: [{ z: null }] }, b: { y: [{ z: null }], x: 1 }, c: { x: 1, y: [{}] } };
    expect(value('a == b && a != c', scope)).toBe(true);
    expect(value('a != b && b != a && a != c && c != a', { a: {}, b: { x: null }, c: [] })).toBe(true);
  });

  test('the right side is not evaluated if the left one decides', () => {
    expect(value('false && missing')).toBe(false);
    expect(value('true || missing')).toBe(true);
    expect(value('1 ?? missing')).toBe(1);
    expect(value('true ? 1 : missing')).toBe(1);
  });
});

describe('a name that does not exist is an error at that name', () => {
  test.each([
    ["result.decison == 'approved'", 8, 'did you mean "decision"'],
    ["reslt.decision == 'approved'", 1, 'did you mean "result"'],
    ['nothing_like_it', 1, 'the names here are result'],
    ['result.write-tests', 8, "['write-tests']"],
    ['1 + result.metrics.dleta', 20, 'did you mean "delta"'],
    ['result[key + "s"]', 8, 'did you mean "score"'],
    ['result.none.x', 13, 'null'],
    ['result.none.*', 13, 'null'],
    ['result.tags[7]', 13, 'list of 2'],
    ['empty | first', 9, 'empty list'],
    ["labels | map('nme')", 10, 'no field "nme"'],
    ['result.missing ?? result.mising', 26, '"mising"'],
  ])('%s', (source, column, hint) => {
    const error = failure(source);
    expect(error.code).toBe('EXPRESSION_EVALUATION');
    expect(error.position).toEqual({ line: 1, column });
    expect(error.message).toContain(hint);
  });
});

describe('a value of the wrong kind is an error that ?? does not hide', () => {
  test.each([
    ['result.score.x', 14, 'has no fields'],
    ['result.decision.x', 17, 'has no fields'],
    ['result.tags.name', 13, '.*'],
    ['result.tags[-1]', 13, '| last'],
    ['result.tags[0.5]', 13, 'numbered'],
    ['result[0]', 8, 'named by text'],
    ['result[true]', 8, 'an index must be'],
    ['result.score.*', 14, 'needs a list'],
    ['1 < "2"', 3, 'two numbers or two texts'],
    ['null < 1', 6, 'null'],
    ['true < false', 6, 'two numbers'],
    ['1 + "a"', 3, '| string'],
    ['"a" - "b"', 5, 'two numbers'],
    ['-"a"', 1, 'number'],
    ['1 / 0', 3, 'by zero'],
    ['1 % 0', 3, 'by zero'],
    ['1e308 * 10', 7, 'too large'],
    ['1 && true', 3, 'true or false'],
    ['true && "x"', 6, 'the text "x"'],
    ['!1', 1, 'the number 1'],
    ['1 ? 2 : 3', 3, 'true or false'],
    ['1 in 2', 3, 'cannot look for'],
    ['1 in "123"', 3, 'cannot look for'],
    ['1 in result', 3, 'cannot look for'],
    ['result | lower', 10, 'needs text'],
  ])('%s', (source, column, hint) => {
    const error = failure(`(${source}) ?? "hidden"`);
    expect(error.code).toBe('EXPRESSION_EVALUATION');
    expect(error.position).toEqual({ line: 1, column: column + 1 });
    expect(error.message).toContain(hint);
  });
});

describe('only own data properties are there', () => {
  const NAMES = ['__proto__', 'prototype', 'constructor', '__defineGetter__', 'toString', 'valueOf', 'hasOwnProperty'];

  test.each(NAMES)('%s is found as a data key and only so', (name) => {
    const data = JSON.parse(`{"${name}": "data"}`) as Json;
    for (const path of [`a.${name}`, `a['${name}']`, 'a[n]']) {
      expect(value(path, { a: data, n: name })).toBe('data');
      expect(failure(path, { a: {}, n: name }).code).toBe('EXPRESSION_EVALUATION');
    }
    expect(value(`'${name}' in a`, { a: {} })).toBe(false);
    expect(value(name, data)).toBe('data');
    expect(failure(name, {}).code).toBe('EXPRESSION_EVALUATION');
    expect(failure(`a.${name}`, { a: [] }).code).toBe('EXPRESSION_EVALUATION');
    expect(failure(`a.${name}`, { a: 'text' }).code).toBe('EXPRESSION_EVALUATION');
  });

  test('a function counts as absent, and getters are never run', () => {
    const nested = Object.defineProperty({ call: () => 1 }, 'trap', {
      enumerable: true,
      get: () => expect.unreachable('a getter was run'),
    });
    const scope = { a: { nested, list: [() => 1, 2] } } as unknown as Json;
    expect(failure('a.nested.call', scope).message).toContain('no field "call"');
    expect(value('a.nested.call ?? a.nested.trap ?? 0', scope)).toBe(0);
    expect(value('a.nested.* | length', scope)).toBe(0);
    expect(value('a.nested | json', scope)).toBe('{}');
    expect(value('a.list | first', scope)).toBe(2);
    expect(value("'call' in a.nested", scope)).toBe(false);
  });
});

describe('a condition', () => {
  test('a condition is true or false', () => {
    expect(evaluateCondition(parseExpression('1 < 2'), SCOPE)).toBe(true);
    expect(evaluateCondition(parseExpression('1 > 2'), SCOPE)).toBe(false);
  });

  test.each([
    ['result.decision', 'the text "approved"'],
    ['result.score', 'the number 85'],
    ['result.none', 'null'],
    ['labels', 'a list of 2'],
    ['checkpoint', 'an object with threshold'],
  ])('that is neither is an error that says what it was: %s', (source, what) => {
    const expression = parseExpression(source);
    expect(() => evaluateCondition(expression, SCOPE)).toThrow(expect.objectContaining({ code: 'EXPRESSION_EVALUATION' }));
    expect(() => evaluateCondition(expression, SCOPE)).toThrow(what);
  });

  test.each([
    'params[secrets.TOKEN]',
    'params.list[secrets.TOKEN]',
    'params.text[secrets.TOKEN]',
    'params.items | map(secrets.TOKEN)',
    'params.list | map(secrets.TOKEN)',
  ])('that computes the name of a field from a secret does not quote it: %s', (source) => {
    const scope = { secrets: { TOKEN: 'hunter2' }, params: { hunter: 1, list: [1], text: 'x', items: [{ hunter: 1 }] } };
    const message = (() => {
      try {
        return String(evaluate(parseExpression(source), scope));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message).not.toContain('hunter');
    expect(message).toMatch(/no such field|cannot read a field of|of that name/);
  });

  test('a condition that reads a secret does not quote it', () => {
    const expression = parseExpression('secrets.TOKEN && true');
    expect(() => evaluateCondition(expression, { secrets: { TOKEN: 'hunter2' } })).toThrow(/got a text;/);
  });
});

describe('an evaluation ends, however large the data', () => {
  const deep = (depth: number): Json => {
    let value: Json = 1;
    for (let level = 0; level < depth; level += 1) value = { a: [value] };
    return value;
  };
  const many = Array.from({ length: 60_000 }, (_, index) => index);

  test.each<[string, Json]>([
    ['a == b', { a: deep(50_000), b: deep(50_000) }],
    ['a | json', { a: deep(50_000) }],
    ['[a] | unique', { a: deep(50_000) }],
    ['a.* == a.*', { a: many }],
    ['a | sort', { a: many }],
    ['a.*.*', { a: Array.from({ length: 60_000 }, () => [1]) }],
    ['-1 in a && -1 in a', { a: Array.from({ length: 120_000 }, () => ({})) }],
    ['a + a', { a: 'x'.repeat(600_000) }],
    ['[a, a] | join', { a: 'x'.repeat(600_000) }],
    ["a | replace('x', a)", { a: 'x'.repeat(2_000) }],
    ["a | split('')", { a: 'x'.repeat(200_000) }],
    [`a | matches('${'(x?)'.repeat(90)}y')`, { a: 'x'.repeat(100_000) }],
    ["a | matches('(((x{40}){40}){40}){40}')", { a: 'x' }],
  ])('%s is refused', (source, scope) => {
    const expression = parseExpression(source);
    const start = cpuTimeMs();
    expect(() => evaluate(expression, scope)).toThrow(expect.objectContaining({ code: 'EXPRESSION_EVALUATION' }));
    expect(cpuTimeMs() - start).toBeLessThan(500);
  });

  test('text that nearly matches is searched in linear time', () => {
    const scope = { text: 'a'.repeat(1_000_000), part: `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}` };
    const expression = parseExpression('part in text');
    const start = cpuTimeMs();
    expect(evaluate(expression, scope)).toBe(false);
    expect(cpuTimeMs() - start).toBeLessThan(500);
  });

  test('text is cut at the same places however it is searched', () => {
    const [text, separator] = [`${'ab'.repeat(3_000)}c${'ab'.repeat(900)}`.repeat(3), 'ab'.repeat(401)];
    expect(value('text | split(separator)', { text, separator })).toEqual(text.split(separator));
    expect(value('separator + "c" in text && separator + "d" not in text', { text, separator })).toBe(true);
  });

  test('a long chain within the limits is evaluated', () => {
    expect(value(Array.from({ length: 1_000 }, () => '1').join('+'))).toBe(1_000);
    expect(value(Array.from({ length: 600 }, () => 'x').join(' ?? '), { x: null })).toBe(null);
  });
});
