import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hoursText, sumBy } from '../src/sum.js';

const ENTRIES = [
  { day: '2026-03-02', minutes: 90, project: 'writing' },
  { day: '2026-03-02', minutes: 45, project: 'mail' },
  { day: '2026-03-03', minutes: 30, project: 'writing' },
];

test('minutes are added per group, in the order of the names', () => {
  assert.deepEqual(sumBy(ENTRIES, 'project'), [
    { name: 'mail', minutes: 45 },
    { name: 'writing', minutes: 120 },
  ]);
  assert.deepEqual(sumBy(ENTRIES, 'day'), [
    { name: '2026-03-02', minutes: 135 },
    { name: '2026-03-03', minutes: 30 },
  ]);
});

test('minutes are shown as hours', () => {
  assert.deepEqual([5, 60, 135].map(hoursText), ['0h05', '1h00', '2h15']);
});
