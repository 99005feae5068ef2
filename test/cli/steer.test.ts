import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Hold, isGone, writeTrusted, writeWorkflow } from './blocking.ts';
import { CliRig } from './rig.ts';

const ID = '0000000000000001';
let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const twoSteps = (hold: Hold): string =>
  `{ id: 'first', command: ${JSON.stringify(hold.line)}, next: 'second' }, { id: 'second', command: 'true', next: null }`;
const ASK = { steps: `{ id: 'ask', human: { prompt: 'Go on?' }, next: null }` };

test('cancel ends a run in the process that drives it, which exits with 1', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold) });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  const cancelled = await rig.json<{ run: { status: string } }>(['cancel', ID, '--reason', 'superseded']);
  expect(cancelled).toMatchObject({ code: 0, run: { id: ID, status: 'cancelled' } });
  const { code, stdout } = await running.ended;
  expect(code).toBe(1);
  expect(stdout).toContain(' run cancelled by ');
});

test('a run whose workflow no longer exists can still be cancelled', async () => {
  const file = await writeWorkflow(rig, 'ask', ASK);
  await rig.run(['run', file, '--id', ID]);
  rmSync(file);
  expect((await rig.run(['cancel', ID])).code).toBe(0);
  expect(await rig.run(['cancel', ID])).toMatchObject({ code: 2, stderr: expect.stringContaining('[RUN_FINAL]') });
});

test('cancel ends the processes that a killed process left behind', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'endless', { steps: `{ id: 'work', command: ${JSON.stringify(hold.endless)}, next: null }` });
  const running = rig.start(['run', file, '--id', ID]);
  const pid = await hold.pid();
  running.process.kill('SIGKILL');
  await running.ended;
  expect(isGone(pid)).toBe(false);
  expect((await rig.run(['cancel', ID])).code).toBe(0);
  expect(isGone(pid)).toBe(true);
});

test('cancel ends the runs that a run has started', async () => {
  const file = await writeTrusted(
    rig,
    'family.ts',
    `import { defineWorkflow } from 'pawl/compat';
     const child = defineWorkflow({ name: 'child', steps: [{ id: 'ask', human: { prompt: 'Go on?' }, next: null }] });
     export default defineWorkflow({ name: 'parent', steps: [{ id: 'outer', workflow: child, next: null }] });`,
  );
  const { code, stdout } = await rig.run(['run', file, '--id', ID]);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^ {2}"ask" of run (\w+) needs a decision:\n {4}pawl decide \1$/m);
  expect((await rig.run(['cancel', ID])).code).toBe(0);
  const { runs } = await rig.json<{ runs: readonly { status: string }[] }>(['runs']);
  expect(runs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
});

test('a run that no process drives continues immediately when the child that it waits for is cancelled', async () => {
  const file = await writeTrusted(
    rig,
    'generations.ts',
    `import { defineWorkflow } from 'pawl/compat';
     const child = defineWorkflow({ name: 'child', steps: [{ id: 'ask', human: { prompt: 'Go on?' }, next: null }] });
     const middle = defineWorkflow({ name: 'middle', steps: [{ id: 'inner', workflow: child, next: { ok: null, _default: null } }] });
     export default defineWorkflow({ name: 'parent', steps: [{ id: 'outer', workflow: middle, next: null }] });`,
  );
  const { stdout } = await rig.run(['run', file, '--id', ID]);
  const [, child = ''] = /pawl decide (\w+)$/m.exec(stdout) ?? [];
  const cancelled = await rig.run(['cancel', child]);
  expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringContaining(`run ${child} is cancelled`) });
  expect(cancelled.stdout).toMatch(/^run \w+, which started it, is \w+; details: pawl show \w+$/m);
  const { runs } = await rig.json<{ runs: readonly { workflow: string; status: string }[] }>(['runs']);
  expect(Object.fromEntries(runs.map(({ workflow, status }) => [workflow, status]))).toEqual({
    child: 'cancelled',
    middle: 'completed',
    parent: 'completed',
  });
});

test('pause lets the current step end and starts nothing new until resume', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold) });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  expect((await rig.run(['pause', ID])).code).toBe(0);
  await hold.release();
  const { code, stdout } = await running.ended;
  expect(code).toBe(3);
  expect(stdout).not.toContain('second#1');
  expect(stdout).toContain(`  the run is paused; continue it with\n    pawl resume ${ID}\n`);
  expect((await rig.run(['resume', ID])).code).toBe(0);
});

test('a run that no process drives can be paused', async () => {
  const file = await writeWorkflow(rig, 'ask', ASK);
  await rig.run(['run', file, '--id', ID]);
  const paused = await rig.json<{ waits: readonly { kind: string }[] }>(['pause', ID]);
  expect({ code: paused.code, kinds: paused.waits.map(({ kind }) => kind) }).toEqual({ code: 0, kinds: ['human', 'pause'] });
});
