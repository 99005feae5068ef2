// Who drives a run: told without the name of the host, and no command waits for an owner without a word.

import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineSum } from '../../src/store/sqlite/seals.ts';
import { Hold, writeWorkflow } from './blocking.ts';
import { type InboxJson, tokenOf } from './decision-runs.ts';
import { CliRig } from './rig.ts';

const ID = '0000000000000001';
const CLI = join(import.meta.dirname, 'start.js');
let rig: CliRig;
let db: string;
beforeEach(() => {
  rig = new CliRig();
  db = join(rig.state, 'runs.db');
});
afterEach(() => rig.close());

const pawl = (...words: string[]) => rig.run([...words, '--db', db]);

/** Starts a run whose first step is held. */
async function startHeld(): Promise<{ readonly running: ReturnType<CliRig['start']> }> {
  const hold = new Hold(rig);
  const steps = `{ id: 'first', command: ${JSON.stringify(hold.line)}, recovery: 'rerun', next: 'second' }, { id: 'second', command: 'true', next: null }`;
  const file = await writeWorkflow(rig, 'two', { steps });
  const running = rig.start(['run', file, '--id', ID, '--db', db]);
  await hold.pid();
  return { running };
}

/** Runs a command under another host name and in another pid namespace, as a container that was restarted would. */
function elsewhere(namespaces: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const line = 'hostname elsewhere && exec "$@"';
  const call = ['unshare', `-ru${namespaces}`, 'sh', '-c', line, 'sh', process.execPath, CLI, ...words, '--db', db];
  return spawnSync(call[0] as string, call.slice(1), { cwd: rig.project, env: rig.env(), encoding: 'utf8' });
}
const hasNamespaces = (): boolean => spawnSync('unshare', ['-rupf', '--mount-proc', 'true']).status === 0;

test('a changed host name does not lock a run', async ({ skip }) => {
  if (!hasNamespaces()) skip('no namespace can be made here, so the host has one name');
  const { running } = await startHeld();
  running.process.kill('SIGKILL');
  await running.ended;
  const cancelled = elsewhere('', 'cancel', ID);
  expect([cancelled.status, cancelled.stderr]).toEqual([0, '']);
});

test('the run of a container that no longer exists can be claimed a minute after its last heartbeat', async ({ skip }) => {
  if (!hasNamespaces()) skip('no namespace can be made here');
  const { running } = await startHeld();
  running.process.kill('SIGKILL');
  await running.ended;
  const container = 'pf';
  const refused = elsewhere(`${container}`, 'resume', ID);
  expect([refused.status, refused.stderr]).toEqual([
    7,
    expect.stringMatching(/process \d+ of another container or machine, which counts as dead 60 s/),
  ]);
  const [sign] = readdirSync(`${db}.owners`);
  const past = new Date(Date.now() - 70_000);
  utimesSync(join(`${db}.owners`, sign as string), past, past);
  expect(elsewhere(container, 'cancel', ID)).toMatchObject({ status: 0 });
});

test('an owner that is recorded under another host name can still be read', async () => {
  const { running } = await startHeld();
  running.process.kill('SIGKILL');
  await running.ended;
  const raw = new DatabaseSync(db);
  defineSum(raw);
  const { owner } = raw.prepare('SELECT owner FROM runs').get() as { owner: string };
  raw.prepare('UPDATE runs SET owner = ?').run(owner.replace(/^[^#|]*/, 'some-host'));
  raw.close();
  expect((await pawl('runs')).code).toBe(0);
  expect((await pawl('cancel', ID)).code).toBe(0);
});

describe('an owner that is stopped', () => {
  test('every command on the run of a stopped owner names that process, and exits with 7', async () => {
    const hold = new Hold(rig);
    const branches = `[{ id: 'work', command: ${JSON.stringify(hold.line)} }, { id: 'ask', human: { prompt: 'Good?' } }]`;
    const file = await writeWorkflow(rig, 'both', { steps: `{ id: 'both', parallel: { branches: ${branches} }, next: null }` });
    const running = rig.start(['run', file, '--id', ID, '--db', db]);
    await hold.pid();
    const secret = await tokenOf(rig, 'ann');
    const { approvals } = await rig.json<InboxJson>(['inbox', '--db', db]);
    running.process.kill('SIGSTOP');
    const verbs = [
      ['pause', ID],
      ['approve', ID, '--digest', approvals[0]?.digest ?? ''],
      ['cancel', ID],
    ];
    const asked = verbs.map((words) => rig.start([...words, '--json', '--db', db], { env: { PAWL_TOKEN: secret } }));
    await Promise.all(asked.map((one) => one.until(`waiting for process ${running.process.pid}, which is stopped`)));
    for (const { code, stdout } of await Promise.all(asked.map((one) => one.ended)))
      expect([code, JSON.parse(stdout)]).toMatchObject([7, { error: { code: 'RUN_LOCKED', details: { run: ID, recorded: true } } }]);
    // What was asked for is on disk: the owner takes it when it goes on.
    running.process.kill('SIGCONT');
    expect((await running.ended).code).toBe(1);
    expect((await rig.json<{ run: object }>(['show', ID, '--db', db])).run).toMatchObject({ status: 'cancelled' });
  });

  test('a command that waits for an owner notices when it dies', async () => {
    const { running } = await startHeld();
    running.process.kill('SIGSTOP');
    const asked = rig.start(['cancel', ID, '--db', db]);
    await asked.until(`waiting for process ${running.process.pid}`);
    running.process.kill('SIGKILL');
    expect((await asked.ended).code).toBe(0);
  });
});
