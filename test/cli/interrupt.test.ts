import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Hold, isGone, writeWorkflow } from './blocking.ts';
import { CliRig } from './rig.ts';

const ID = '0000000000000001';
const STOPPING = 'stopping after the running steps; press Ctrl-C again to kill them';
let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const after = `{ id: 'second', command: 'echo second >> ledger', next: null }`;
const twoSteps = (line: string): string => `{ id: 'first', command: ${JSON.stringify(line)}, next: 'second' }, ${after}`;
const status = async (): Promise<unknown> => (await rig.json<{ runs: readonly { status: string }[] }>(['runs'])).runs[0]?.status;

test('one Ctrl-C lets the running step end, starts nothing new, and prints how to resume', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold.line) });
  const terminal = rig.terminal(['run', file, '--id', ID]);
  await hold.pid();
  terminal.type('\u0003');
  await terminal.until(STOPPING);
  await hold.release();
  expect(await terminal.ended).toBe(130);
  expect(terminal.text()).toContain(`    pawl resume ${ID}\n`);
  expect((await rig.run(['resume', ID])).code).toBe(0);
  expect(readFileSync(join(rig.project, 'ledger'), 'utf8')).toBe('second\n');
});

test('a second Ctrl-C kills the process trees of the steps, and interrupted steps are unknown', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'endless', { steps: twoSteps(hold.endless) });
  const terminal = rig.terminal(['run', file, '--id', ID]);
  const sleeper = await hold.pid();
  expect(isGone(sleeper)).toBe(false);
  terminal.type('\u0003');
  await terminal.until(STOPPING);
  expect(isGone(sleeper)).toBe(false);
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(130);
  expect(isGone(sleeper)).toBe(true);
  const resumed = await rig.run(['resume', ID]);
  expect(resumed.code).toBe(3);
  expect(resumed.stdout).toContain(`    pawl resume ${ID} --rerun first#1\n`);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s stops like Ctrl-C, also in a pipe', async (signal) => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold.line) });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  running.process.kill(signal);
  await running.until('stopping after the running steps');
  await hold.release();
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(stdout).toContain(`pawl resume ${ID}\n`);
  expect(await status()).toBe('waiting');
});

test('two signals with --json leave one object on stdout and no process running', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'endless', { steps: twoSteps(hold.endless) });
  const running = rig.start(['run', file, '--id', ID, '--json']);
  const sleeper = await hold.pid();
  running.process.kill('SIGINT');
  await running.until(STOPPING);
  running.process.kill('SIGINT');
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, run: { id: ID } });
  expect(isGone(sleeper)).toBe(true);
});

test('a handler that ignores the abort signal cannot keep the process after the second Ctrl-C', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'deaf', {
    steps: `{ id: 'tell', command: ${JSON.stringify(hold.line)}, next: 'deaf' },
      { id: 'deaf', handler: () => new Promise(() => setInterval(() => undefined, 1000)), next: null }`,
  });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  await hold.release();
  await running.until('deaf#1 running');
  running.process.kill('SIGINT');
  await running.until(STOPPING);
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

test('a closed terminal stops the run like SIGHUP, and it can be resumed', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold.line) });
  const terminal = rig.terminal(['run', file, '--id', ID]);
  await hold.pid();
  terminal.kill('SIGHUP');
  await hold.release();
  expect(await terminal.ended).toBe(130);
  expect((await rig.run(['resume', ID])).code).toBe(0);
});
