import { describe, expect, test } from 'vitest';
import { parseMessage } from '../json-message.ts';
import { failureIn, resetIn } from './event.ts';

const NOON = new Date(2026, 10, 16, 12, 0, 0).getTime();
const at = (day: number, hours: number, minutes: number): number => new Date(2026, 10, day, hours, minutes).getTime();

test.each(['', 'A new version is available', '{"type": "tur', '[1]'])('a line that is not an event is ignored: %j', (line) => {
  expect(parseMessage(line)).toBeUndefined();
});

test.each<[string, string]>([
  ['unexpected status 401 Unauthorized: Incorrect API key provided', 'auth'],
  ['Your access token could not be refreshed. Please log out and log in again.', 'auth'],
  ['You’ve hit your usage limit. Upgrade to Pro', 'quota'],
  ['exceeded retry limit, last status: 429 Too Many Requests', 'quota'],
  ['Quota exceeded. Check your plan and billing details.', 'quota'],
  ['This request was flagged for possible cybersecurity risk', 'refused'],
  ['stream disconnected before completion', 'unavailable'],
  ['unexpected status 503 Service Unavailable', 'unavailable'],
  ['thread panicked', 'crash'],
])('a failure is classified by its text: %s', (message, failure) => {
  expect(failureIn(message, NOON)).toMatchObject({ failure, message });
});

describe('reset time', () => {
  test.each<[string, number | undefined]>([
    ['try again at 3:23 PM.', at(16, 15, 23)],
    ['try again at 12:30 PM.', at(16, 12, 30)],
    ['try again at 3:23 AM.', at(17, 3, 23)],
    ['try again at 12:05 AM.', at(17, 0, 5)],
    ['try again at Nov 18th, 2026 3:23 AM.', at(18, 3, 23)],
    ['try again in 2 days 3 hours 5 minutes.', NOON + ((2 * 24 + 3) * 60 + 5) * 60_000],
    ['try again later.', undefined],
  ])('the time when the account can be used again is read from "%s"', (words, expected) => {
    expect(resetIn(`You’ve hit your usage limit. Upgrade or ${words}`, NOON)).toBe(expected);
  });
});
