import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test('without a database there are no runs, and reading creates none', async () => {
  expect(await rig.run(['runs'])).toEqual({
    code: 0,
    stdout: 'No runs yet. "pawl list" shows the workflows, "pawl run WORKFLOW" starts one.\n',
    stderr: '',
  });
  expect(await rig.json(['runs'])).toEqual({ code: 0, schemaVersion: 1, runs: [], more: false });
});

test('a database in --db that does not exist is an error', async () => {
  for (const words of [['runs'], ['inbox'], ['watch'], ['show', 'r1'], ['logs', 'r1'], ['cancel', 'r1']])
    expect(await rig.run([...words, '--db', '/nope/x.db'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('database /nope/x.db does not exist'),
    });
});

test('an unknown command gets a suggestion', async () => {
  expect(await rig.run(['rnus'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'pawl: unknown command "rnus" (did you mean "pawl runs"?); "pawl --help" lists the commands [USAGE]\n',
  });
});

test('output is coloured on a terminal, and not in a pipe', async () => {
  const terminal = rig.terminal(['runs', '--lmit', '3']);
  expect(await terminal.ended).toBe(2);
  expect(terminal.printed()).toContain('\u001b[31mpawl:');
  expect((await rig.run(['runs', '--lmit', '3'])).stderr).not.toContain('\u001b');
});

test('a run whose process died is shown with the command that continues it', async () => {
  rig.write(
    '.pawl/workflows/slow.yaml',
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: slow }\nstages:\n  - { id: a, type: command, run: sleep 1000 }\n',
  );
  await rig.run(['trust', '--folder', '--yes']);
  const running = rig.start(['run', 'slow']);
  await running.until('a#1 running');
  const { runs } = await rig.json<{ runs: { id: string; isDriven: boolean }[] }>(['runs']);
  expect(runs).toMatchObject([{ status: 'running', isDriven: true }]);
  running.process.kill('SIGKILL');
  await running.ended;
  expect((await rig.run(['runs'])).stdout).toContain(
    `No process drives run ${runs[0]?.id}; continue it with\n    pawl resume ${runs[0]?.id}\n`,
  );
  expect(await rig.json(['runs'])).toMatchObject({ runs: [{ status: 'running', isDriven: false }] });
  await rig.run(['cancel', runs[0]?.id ?? '']);
});

test('"pawl runs" and "pawl show" show the priority of a run, and an invalid one is rejected', async () => {
  rig.write(
    '.pawl/workflows/one.yaml',
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: one }\nstages: [{ id: a, type: command, run: "true" }]\n',
  );
  await rig.run(['trust', '--yes']);
  const { run } = await rig.json<{ run: { id: string } }>(['run', 'one', '--priority', '5']);
  expect((await rig.run(['runs'])).stdout).toMatch(/PRIORITY[\s\S]*\b5\b/);
  expect((await rig.run(['show', run.id])).stdout).toContain('priority 5');
  expect((await rig.run(['run', 'one', '--priority', 'high'])).stderr).toContain('--priority must be a whole number');
});
