import { expect, test } from 'vitest';
import { formatFilter, parseFilter, queryOf } from './run-filter.ts';

test('a filter is unchanged after it was written to the address and read again', () => {
  const filter = {
    ...{ workflow: 'release & more', status: ['running', 'failed'], text: '100% =?#', since: 'day', until: '' },
    ...{ params: ['issue=42', 'note=a=b&c'], tag: 'nightly' },
  };
  expect(parseFilter(formatFilter(filter))).toEqual(filter);
});

test('an unknown status is left out', () => {
  expect(parseFilter('status=running&status=odd').status).toEqual(['running']);
});

test('a time span counts from now, and each parameter has a name', () => {
  const words = queryOf(parseFilter('since=hour&param=note=a=b'), Date.parse('2026-01-01T12:00:00Z'));
  expect([...words]).toEqual([
    ['since', '2026-01-01T11:00:00.000Z'],
    ['param.note', 'a=b'],
  ]);
});
