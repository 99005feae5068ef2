import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Hold, steady, writeWorkflow } from './blocking.ts';
import { CliRig, PERSON } from './rig.ts';

const ID = '0000000000000001';
let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const held = (hold: Hold, recovery: 'rerun' | 'ask'): string =>
  `{ id: 'first', command: 'echo first >> ledger', next: 'second' },
   { id: 'second', command: ${JSON.stringify(hold.line)}, recovery: '${recovery}', next: null }`;
const ledger = (): string => readFileSync(join(rig.project, 'ledger'), 'utf8');

/** Starts a run, waits until its second step works, and kills its process. */
async function killed(hold: Hold, recovery: 'rerun' | 'ask'): Promise<void> {
  const file = await writeWorkflow(rig, 'work', { steps: held(hold, recovery) });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  running.process.kill('SIGKILL');
  await running.ended;
}

test('after kill -9 a run continues where it was, and recorded steps do not run again', async () => {
  const hold = new Hold(rig);
  await killed(hold, 'rerun');
  const resumed = rig.start(['resume', ID]);
  await hold.pid();
  await hold.release();
  const { code, stdout } = await resumed.ended;
  expect(code).toBe(0);
  expect(ledger()).toBe('first\n');
  // What the first process told is not told again.
  expect(steady(stdout)).not.toContain('first#1');
  expect(steady(stdout)).toContain('TIME second#1 completed in SPAN\n');
});

test('an interrupted step is unknown, and continues when a person says what happened', async () => {
  await killed(new Hold(rig), 'ask');
  // A choice before it is known which steps were interrupted is refused, with what to do first.
  expect((await rig.run(['resume', ID, '--done', 'second#1'])).stderr).toContain('resume it without a choice first');
  const told = await rig.run(['resume', ID]);
  expect(told.code).toBe(3);
  expect(told.stdout).toContain(`"second" was interrupted, and there is no record of how it ended; choose what happened:`);
  for (const way of ['rerun', 'done', 'failed']) expect(told.stdout).toContain(`    pawl resume ${ID} --${way} second#1\n`);
  expect((await rig.run(['resume', ID, '--done', 'second#1', '--note', 'I looked'])).code).toBe(0);
});

test('branches with an unknown outcome are settled one by one, several in one command, or all by the path of their stage', async () => {
  const [one, two] = [new Hold(rig, 'one'), new Hold(rig, 'two')];
  const branches = [one, two].map((hold, index) => `{ id: 'b${index}', command: ${JSON.stringify(hold.line)}, recovery: 'ask' }`);
  const file = await writeWorkflow(rig, 'work', { steps: `{ id: 'wide', parallel: { branches: [${branches.join(', ')}] }, next: null }` });
  const running = rig.start(['run', file, '--id', ID]);
  await Promise.all([one.pid(), two.pid()]);
  running.process.kill('SIGKILL');
  await running.ended;
  const told = await rig.run(['resume', ID]);
  expect(told.code).toBe(3);
  expect(told.stdout).toContain(
    '2 steps of "wide" were interrupted, and there is no record of how they ended; choose what happened to all of them:',
  );
  for (const way of ['rerun', 'done', 'failed']) expect(told.stdout).toContain(`    pawl resume ${ID} --${way} wide#1\n`);
  expect(told.stdout).toContain('or to a single one, by its path: wide#1/b0, wide#1/b1\n');
  const wrong = await rig.run(['resume', ID, '--done', 'wide#1/b0', '--rerun', 'wide#1/b9']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('steps whose end is unknown; name one') });
  expect((await rig.run(['resume', ID, '--done', 'wide#1/b0', '--output', '1', '--done', 'wide#1'])).stderr).toContain(
    '--output is the result',
  );
  expect((await rig.run(['resume', ID, '--done', 'wide#1/b0', '--done', 'wide#1'])).code).toBe(0);
});

const FRAGILE = { steps: `{ id: 'frail', command: 'echo try >> ledger; test -e mended', next: null }` };

async function escalated(): Promise<void> {
  const file = await writeWorkflow(rig, 'fragile', FRAGILE);
  expect((await rig.run(['run', file, '--id', ID])).code).toBe(8);
}

test('in a pipe a stopped run is unchanged without a choice: the choices are printed', async () => {
  await escalated();
  const { code, stdout } = await rig.run(['resume', ID]);
  expect(code).toBe(8);
  expect(stdout).toContain(`run ${ID} escalated at "frail": `);
  for (const choice of ['resume ID --retry', 'resume ID --accept', 'resume ID --to STEP', 'cancel ID'])
    expect(stdout).toContain(`    pawl ${choice.replace('ID', ID)}\n`);
  expect(ledger()).toBe('try\n');
});

test('at a terminal the person chooses how a stopped run continues', async () => {
  await escalated();
  rig.write('mended', '');
  const terminal = rig.terminal(['resume', ID]);
  await terminal.until('How should the run continue: ');
  terminal.type('retry\r');
  await terminal.until('A note for the next attempt (may be empty): ');
  terminal.type('the file is there now\r');
  expect(await terminal.ended).toBe(0);
  expect(ledger()).toBe('try\ntry\n');
});

