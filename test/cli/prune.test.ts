import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runId, writeRuns } from './kept-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let db: string;

beforeEach(() => {
  rig = new CliRig();
  db = join(rig.folder, 'runs.db');
});
afterEach(() => rig.close());

const prune = (...words: string[]): Promise<Ended> => rig.run(['prune', '--db', db, ...words]);
async function left(): Promise<string[]> {
  const { runs } = await rig.json<{ runs: { status: string }[] }>(['runs', '--db', db]);
  return runs.map(({ status }) => status).sort();
}

test('a dry run of prune shows what would be removed, and removes nothing', async () => {
  await writeRuns(db, ['completed', 'rejected', 'cancelled', 'failed', 'escalated', 'waiting']);
  const { code, stdout } = await prune('--older-than', '1d', '--dry-run');
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.replace(/ +\S+ \S+ ago$/, ''))).toEqual([
    expect.stringMatching(/^RUN +WORKFLOW +STATUS +ENDED$/),
    `${runId(3)}  deploy    cancelled`,
    `${runId(2)}  deploy    rejected`,
    `${runId(1)}  deploy    completed`,
    '3 runs to delete',
    '',
  ]);
  expect(await left()).toHaveLength(6);
});

test('prune removes ended runs, and failed ones only on request', async () => {
  await writeRuns(db, ['completed', 'rejected', 'cancelled', 'failed', 'escalated', 'waiting']);
  expect((await prune('--older-than', '1d', '--yes')).stdout).toBe('✓ 3 runs and 3 values deleted\n');
  expect(await left()).toEqual(['escalated', 'failed', 'waiting']);
  expect(await rig.json(['prune', '--db', db, '--older-than', '1d', '--status', 'failed', '--yes'])).toMatchObject({
    code: 0,
    runs: [{ id: runId(4), status: 'failed', endedAt: '2026-01-02T03:04:05.678Z' }],
    values: 1,
  });
  expect(await left()).toEqual(['escalated', 'waiting']);
});

test('prune in a pipe needs --yes', async () => {
  await writeRuns(db, ['completed']);
  expect(await prune('--older-than', '1d')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('use --yes') });
  expect(await left()).toEqual(['completed']);
});

test('prune asks at a terminal, and only yes removes runs', async () => {
  await writeRuns(db, ['completed']);
  const refused = rig.terminal(['prune', '--db', db, '--older-than', '1d']);
  await refused.until('Delete 1 run for good?');
  refused.type('\r');
  expect([await refused.ended, refused.text()]).toEqual([0, expect.stringContaining('Nothing was deleted.')]);
  const agreed = rig.terminal(['prune', '--db', db, '--older-than', '1d']);
  await agreed.until('Delete 1 run for good?');
  agreed.type('y\r');
  expect([await agreed.ended, agreed.text()]).toEqual([0, expect.stringContaining('1 run and 1 value deleted')]);
  expect(await left()).toEqual([]);
});

test('prune keeps the newest runs on request, and younger runs always', async () => {
  await writeRuns(db, ['completed', 'completed', 'completed']);
  expect((await prune('--older-than', '9000d', '--yes')).stdout).toContain('0 runs');
  expect((await prune('--older-than', '1d', '--keep', '2', '--yes', '--vacuum')).stdout).toContain('1 run ');
  expect(await left()).toHaveLength(2);
});

test('prune rejects invalid options before it reads anything', async () => {
  expect(await prune()).toMatchObject({ code: 2, stderr: expect.stringContaining('--older-than is missing') });
  expect(await prune('--older-than', 'long')).toMatchObject({ code: 2, stderr: expect.stringContaining('not "long"') });
  expect(await prune('--older-than', '1d', '--keep', '-1')).toMatchObject({ code: 2 });
  expect(await prune('--older-than', '1d', '--status', 'running')).toMatchObject({ code: 2 });
  expect(await prune('--older-than', '1d')).toMatchObject({ code: 6, stderr: expect.stringContaining(`database ${db} does not exist`) });
  expect((await rig.run(['prune', '--older-than', '1d'])).stdout).toContain('There is no database yet');
  expect(existsSync(db)).toBe(false);
});
