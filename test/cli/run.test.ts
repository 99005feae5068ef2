import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Hold, steady, writeTrusted, writeWorkflow } from './blocking.ts';
import { CliRig } from './rig.ts';

const ID = '0000000000000001';
let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const PARAMS = `params: {
  topic: arg({ type: 'string', default: 'ratchets' }),
  times: arg({ type: 'integer', min: 1, max: 3, default: 1 }),
  size: arg({ choices: ['s', 'm'], default: 's' }),
  plan: arg({ type: 'json', default: null }),
},`;
const APPROVE = `{ id: 'approve', human: { prompt: 'Publish?', options: [{ label: 'publish', nextStep: 'complete' }, { label: 'no', nextStep: null }] } }`;
const COPY = `{ id: 'copy', handler: (ctx) => ctx.workflowParams, next: null }`;

test('a run in a pipe prints one line per event, with stable wording', async () => {
  const file = await writeWorkflow(rig, 'notes', {
    steps: `{ id: 'draft', command: 'true', next: 'fan' },
     { id: 'fan', parallel: { branches: [{ id: 'a', command: 'true' }], join: 'all' }, next: 'approve' },
     ${APPROVE}`,
  });
  const { code, stdout, stderr } = await rig.run(['run', file, '--id', ID]);
  expect(steady(stdout)).toBe(
    [
      `TIME run ${ID} of notes started`,
      'TIME draft#1 running',
      'TIME draft#1 completed in SPAN',
      'TIME fan#1 running 1 member',
      'TIME fan#1/a running',
      'TIME fan#1/a completed in SPAN',
      'TIME fan#1 completed in SPAN (1/1)',
      'TIME approve#1 waits for a person',
      `◌ run ${ID} is waiting`,
      '  "approve" needs a decision:',
      `    pawl decide ${ID} --option publish`,
      '',
    ].join('\n'),
  );
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
});

test('a child that cannot be started is reported with the invalid parameter, and the command exits with 8', async () => {
  const kid = `{ name: 'kid', params: { n: arg({ type: 'integer', required: true }) }, steps: [{ id: 'work', command: 'true', next: null }] }`;
  const file = await writeWorkflow(rig, 'parent', {
    steps: `{ id: 'child', workflow: defineWorkflow(${kid}), input: { n: 'many' }, next: null }`,
  });
  const { code, stdout, stderr } = await rig.run(['run', file, '--id', ID]);
  const reason =
    'step "child" could not start workflow "kid": the parameters of workflow "kid" are not valid: "n" is "many", which is not of type integer; write an integer';
  expect(steady(stdout).split('\n')).toContain(`TIME child#1 failed in SPAN: ${reason}`);
  expect({ code, stderr }).toEqual({ code: 8, stderr: '' });
  const shown = JSON.parse((await rig.run(['show', ID, '--json'])).stdout) as { run: object; steps: object[] };
  expect(shown).toMatchObject({ run: { status: 'escalated' }, steps: [{ path: 'child#1', status: 'failed' }] });
});

test('a failed attempt is reported with its error, and the command exits with 8 and lists the choices', async () => {
  const file = await writeWorkflow(rig, 'broken', { steps: `{ id: 'work', command: 'exit 4', retry: 1, next: null }` });
  const { code, stdout } = await rig.run(['run', file, '--id', ID]);
  const lines = steady(stdout).split('\n');
  expect(lines).toContain('TIME work#1 attempt 1 failed: the command of step "work" exited with 4');
  expect(lines).toContain('TIME work#1 running, attempt 2');
  expect(lines).toContain(`    pawl resume ${ID} --retry`);
  expect(lines).toContain(`    pawl resume ${ID} --accept`);
  expect(lines).toContain(`    pawl cancel ${ID}`);
  expect(code).toBe(8);
});

test('a gate that failed is reported with the check that did', async () => {
  const steps = `{ id: 'look', gate: { checks: [{ check: 'command', run: 'echo one; echo two; exit 3' }, { check: 'command', run: 'false' }] }, next: { ok: null, fail: 'fail' } }`;
  const file = await writeWorkflow(rig, 'looks', { steps });
  const { stdout } = await rig.run(['run', file, '--id', ID, '--quiet']);
  expect(
    steady(stdout)
      .split('\n')
      .filter((line) => line.includes('look#1 failed')),
  ).toEqual(['TIME look#1 failed in SPAN: echo one; echo two; exit 3: it exited with 3: one (and 1 more)']);
});

test('with --json stdout is only the report of the run', async () => {
  const file = await writeWorkflow(rig, 'copy', { steps: COPY, params: PARAMS });
  const story = await rig.json<{ run: { id: string; status: string; output: unknown } }>(['run', file, '--id', ID]);
  expect(story).toMatchObject({ code: 0, schemaVersion: 1, run: { id: ID, status: 'completed' } });
});

