import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { arg } from '../param/arg.ts';
import { lastTicks, nextTick, scheduleOf, scheduleProblem, ticksBetween } from './schedule.ts';

const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
const berlin = (schedule: string) => scheduleOf({ schedule, timezone: 'Europe/Berlin' });

describe('the times of a schedule', () => {
  test('the times of a schedule are those of its time zone, in summer and in winter', () => {
    expect(iso(nextTick(berlin('0 6 * * 1-5'), Date.parse('2026-03-27T12:00:00Z')))).toBe('2026-03-30T04:00:00.000Z');
    expect(iso(nextTick(berlin('0 6 * * 1-5'), Date.parse('2026-01-02T12:00:00Z')))).toBe('2026-01-05T05:00:00.000Z');
    expect(iso(nextTick(scheduleOf({ schedule: '@daily' }), Date.parse('2026-01-02T12:00:00Z')))).toBe('2026-01-03T00:00:00.000Z');
  });

  test('come once a day also when the clock is changed', () => {
    const spring = ticksBetween(berlin('30 2 * * *'), {
      after: Date.parse('2026-03-28T00:00:00Z'),
      until: Date.parse('2026-03-31T00:00:00Z'),
      max: 10,
    });
    expect(spring.map(iso)).toEqual(['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']);
    const autumn = ticksBetween(berlin('30 2 * * *'), {
      after: Date.parse('2026-10-24T12:00:00Z'),
      until: Date.parse('2026-10-26T12:00:00Z'),
      max: 10,
    });
    expect(autumn.map(iso)).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
  });

  test('at most as many times as requested are returned, the first or the last', () => {
    expect(lastTicks(scheduleOf({ schedule: '* * * * *' }), { after: 0, until: 3_600_000, max: 2 })).toEqual([3_540_000, 3_600_000]);
    expect(lastTicks(scheduleOf({ schedule: '* * * * *' }), { after: 3_540_000, until: 3_600_000, max: 2 })).toEqual([3_600_000]);
    expect(ticksBetween(scheduleOf({ schedule: '* * * * *' }), { after: 0, until: 3_600_000, max: 3 })).toEqual([60_000, 120_000, 180_000]);
  });
});

describe('a schedule', () => {
  test.each([
    ['a sixth field', { schedule: '* * * * * *' }, { field: 'schedule', message: 'must have five fields' }],
    ['a date', { schedule: '2026-01-01T00:00:00Z' }, { field: 'schedule', message: 'must have five fields' }],
    ['a value out of range', { schedule: '61 * * * *' }, { field: 'schedule', message: 'Invalid value for minute: 61' }],
    ['a date that never comes', { schedule: '0 0 30 2 *' }, { field: 'schedule', message: 'names a date that never comes' }],
    [
      'an unknown time zone',
      { schedule: '@daily', timezone: 'Mars/Olympus' },
      { field: 'timezone', message: 'there is no time zone "Mars/Olympus"' },
    ],
    [
      'another catch-up',
      { schedule: '@daily', catchUp: 'two' as never },
      { field: 'catch_up', message: '`catch_up` must be one of one, all, none' },
    ],
  ])('with %s is refused', (_, spec, { field, message }) => {
    expect(scheduleProblem(scheduleOf(spec))).toMatchObject({ field, message: expect.stringContaining(message) });
  });

  test('with parameters that its workflow does not take, or without those it needs, is refused', () => {
    const params = { scope: arg({ type: 'string', required: true }) };
    const problem = (values: JsonObject) => scheduleProblem(scheduleOf({ schedule: '@daily', params: values }), params)?.message;
    expect(problem({ scope: 'all' })).toBeUndefined();
    expect(problem({ scope: 5 })).toContain('"scope"');
    expect(problem({ scope: 'all', scop: 'x' })).toContain('"scop"');
    expect(problem({})).toContain('"scope"');
  });

  test('for a leap day is accepted', () => {
    expect(scheduleProblem(scheduleOf({ schedule: '0 0 29 2 *' }))).toBeUndefined();
  });
});
