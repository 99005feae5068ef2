import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, deepCopy, deepFreeze, isJsonObject, type Json, toPlain } from './json.ts';

const json = () => fc.jsonValue() as fc.Arbitrary<Json>;

describe('what enters a record', () => {
  test('plain data becomes an equal copy', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(toPlain(value, 'output')).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const given = { list: [1] };
    const plain = toPlain(given, 'output') as { list: number[] };
    expect(plain).toEqual(given);
    expect(plain.list).not.toBe(given.list);
  });

  test('undefined becomes null, and undefined members are dropped', () => {
    expect(toPlain(undefined, 'output')).toBeNull();
    expect(toPlain({ a: undefined, b: 1 }, 'output')).toEqual({ b: 1 });
  });

  test.each([
    ['a function', { a: { b: [0, () => 1] } }, 'a.b[1] is a function'],
    ['a bigint', { a: 1n }, 'a is a bigint'],
    ['a symbol', [Symbol('x')], '[0] is a symbol'],
    ['NaN', { a: Number.NaN }, 'a is NaN'],
    ['infinity', Number.POSITIVE_INFINITY, 'it is Infinity'],
    ['a hole in a list', [1, undefined], '[1] is a undefined'],
    ['a Map', { a: new Map() }, 'a is a Map without toJSON'],
    ['a step', { call: Object.assign(new (class Tl {})(), { yields: 'all' }) }, 'call is a step without toJSON'],
    ['a class whose name is shortened', new (class Tl {})(), 'it is an instance of a class without toJSON'],
    ['an error', new Error('x'), 'it is a Error without toJSON'],
  ])('is refused at its path (JS1): %s', (_what, value, why) => {
    expect(() => toPlain(value, 'output of "build"')).toThrow(
      expect.objectContaining({
        code: 'STEP_OUTPUT_INVALID',
        message: expect.stringContaining(`output of "build" is not plain JSON: ${why}`),
      }),
    );
  });

  test('data may contain a value twice, but not itself (JS1)', () => {
    const shared = { x: 1 };
    expect(toPlain({ a: shared, b: shared }, 'output')).toEqual({ a: { x: 1 }, b: { x: 1 } });
    const loop: Record<string, unknown> = {};
    loop.self = { loop };
    expect(() => toPlain(loop, 'output')).toThrow('self.loop refers to itself');
  });

  test('data may be nested 200 deep and no deeper (JS1)', () => {
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
    expect(() => toPlain(nested(200), 'output')).not.toThrow();
    expect(() => toPlain(nested(201), 'output')).toThrow('is nested deeper than 200');
  });

  test('data may use toJSON, under the same rule (JS2)', () => {
    expect(toPlain({ at: new Date(0) }, 'output')).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect(() => toPlain({ a: { toJSON: () => ({ b: new Set() }) } }, 'output')).toThrow('a.b is a Set without toJSON');
  });

  test('keeps keys such as __proto__ as data (JS3)', () => {
    const plain = toPlain(JSON.parse('{"__proto__": {"admin": true}}'), 'output') as object;
    expect(Object.keys(plain)).toEqual(['__proto__']);
    expect('admin' in plain).toBe(false);
  });
});

describe('canonical text', () => {
  test('canonical text does not depend on the order of keys', () => {
    expect(canonicalJson({ b: 1, a: { d: [], c: null } })).toBe('{"a":{"c":null,"d":[]},"b":1}');
    expect(canonicalJson({ a: { c: null, d: [] }, b: 1 })).toBe('{"a":{"c":null,"d":[]},"b":1}');
  });

  test('parses back to the same data', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('data', () => {
  test('data is an object unless it is null, a list or a scalar', () => {
    expect([{}, { a: 1 }].map((value) => isJsonObject(value))).toEqual([true, true]);
    expect([null, [], 'x', 1, undefined].map((value) => isJsonObject(value))).toEqual([false, false, false, false, false]);
  });

  test('data is frozen at every depth', () => {
    const frozen = deepFreeze({ a: [{ b: 1 }] });
    expect([frozen, frozen.a, frozen.a[0]].every(Object.isFrozen)).toBe(true);
  });
});

describe('a deep copy', () => {
  test('a deep copy is equal, shares nothing, and keeps keys such as __proto__', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(JSON.stringify(deepCopy(value))).toBe(JSON.stringify(value));
      }),
    );
    const given = deepFreeze({ list: [{ a: 1 }] });
    const copy = deepCopy(given) as { list: { a: number }[] };
    copy.list.push({ a: 2 });
    expect(given).toEqual({ list: [{ a: 1 }] });
    const odd = JSON.parse('{"__proto__": {"x": 1}}') as object;
    expect(Object.keys(deepCopy(odd))).toEqual(['__proto__']);
  });

  test('a deep copy of a live object is the object itself', () => {
    class Own extends Map {}
    const shared = new Uint8Array(new SharedArrayBuffer(2));
    for (const live of [new Own(), new Proxy(new Own(), {}), { run: () => 1 }, () => 1, Symbol('s'), shared])
      expect(deepCopy(live)).toBe(live);
  });

  test('copies lists, objects, maps, sets, dates and buffers around live values, which are not copied', () => {
    class Live {}
    const live = new Live();
    const given = { list: [live, [3, 1, 2]], map: new Map([['a', { live, n: [1] }]]), set: new Set([1]), date: new Date(5), live };
    const copy = deepCopy(given);
    expect(copy).toEqual(given);
    expect([copy.live, copy.list[0], copy.map.get('a')?.live].every((member) => member === live)).toBe(true);
    (copy.list[1] as number[]).sort();
    copy.map.get('a')?.n.push(2);
    copy.map.set('b', { live, n: [] });
    copy.set.add(2);
    copy.date.setTime(6);
    expect(given).toEqual({ list: [live, [3, 1, 2]], map: new Map([['a', { live, n: [1] }]]), set: new Set([1]), date: new Date(5), live });
  });

  test('a deep copy has its own bytes, of the same type', () => {
    for (const bytes of [new Float64Array([3, 1]), Buffer.from('ba'), new Uint8Array([3, 1])]) {
      const copy = deepCopy(bytes);
      expect([[...copy], copy.constructor]).toEqual([[...bytes], bytes.constructor]);
      copy.sort();
      expect([...copy]).not.toEqual([...bytes]);
    }
  });

  test('keeps repeated and circular references', () => {
    const twice = { n: 1 };
    const given: { a: object; b: object; me?: unknown } = { a: twice, b: twice };
    given.me = given;
    const copy = deepCopy(given);
    expect([copy === given, copy.me === copy, copy.a === copy.b, copy.a === twice]).toEqual([false, true, true, false]);
  });
});
