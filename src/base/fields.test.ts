import { expect, test } from 'vitest';
import { omitUndefined } from './fields.ts';

test('an undefined field is dropped, and one that is null, false or empty is kept', () => {
  const fields = omitUndefined({ said: 1, unsaid: undefined, nothing: null, no: false, empty: '', zero: 0 });
  expect(Object.entries(fields)).toEqual([
    ['said', 1],
    ['nothing', null],
    ['no', false],
    ['empty', ''],
    ['zero', 0],
  ]);
});
