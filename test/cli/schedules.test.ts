// `pawl schedules` and `pawl deliveries`, without a server: what there is, by hand, and again.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EVENT_TABLES } from '../../src/server/events/tables.ts';
import { openServerDatabase, serverFileOf } from '../../src/server/server-database.ts';
import { tempFolder } from '../temp-folder.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  rig.write(
    '.pawl/workflows/nightly.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: nightly }
trigger: { schedule: "30 4 * * *", timezone: Europe/Berlin }
params: { day: { default: none } }
stages:
  - { id: say, type: command, run: 'echo "$DAY"', env: { DAY: "{{ params.day }}" } }
`,
  );
});
afterEach(() => rig.close());

interface Listed {
  readonly schedules: readonly { readonly workflow: string; readonly paused: unknown; readonly next: readonly string[] }[];
}

test('schedules are listed once their workflow is trusted, and can be paused, resumed and run', async () => {
  expect((await rig.json<Listed>(['schedules'])).schedules).toEqual([]);
  await rig.run(['trust', '--yes']);
  const [nightly] = (await rig.json<Listed>(['schedules'])).schedules;
  expect([nightly?.workflow, nightly?.paused, nightly?.next.length]).toEqual(['nightly', null, 5]);
  expect((await rig.run(['schedules', 'pause', 'nightly'])).stdout).toContain('paused by');
  expect((await rig.json<Listed>(['schedules'])).schedules[0]).toMatchObject({ next: [] });
  expect((await rig.run(['schedules', 'resume', 'nightly'])).stdout).toContain('30 4 * * * Europe/Berlin');
  const now = await rig.run(['schedules', 'run', 'nightly']);
  expect([now.code, now.stdout]).toEqual([0, expect.stringMatching(/^run \w+ completed\n/)]);
  // Three whole days have three ticks, whatever the time of day is now.
  const midnight = (daysAgo: number): string => `${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
  const days = ['--from', midnight(4), '--until', midnight(1)];
  const filled = await rig.json<{ runs: string[] }>(['schedules', 'backfill', 'nightly', ...days]);
  expect([filled.code, filled.runs.length]).toEqual([0, 3]);
  const again = await rig.run(['schedules', 'backfill', 'nightly', ...days]);
  expect(again.stdout).toContain('No runs were missed.');
});

test.each([
  [['schedules', 'pause'], 'name the workflow'],
  [['schedules', 'pause', 'nightli'], 'no trusted workflow "nightli" has a schedule (did you mean "nightly"?)'],
  [['schedules', 'backfill', 'nightly'], '--from is missing'],
  [['schedules', 'backfill', 'nightly', '--from', 'monday'], '--from must be a date'],
  [['deliveries', 'resend'], 'name a delivery by its number'],
  [['deliveries', 'show', '7'], 'there is no delivery 7'],
])('%j is an error that says what is wrong', async (words, message) => {
  await rig.run(['trust', '--yes']);
  const { code, stderr } = await rig.run(words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a delivery without a hook can be resent after the settings were corrected', async () => {
  await rig.run(['trust', '--yes']);
  const db = join(tempFolder(), 'runs.db');
  const database = openServerDatabase(serverFileOf(db), [EVENT_TABLES]);
  database.run(
    `INSERT INTO deliveries (route, delivery, received_at, headers, body, key, due, status, reason)
     VALUES ('hook/build', 'd1', ?, '{}', '{"day":"monday"}', '', 0, 'ignored', 'this server no longer has a handler for "hook/build"')`,
    Date.now(),
  );
  database.close();
  expect((await rig.run(['deliveries', '--db', db])).stdout).toMatch(/hook\/build +d1 +ignored/);
  rig.write(
    '.pawl/config.yaml',
    'secrets: { BUILD: { env: BUILD } }\nhooks: { build: { secret: BUILD, start: nightly, params: { day: "{{ body.day }}" } } }\n',
  );
  await rig.run(['trust', '--yes']);
  const again = await rig.json<{ delivery: { status: string; run: string } }>(['deliveries', 'resend', '1', '--db', db]);
  expect([again.code, again.delivery.status]).toEqual([0, 'done']);
  const shown = await rig.json<{ run: { status: string; origin?: unknown } }>(['show', again.delivery.run, '--db', db]);
  expect(shown.run.status).toBe('completed');
});
