import { expect, test } from 'vitest';
import { amount, duration, price, relative, size } from './time.ts';

test('a duration is shown in its two largest units', () => {
  expect([80, 4_200, 42_000, 65_000, 7_500_000, 90_000_000].map(duration)).toEqual(['80ms', '4.2s', '42s', '1m 5s', '2h 5m', '1d 1h']);
});

test('a time is shown relative to now, before or after', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  expect(relative('2026-01-01T23:56:00Z', now)).toBe('4m ago');
  expect(relative('2026-01-02T02:00:00Z', now)).toBe('in 2h');
  expect(relative('2026-01-02T00:00:02Z', now)).toBe('now');
});

test('amounts, sizes and prices are short', () => {
  expect([999, 1_250, 3_400_000].map(amount)).toEqual(['999', '1.3k', '3.4M']);
  expect([12, 2_048, 5_242_880].map(size)).toEqual(['12 B', '2.0 kB', '5.0 MB']);
  expect([0, 0.0123, 4.5].map(price)).toEqual(['$0.00', '$0.0123', '$4.50']);
});
