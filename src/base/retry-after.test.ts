import { expect, test } from 'vitest';
import { resumeTime } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 31, 6, 0, 0);
const seconds = (time: number): string => String(time / 1000);

test('an absolute time is converted to the local clock by the date of the response', () => {
  const theirs = NOW - 600_000;
  const headers = { date: new Date(theirs).toUTCString(), 'x-ratelimit-reset': seconds(theirs + 300_000) };
  expect(resumeTime(headers, NOW)).toBe(NOW + 300_000);
  expect(resumeTime({ date: headers.date, 'retry-after': new Date(theirs + 5000).toUTCString() }, NOW)).toBe(NOW + 5000);
});

test('clocks that differ by only a few seconds count as the same', () => {
  const headers = { date: new Date(NOW - 4000).toUTCString(), 'x-ratelimit-reset': seconds(NOW + 300_000) };
  expect(resumeTime(headers, NOW)).toBe(NOW + 300_000);
  expect(resumeTime({ 'x-ratelimit-reset': seconds(NOW + 300_000) }, NOW)).toBe(NOW + 300_000);
  expect(resumeTime({ ...headers, date: 'yesterday' }, NOW)).toBe(NOW + 300_000);
});