test('at a terminal a person can leave a stopped run unchanged', async () => {
  await escalated();
  const terminal = rig.terminal(['resume', ID]);
  await terminal.until('How should the run continue: ');
  terminal.type('leave\r');
  expect(await terminal.ended).toBe(8);
  expect(ledger()).toBe('try\n');
});

test('a step is accepted in the name of the person who accepts it', async () => {
  await escalated();
  const story = await rig.json<{ run: object; steps: readonly object[] }>([
    'resume',
    ID,
    '--accept',
    '--note',
    'good enough',
    '--output',
    '{"n": 1}',
  ]);
  expect(story).toMatchObject({
    code: 0,
    run: { status: 'overridden' },
    overrides: [{ how: 'accept', actor: PERSON, note: 'good enough' }],
  });
});

test.each([
  [['--retry', '--accept'], '--retry and --accept cannot be combined; choose one [USAGE]'],
  [['--output', '1'], '--output is only valid with --accept or --done [USAGE]'],
  [['--retry', '--extend', '0'], '--extend must be a whole number of at least 1, not "0" [USAGE]'],
])('resume rejects invalid choices: %s', async (words, told) => {
  const { code, stderr } = await rig.run(['resume', ID, ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(told);
});

test('retry runs only the members of a fan-out that failed', async () => {
  const file = await writeWorkflow(rig, 'fan', {
    steps: `{ id: 'fan', parallel: { branches: [
      { id: 'good', command: 'echo good >> ledger' },
      { id: 'bad', command: 'echo bad >> ledger; test -e mended' },
    ] }, next: null }`,
  });
  expect((await rig.run(['run', file, '--id', ID])).code).toBe(8);
  rig.write('mended', '');
  const other = await rig.run(['retry', ID, 'good']);
  expect({ code: other.code, told: other.stderr.includes('stopped at "fan", not at "good"') }).toEqual({ code: 2, told: true });
  expect((await rig.run(['retry', ID, 'fan'])).code).toBe(0);
  expect(ledger().split('\n').sort().join(' ').trim()).toBe('bad bad good');
});

test('a run that another process drives is rejected with that process, or followed with --wait', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'work', { steps: held(hold, 'rerun') });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  const refused = await rig.run(['resume', ID]);
  expect(refused.code).toBe(7);
  expect(refused.stderr).toContain(`run ${ID} is driven by process ${running.process.pid}`);
  const follower = rig.start(['resume', ID, '--wait']);
  await follower.until(`process ${running.process.pid}`);
  await hold.release();
  expect([(await running.ended).code, (await follower.ended).code]).toEqual([0, 0]);
  expect(ledger()).toBe('first\n');
});

test('a follower takes over when the process it follows dies', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'work', { steps: held(hold, 'rerun') });
  const running = rig.start(['run', file, '--id', ID]);
  await hold.pid();
  const follower = rig.start(['resume', ID, '--wait']);
  await follower.until(`process ${running.process.pid}`);
  running.process.kill('SIGKILL');
  await hold.pid();
  await hold.release();
  expect((await follower.ended).code).toBe(0);
  expect(ledger()).toBe('first\n');
});

test('with --wait the command waits until someone else has decided', async () => {
  const file = await writeWorkflow(rig, 'ask', {
    steps: `{ id: 'ok', human: { prompt: 'Go on?' }, next: { ok: 'after' } }, { id: 'after', command: 'true', next: null }`,
  });
  const running = rig.start(['run', file, '--id', ID, '--wait']);
  await running.until('ok#1 waits for a person');
  const terminal = rig.terminal(['approve', ID]);
  await terminal.until('[y/N]');
  terminal.type('y\r');
  expect((await running.ended).code).toBe(0);
});

test('a run without code continues with its stored definition when its file is gone', async () => {
  await escalated();
  rmSync(join(rig.project, 'fragile.ts'));
  writeFileSync(join(rig.project, 'mended'), '');
  expect((await rig.run(['resume', ID, '--retry'])).code).toBe(0);
});

test('a run whose code is gone is an error, and nothing changes', async () => {
  rig.write(
    'coded.ts',
    `import { existsSync } from 'node:fs';
import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({
  name: 'coded',
  steps: [{ id: 'work', handler: () => { if (!existsSync('mended')) throw new Error('not mended'); return {}; }, next: null }],
});
`,
  );
  await rig.run(['trust', 'coded.ts', '--yes']);
  expect((await rig.run(['run', './coded.ts', '--id', ID])).code).toBe(8);
  rmSync(join(rig.project, 'coded.ts'));
  const { code, stderr } = await rig.run(['resume', ID, '--retry']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('coded')]);
  expect(await rig.json(['runs'])).toMatchObject({ runs: [{ id: ID, status: 'escalated' }] });
});
