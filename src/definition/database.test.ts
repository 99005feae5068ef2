import { expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { databasesFault, databasesOf, databaseVariable, writtenDatabase } from './database.ts';

test.each<[Json, string | undefined]>([
  [['book'], undefined],
  [{ book: 'read', notes: 'write' }, undefined],
  [{ book: { access: 'read' }, notes: { deletes: 3, copy: 'work/n.db', expect: ['SELECT 1'] } }, undefined],
  ['book', 'must be a list of names'],
  [[1], 'has the invalid name 1'],
  [['a b'], 'has the invalid name "a b"'],
  [{ book: 'all' }, 'has "book", which must be read, write, or a map'],
  [{ book: { acess: 'read' } }, 'with the unknown field "acess"'],
  [{ book: { access: 'all' } }, 'whose `access` must be read or write'],
  [{ book: { deletes: 1.5 } }, 'whose `deletes` must be a whole number'],
  [{ book: { expect: 'SELECT 1' } }, 'whose `expect` must be a list of queries'],
  [{ book: { copy: '../book.db' } }, 'whose `copy` is invalid'],
  [{ book: { copy: '*.db' } }, 'whose `copy` must be a path'],
  [{ 'a-b': 'read', a_b: 'read' }, 'both be in the environment variable PAWL_DB_A_B'],
  [['book', 'notes'], 'would let one step write "book" and "notes", which cannot be one transaction'],
])('the databases %j are %s', (written, fault) => {
  if (fault === undefined) expect(databasesFault(written)).toBeUndefined();
  else expect(databasesFault(written)).toContain(fault);
});

test('a step that only waits or checks reads, whatever is written', () => {
  const databases = { book: { deletes: 2 }, notes: 'read' } as const;
  expect(databasesOf(REGISTRY.kinds, { kind: 'command', databases })).toEqual([
    { name: 'book', access: 'write', deletes: 2, expect: [] },
    { name: 'notes', access: 'read', expect: [] },
  ]);
  expect([
    writtenDatabase(REGISTRY.kinds, { kind: 'command', databases })?.name,
    writtenDatabase(REGISTRY.kinds, { kind: 'human', databases }),
  ]).toEqual(['book', undefined]);
  expect(databaseVariable('my-book')).toBe('PAWL_DB_MY_BOOK');
});
