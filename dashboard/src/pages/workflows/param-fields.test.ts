import { expect, test } from 'vitest';
import { paramFields, paramsOf } from './param-fields.ts';

const schema = {
  type: 'object',
  required: ['issue', 'mode'],
  properties: {
    issue: { type: 'integer', description: 'which issue' },
    mode: { enum: ['fast', 'safe'], default: 'safe' },
    dry: { type: 'boolean' },
    extra: { type: 'object' },
  },
};

test('each parameter has a field for its type, with its default', () => {
  const fields = paramFields(schema, undefined);
  expect(fields.map(({ name, kind, isRequired, initial }) => [name, kind, isRequired, initial])).toEqual([
    ['issue', 'integer', true, ''],
    ['mode', 'choice', false, 'safe'],
    ['dry', 'flag', false, 'false'],
    ['extra', 'json', false, ''],
  ]);
});

test('text becomes values of the declared types; empty fields are left out', () => {
  const fields = paramFields(schema, undefined);
  expect(paramsOf(fields, { issue: '42', dry: 'true', extra: '{"a": [1]}' })).toEqual({
    issue: 42,
    mode: 'safe',
    dry: true,
    extra: { a: [1] },
  });
});

test('an invalid value names its field', () => {
  const fields = paramFields(schema, undefined);
  expect(() => paramsOf(fields, {})).toThrow('"issue" is required.');
  expect(() => paramsOf(fields, { issue: '4.5' })).toThrow('"issue" must be a whole number.');
  expect(() => paramsOf(fields, { issue: '1', extra: '{' })).toThrow('"extra" must be JSON');
});

test('the values of an earlier run are filled in, even those that the schema does not name', () => {
  const fields = paramFields(schema, { issue: 7, other: { x: 1 } });
  expect(paramsOf(fields, {})).toEqual({ issue: 7, mode: 'safe', dry: false, other: { x: 1 } });
});
