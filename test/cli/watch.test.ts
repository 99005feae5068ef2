import { afterEach, beforeEach, expect, test } from 'vitest';
import { Hold, steady, writeWorkflow } from './blocking.ts';
import { CliRig } from './rig.ts';

const ID = '0000000000000001';
let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const twoSteps = (hold: Hold, end: string): string =>
  `{ id: 'first', command: ${JSON.stringify(hold.line)}, next: 'second' }, { id: 'second', command: '${end}', next: null }`;

test('watch shows a run from start to end while another process drives it, and exits with its code', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold, 'exit 3') });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  const watching = rig.start(['watch', ID]);
  const terminal = rig.terminal(['watch', ID]);
  await watching.until('first#1 running');
  await terminal.until(/first\s+\d+\.\ds\s+running/);
  await hold.release();
  const [driven, watched] = [await running.ended, await watching.ended];
  expect([driven.code, watched.code, await terminal.ended]).toEqual([8, 8, 8]);
  expect(steady(watched.stdout)).toBe(steady(driven.stdout));
});

test('leaving a watch changes nothing', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold, 'true') });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  const terminal = rig.terminal(['watch', ID]);
  await terminal.until('running');
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(130);
  await hold.release();
  expect((await running.ended).code).toBe(0);
});

test('watch without a run shows every open run as it changes', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'two', { steps: twoSteps(hold, 'true') });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  const watching = rig.start(['watch']);
  const terminal = rig.terminal(['watch']);
  await watching.until(`${ID} two running at first`);
  await terminal.until(/0{15}1 {2}two +running +first/);
  expect(await rig.json(['watch'])).toMatchObject({ code: 0, runs: [{ id: ID, status: 'running', currentStep: 'first' }] });
  await hold.release();
  await running.ended;
  await watching.until(`${ID} is no longer open`);
  await terminal.until('No open runs.');
  watching.process.kill('SIGINT');
  terminal.type('\u0003');
  expect([(await watching.ended).code, await terminal.ended]).toEqual([130, 130]);
});
