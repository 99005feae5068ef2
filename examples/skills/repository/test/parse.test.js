import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDay, minutesOf, parseLog } from '../src/parse.js';

test('a duration is minutes, hours, or both', () => {
  assert.deepEqual(['45m', '2h', '1h30'].map(minutesOf), [45, 120, 90]);
});

test('a text that is no duration has no minutes', () => {
  assert.deepEqual(['', '1.5h', '1h5', 'h'].map(minutesOf), [undefined, undefined, undefined, undefined]);
});

test('a day exists in the calendar', () => {
  assert.deepEqual(['2026-02-28', '2026-02-30', '2026-2-3'].map(isDay), [true, false, false]);
});

test('empty lines and comments are ignored', () => {
  assert.deepEqual(parseLog('# March\n\n2026-03-02 45m Mail\n'), [{ day: '2026-03-02', minutes: 45, project: 'mail' }]);
});

test('a line that cannot be read ends it with the number of the line', () => {
  assert.throws(() => parseLog('2026-03-02 45m mail\n2026-03-02 soon mail'), { message: 'line 2: "soon" is not a duration', line: 2 });
});
