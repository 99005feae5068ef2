// kill -9 right before and right after the transaction that accepts a step; test/proof kills at every write.

import { expect, test } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { isUntouched, prepareTrials, tryOnce } from './database-kills.ts';

test('a step that is killed before its transaction is unknown and has changed nothing; after it, it has happened once', async () => {
  const trials = prepareTrials(tempFolder());
  const whole = await tryOnce(trials);
  expect(whole.last).toMatchObject({ status: 'completed', unknown: [] });
  const accepted = whole.last.accepts.at(-1) ?? 0;
  const [before, after] = await Promise.all([tryOnce(trials, accepted), tryOnce(trials, accepted + 1)]);
  expect([before.last.status, before.last.unknown, isUntouched(before.rows, whole.rows)]).toEqual(['waiting', ['asked'], true]);
  expect([after.last.status, after.rows]).toEqual(['completed', whole.rows]);
});
