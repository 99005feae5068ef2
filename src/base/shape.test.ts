import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Json } from './json.ts';
import { count, list, mapping, oneOf, parseShape, text, type ValueOf, withRule } from './shape.ts';

const person = mapping(
  { name: text, age: count, likes: list(oneOf(['tea', 'milk'], 'tea or milk'), 'a list of drinks') },
  { required: ['name'] },
);
const short = withRule(person, ({ name }) => (name.length > 5 ? { path: ['name'], what: 'is too long' } : undefined));

describe('a shape', () => {
  test.each<[Json, string, string]>([
    [null, '', 'must be a mapping with name, age, likes'],
    [{}, 'name', 'must be a string that is not empty'],
    [{ name: 'ann', agee: 1 }, 'agee', 'is unknown (did you mean "age"?); known settings: name, age, likes'],
    [{ name: 'ann', age: 0 }, 'age', 'must be a whole number of at least 1'],
    [{ name: 'ann', likes: 'tea' }, 'likes', 'must be a list of drinks'],
    [{ name: 'barbara' }, 'name', 'is too long'],
  ])('names the first fault of %j with its path', (value, path, what) => {
    const fault = short(value);
    expect([fault?.path.join('.'), fault?.what]).toEqual([path, what]);
  });

  test('gives the path of a fault inside a list, and reports it once the value is read', () => {
    const value = { name: 'ann', likes: ['tea', 'beer'] };
    expect(short(value)?.path).toEqual(['likes', 1]);
    expect(() => parseShape(short, value, ({ path }) => new Error(path.join('.')))).toThrow('likes.1');
  });

  test('a shape has the type of its values', () => {
    expectTypeOf<ValueOf<typeof person>['name']>().toEqualTypeOf<string>();
    expectTypeOf<ValueOf<typeof person>['likes']>().toEqualTypeOf<readonly ('tea' | 'milk')[] | undefined>();
    expect(short({ name: 'ann' })).toBeUndefined();
  });
});
