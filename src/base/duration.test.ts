import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('a duration', () => {
  test.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['400d', 34_560_000_000],
    ['2w', 1_209_600_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    [' 5s ', 5000],
    [42, 42],
    [0, 0],
    ['0.0004s', 0],
  ])('written %j is %i milliseconds', (text, ms) => {
    expect(parseDuration(text, 'timeout')).toBe(ms);
  });

  test.each(['', 's', '10', '10 m', '-5s', '5y', '1e3s', '5s,', '99999999999999999w', Number.NaN, Number.POSITIVE_INFINITY, -1])(
    'written %j is refused, naming the setting',
    (text) => {
      expect(() => parseDuration(text, 'step "build": timeout')).toThrow(
        expect.objectContaining({
          code: 'DEFINITION_INVALID',
          message: expect.stringMatching(/^step "build": timeout: .* is not a duration; write one/),
        }),
      );
    },
  );

  test.each([
    [120, '120ms'],
    [0, '0ms'],
    [1500, '1.5s'],
    [45_000, '45s'],
    [3_900_000, '1h 5m'],
    [60_000, '1m'],
    [90_061_000, '1d 1h'],
  ])('of %i milliseconds reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('parses again to the same span when it is whole seconds with at most two units', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 23 }), fc.integer({ min: 0, max: 59 }), (hours, minutes) => {
        const ms = hours * 3_600_000 + minutes * 60_000;
        expect(parseDuration(formatDuration(ms).replaceAll(' ', ''), 'span')).toBe(ms);
      }),
    );
  });
});