test('parameters are read by their declared types, from words, JSON and files', async () => {
  const file = await writeWorkflow(rig, 'copy', { steps: COPY, params: PARAMS });
  rig.write('plan.json', '{"steps": [1, 2]}');
  const words = ['-p', 'topic=7', '-p', 'plan=@plan.json', '--params', '{"times": 2, "topic": "overruled"}', '-p', 'size=m'];
  const story = await rig.json<{ run: { params: unknown } }>(['run', file, ...words]);
  expect(story.run.params).toEqual({ topic: '7', times: 2, size: 'm', plan: { steps: [1, 2] } });
});

test.each([
  [['-p', 'times=9'], '"times" is 9, which is above 3; write an integer from 1 to 3 [PARAMS_INVALID]'],
  [['-p', 'times=two'], '"times" is "two", which is not of type integer; write an integer from 1 to 3 [PARAMS_INVALID]'],
  [['-p', 'size=xl'], '"size" is "xl", which is not one of its choices; write one of "s", "m" [PARAMS_INVALID]'],
  [['-p', 'time=1'], '"time" is not a parameter (did you mean "times"?); the parameters are topic, times, size, plan [PARAMS_INVALID]'],
  [['-p', 'times'], '-p must be name=value, not "times"; for example: -p issue=7 [USAGE]'],
  [['-p', 'times=1', '-p', 'times=2'], '-p times may be given only once [USAGE]'],
  [['--params', '[1]'], `--params must be a JSON object, such as '{"issue": 7}' [USAGE]`],
  [['--id', 'my run'], '--id must be at most 64 letters, digits, ".", "_" and "-", beginning with a letter or digit, not "my run" [USAGE]'],
  [['--attended', '--detach'], '--attended and --detach cannot be combined: --attended prints the first step and exits [USAGE]'],
])('invalid arguments are reported before anything starts: %s', async (words, told) => {
  const file = await writeWorkflow(rig, 'copy', { steps: COPY, params: PARAMS });
  const { code, stdout, stderr } = await rig.run(['run', file, ...words]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(told);
  expect(readdirSync(rig.state, { recursive: true }).filter((name) => String(name).endsWith('runs.db'))).toEqual([]);
});

test('the error about missing parameters says how to pass them', async () => {
  const params = `params: { topic: arg({ type: 'string', required: true }), times: arg({ type: 'integer', required: true }) },`;
  const file = await writeWorkflow(rig, 'copy', { steps: COPY, params });
  const one = await rig.run(['run', file, '-p', 'topic=a']);
  expect([one.code, one.stdout]).toEqual([2, '']);
  expect(one.stderr).toContain('"times" is missing; it must be an integer; add -p times=VALUE [PARAMS_INVALID]');
  const both = await rig.run(['run', file, '--json']);
  expect(both.stderr).toContain('\nadd -p topic=VALUE -p times=VALUE [PARAMS_INVALID]');
  expect(JSON.parse(both.stdout)).toMatchObject({ error: { code: 'PARAMS_INVALID', details: { missing: ['topic', 'times'] } } });
});

test('a run can start at a later step with the results of the steps before it', async () => {
  const file = await writeWorkflow(rig, 'two', {
    steps: `{ id: 'plan', command: 'exit 1', next: 'use' }, { id: 'use', handler: (ctx) => ctx.stepState, next: null }`,
  });
  const story = await rig.json<{ run: { status: string }; steps: readonly { step: string }[] }>([
    ...['run', file, '--from', 'use', '--output', 'plan={"n": 4}'],
  ]);
  expect(story).toMatchObject({ code: 0, run: { status: 'overridden' } });
});

test('the command waits for a delay that ends soon; for a longer one it prints the command that waits', async () => {
  const soon = await writeWorkflow(rig, 'soon', { steps: `{ id: 'nap', delay: '50ms', next: null }` });
  expect((await rig.run(['run', soon])).code).toBe(0);
  const long = await writeWorkflow(rig, 'long', { steps: `{ id: 'sleep', delay: '2h', next: null }` });
  const { code, stdout } = await rig.run(['run', long, '--id', ID]);
  expect(code).toBe(3);
  expect(stdout).toMatch(/"sleep" is delayed and due in (2h|1h 59m); no process drives the run until then; wait for it with/);
  expect(stdout).toContain(`    pawl resume ${ID} --wait\n`);
});

test('a child run is shown under the step that waits for it', async () => {
  const file = await writeTrusted(
    rig,
    'family.ts',
    `import { defineWorkflow } from 'pawl/compat';
     const child = defineWorkflow({ name: 'child', steps: [{ id: 'inner', command: 'true', next: null }] });
     export default defineWorkflow({ name: 'parent', steps: [{ id: 'outer', workflow: child, next: null }] });`,
  );
  const { code, stdout } = await rig.run(['run', file, '--id', ID]);
  const lines = steady(stdout).split('\n');
  expect(code).toBe(0);
  expect(steady((await rig.run(['watch', ID])).stdout)).toBe(steady(stdout));
  expect(lines).toContain('TIME outer#1 > inner#1 completed in SPAN');
  expect(lines.indexOf('TIME outer#1 > run completed')).toBeLessThan(lines.indexOf('TIME outer#1 completed in SPAN'));
});

test('on a terminal of 80 columns the steps are one block that is redrawn in place, and no line is wider', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'shown', {
    steps: `{ id: 'first', title: 'A title that goes on and on until no terminal could ever show all of it in one line', command: 'true', next: 'second' },
     { id: 'second', command: ${JSON.stringify(hold.line)}, next: null }`,
  });
  const terminal = rig.terminal(['run', file, '--id', ID]);
  await hold.pid();
  await terminal.until(/second\s+\d\.\ds\s+running/);
  await hold.release();
  expect(await terminal.ended).toBe(0);
  const last = terminal.text().slice(terminal.text().lastIndexOf('shown  '));
  expect(last).toMatch(
    /^shown {2}0{15}1 {2}completed {2}\d\.\ds\n {2}✓ first {3,}\d\.\ds {2}A title.*…\n {2}✓ second {2,}\d\.\ds\n✓ run 0{15}1 completed in .*; details: pawl show 0{15}1\n$/,
  );
  for (const line of terminal.text().split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(terminal.printed()).toContain('\u001b[J');
});

