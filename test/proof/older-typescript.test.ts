// The types of the package under the oldest TypeScript that is supported: the programs of test/compile, right and wrong.

import { afterAll, describe, expect, test } from 'vitest';
import { testPrograms, writePrograms } from '../compile/programs.ts';

const pawl = writePrograms();
afterAll(() => pawl.remove());

describe('TypeScript 5.9, nodenext', () => testPrograms(pawl, '5.9', 'nodenext'));

test('TypeScript 5.9, bundler: the declarations and the right programs compile', () => {
  expect(pawl.check('5.9', 'bundler', ['right-*.ts'])).toEqual([]);
});
