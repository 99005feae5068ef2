import { expect, expectTypeOf, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { matchesSchema, schemaMismatch } from './json-schema.ts';

test.each<[Json, Json, boolean]>([
  [1, 1, true],
  [1, 2, false],
  [0, -0, true],
  [1, '1', false],
  [null, false, false],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: null }, {}, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [['a'], { 0: 'a' }, false],
])('as a constant, and in a list, %j is the same as %j: %s', (wanted, value, isSame) => {
  expect(schemaMismatch({ const: wanted }, value) === undefined).toBe(isSame);
  expect(schemaMismatch({ enum: ['other', wanted] }, value) === undefined).toBe(isSame);
});

test('the type of a value follows from the schema that it matches', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      page: { type: 'integer' },
      severity: { enum: ['MUST', 'COULD'] },
      options: { type: 'array', items: { type: ['string', 'boolean'] } },
      anything: {},
    },
    required: ['name'],
  } as const;
  const value: Json = { name: 'a', options: ['b', true] };
  if (!matchesSchema(schema, value)) throw new Error('it matches');
  expectTypeOf(value.name).toEqualTypeOf<string>();
  expectTypeOf(value.page).toEqualTypeOf<number | undefined>();
  expectTypeOf(value.severity).toEqualTypeOf<'MUST' | 'COULD' | undefined>();
  expectTypeOf(value.options).toEqualTypeOf<readonly (string | boolean)[] | undefined>();
  expectTypeOf(value.anything).toEqualTypeOf<Json | undefined>();
  expect(matchesSchema(schema, { page: 1 })).toBe(false);
});
