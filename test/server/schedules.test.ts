import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CatchUp } from '../../src/definition/trigger/schedule.ts';
import { arg, step, workflow } from '../../src/index.ts';
import { EventRig, type Opened } from './event-rig.ts';

let rig: EventRig;
beforeEach(() => {
  rig = new EventRig();
});
afterEach(() => rig.close());

const HOUR = 3_600_000;
/** Every hour, from midnight of the first day of 2026 on, which is when the clock of the tests begins. */
const hourly = (catchUp: CatchUp = 'one') =>
  workflow(
    'hourly',
    { params: { scope: arg({ default: 'none' }) }, trigger: { schedule: '0 * * * *', catchUp, params: { scope: 'all' } } },
    function* ({ scope }) {
      return yield* step('report').task((which: string) => ({ which }), scope as string);
    },
  );

interface Report {
  readonly schedules: readonly {
    readonly paused: unknown;
    readonly next: readonly string[];
    readonly ticks: readonly { readonly at: string; readonly status: string; readonly run: string | null; readonly why: string }[];
  }[];
}

const scheduleOf = async ({ ask }: Opened) => ((await ask('GET', '/api/v1/schedules')).body as Report).schedules[0];
const ticksOf = async (opened: Opened) => (await scheduleOf(opened))?.ticks.map(({ at, status }) => `${at.slice(11, 16)} ${status}`) ?? [];
const runsOf = async ({ engine }: Opened) => (await engine.list()).filter(({ parent }) => parent === undefined);

test('a schedule starts a run at each of its times, with its parameters, and records what started it', async () => {
  const opened = await rig.open({ workflows: [hourly()] });
  expect((await scheduleOf(opened))?.next.slice(0, 2)).toEqual(['2026-01-01T01:00:00.000Z', '2026-01-01T02:00:00.000Z']);
  rig.clock.advance(HOUR);
  await expect.poll(() => ticksOf(opened)).toEqual(['01:00 started']);
  rig.clock.advance(HOUR);
  await expect.poll(() => ticksOf(opened)).toEqual(['02:00 started', '01:00 started']);
  const runs = await runsOf(opened);
  expect(runs.map(({ origin }) => [origin.event, origin.deliveryId])).toEqual([
    ['schedule', '2026-01-01T02:00:00.000Z'],
    ['schedule', '2026-01-01T01:00:00.000Z'],
  ]);
  expect((await opened.engine.run(runs[0]?.id as string).wait()).output).toEqual({ which: 'all' });
});

test('SC1: two servers on one database start one run per time of a schedule', async () => {
  const servers = await Promise.all([rig.open({ workflows: [hourly()] }), rig.open({ workflows: [hourly()] })]);
  for (const server of servers) await scheduleOf(server);
  for (const hour of [1, 2, 3]) {
    rig.clock.advance(HOUR);
    for (const server of servers) await expect.poll(async () => (await ticksOf(server))[0]).toBe(`0${hour}:00 started`);
  }
  expect(await runsOf(servers[0])).toHaveLength(3);
});

test.each([
  ['one', ['04:00 started', '03:00 missed', '02:00 missed', '01:00 started'], 2],
  ['all', ['04:00 started', '03:00 started', '02:00 started', '01:00 started'], 4],
  ['none', ['04:00 missed', '03:00 missed', '02:00 missed', '01:00 started'], 1],
] as const)('a schedule with catch_up %s makes up for times that passed without a server', async (catchUp, ticks, runs) => {
  const before = await rig.open({ workflows: [hourly(catchUp)] });
  await scheduleOf(before);
  rig.clock.advance(HOUR);
  await expect.poll(() => ticksOf(before)).toEqual(['01:00 started']);
  await before.close();
  rig.clock.advance(3 * HOUR + HOUR / 2);
  const after = await rig.open({ workflows: [hourly(catchUp)] });
  await expect.poll(() => ticksOf(after)).toEqual(ticks);
  expect(await runsOf(after)).toHaveLength(runs);
});

test('SC2: a schedule starts a run that a server recorded but did not start, and never twice', async () => {
  const before = await rig.open({ workflows: [hourly()] });
  await scheduleOf(before);
  rig.clock.advance(HOUR);
  await expect.poll(() => ticksOf(before)).toEqual(['01:00 started']);
  // As a crash leaves it: once after the tick was written down, and once after its run was started.
  before.server.services.database.run("UPDATE ticks SET status = 'open'");
  await before.close();
  const after = await rig.open({ workflows: [hourly()] });
  await expect.poll(() => ticksOf(after)).toEqual(['01:00 started']);
  expect(await runsOf(after)).toHaveLength(1);
});

test('a schedule that is paused starts nothing, and continues with the next time when it is resumed', async () => {
  const opened = await rig.open({ workflows: [hourly('all')] });
  await opened.ask('POST', '/api/v1/schedules/hourly/pause');
  expect(await scheduleOf(opened)).toMatchObject({ paused: { by: 'ann' }, next: [] });
  rig.clock.advance(2 * HOUR + HOUR / 2);
  expect((await opened.ask('POST', '/api/v1/schedules/hourly/resume')).status).toBe(200);
  expect(await runsOf(opened)).toEqual([]);
  rig.clock.advance(HOUR);
  await expect.poll(() => ticksOf(opened)).toEqual(['03:00 started']);
});

test('a schedule can be run manually, and a backfill starts no second run for the same time', async () => {
  const opened = await rig.open({ workflows: [hourly()] });
  await scheduleOf(opened);
  rig.clock.advance(HOUR);
  await expect.poll(() => ticksOf(opened)).toEqual(['01:00 started']);
  const now = await opened.ask('POST', '/api/v1/schedules/hourly/run');
  expect([now.status, (now.body as { runs: string[] }).runs.length]).toEqual([201, 1]);
  const filled = await opened.ask('POST', '/api/v1/schedules/hourly/backfill', { from: '2025-12-31T22:00:00Z' });
  expect([filled.status, (filled.body as { runs: string[] }).runs.length]).toEqual([201, 3]);
  const again = await opened.ask('POST', '/api/v1/schedules/hourly/backfill', { from: '2025-12-31T22:00:00Z' });
  expect((again.body as { runs: string[] }).runs).toEqual([]);
  expect(await runsOf(opened)).toHaveLength(5);
});

test('a schedule that does not exist, and a backfill of the future, are rejected', async () => {
  const opened = await rig.open({ workflows: [hourly()] });
  expect(await opened.ask('POST', '/api/v1/schedules/nightly/pause')).toMatchObject({ status: 404, body: { code: 'SCHEDULE_UNKNOWN' } });
  expect(
    await opened.ask('POST', '/api/v1/schedules/hourly/backfill', { from: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' }),
  ).toMatchObject({ status: 400, body: { code: 'USAGE' } });
});

test('a schedule whose workflow cannot be started says why', async () => {
  const { compiled } = hourly();
  const { schedule } = compiled;
  if (schedule === undefined) throw new Error('the workflow has no schedule');
  const opened = await rig.open({ workflows: [{ ...compiled, schedule: { ...schedule, params: { unknown: 1 } } }] });
  await scheduleOf(opened);
  rig.clock.advance(HOUR);
  await expect.poll(() => ticksOf(opened)).toEqual(['01:00 failed']);
  expect((await scheduleOf(opened))?.ticks[0]).toMatchObject({ message: expect.stringContaining('unknown') });
});
