// kill -9 before every write of a run with database steps: what is in the user's database afterwards is what an
// uninterrupted run leaves, or the step is unknown and nothing of it is there.

import { expect, test } from 'vitest';
import { isUntouched, prepareTrials, type Trial, tryOnce } from '../crash/database-kills.ts';
import { tempFolder } from '../temp-folder.ts';

const AT_ONCE = 3;

test('after a kill at any write the database equals that of an uninterrupted run, or lacks only the step that is unknown', async () => {
  const trials = prepareTrials(tempFolder());
  const whole = await tryOnce(trials);
  expect(whole.last.status).toBe('completed');
  const found: [number, Trial][] = [];
  const left = Array.from({ length: whole.last.writes }, (_, index) => index + 1);
  const work = async (): Promise<void> => {
    for (let write = left.pop(); write !== undefined; write = left.pop()) found.push([write, await tryOnce(trials, write)]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const [write, { last, rows }] of found) {
    if (last.status === 'completed') expect([write, rows]).toEqual([write, whole.rows]);
    else expect([write, last.unknown, isUntouched(rows, whole.rows)]).toEqual([write, ['asked'], true]);
  }
  expect(found.length).toBe(whole.last.writes);
  expect([...new Set(found.map(([, { last }]) => last.status))].sort()).toEqual(['completed', 'waiting']);
});