test('text of a workflow cannot control the terminal', async () => {
  const file = await writeWorkflow(rig, 'sly', {
    steps: `{ id: 'one', title: 'x\\u001b]0;owned\\u0007\\u001b[2Jy', command: 'true', next: null }`,
  });
  const terminal = rig.terminal(['run', file]);
  expect(await terminal.ended).toBe(0);
  expect(terminal.printed()).not.toContain('owned');
  expect(terminal.printed()).not.toContain('\u001b[2J');
});

test('closing stdout does not stop the run', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'left', {
    steps: `{ id: 'one', command: ${JSON.stringify(hold.line)}, next: 'two' }, { id: 'two', command: 'true', next: null }`,
  });
  const running = rig.start(['run', file, '--id', ID]);
  await running.until('one#1 running');
  running.process.stdout?.destroy();
  await hold.pid();
  await hold.release();
  expect((await running.ended).code).toBe(0);
  expect(await rig.json(['runs'])).toMatchObject({ runs: [{ id: ID, status: 'completed' }] });
});

test('a detached run is on disk when the command returns, and continues by itself', async () => {
  const hold = new Hold(rig);
  const file = await writeWorkflow(rig, 'away', { steps: `{ id: 'one', command: ${JSON.stringify(hold.line)}, next: null }` });
  const { code, stdout } = await rig.run(['run', file, '--detach', '--id', ID]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^run 0{15}1 continues in the background \(process \d+\); its output is in .*run-0{15}1\.log\n {4}pawl watch 0{15}1\n$/,
  );
  const [, pid = ''] = /process (\d+)\)/.exec(stdout) ?? [];
  // A session of its own: the end of this terminal is none of its business.
  expect(execFileSync('ps', ['-o', 'sid=', '-p', pid], { encoding: 'utf8' }).trim()).toBe(pid);
  await hold.pid();
  const watching = rig.start(['watch', ID]);
  await watching.until('one#1 running');
  await hold.release();
  expect((await watching.ended).code).toBe(0);
});

test('a terminal asks the person immediately, and the run continues', async () => {
  const steps = `{ id: 'ok', human: { prompt: 'Go on?' }, next: { ok: 'after' } }, { id: 'after', command: 'true', next: null }`;
  const file = await writeWorkflow(rig, 'asks', { steps });
  const terminal = rig.terminal(['run', file, '--id', ID]);
  await terminal.until(/❯ .*: /);
  terminal.type('approve\r');
  expect(await terminal.ended).toBe(0);
  expect(await rig.json(['runs'])).toMatchObject({ runs: [{ id: ID, status: 'completed' }] });
});

test('a person who decides later gets exit code 3 and the command', async () => {
  const file = await writeWorkflow(rig, 'asks', { steps: `{ id: 'ok', human: { prompt: 'Go on?' }, next: null }` });
  const terminal = rig.terminal(['run', file, '--id', ID]);
  await terminal.until(/❯ .*: /);
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(3);
  expect(terminal.text()).toContain(`    pawl decide ${ID} --option approve\n`);
});

test('in a job of GitHub Actions, untrusted text cannot give commands to the runner', async () => {
  const { stderr } = await rig.run(['run', 'a\n::add-mask::b ##[save-state]c'], { env: { GITHUB_ACTIONS: 'true' } });
  expect(stderr).toContain('add-mask');
  expect(stderr).not.toMatch(/::|##\[/);
});
