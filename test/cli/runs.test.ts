import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test('without a database there are no runs, and looking makes none', async () => {
  expect(await rig.run(['runs'])).toEqual({
    code: 0,
    stdout: 'No runs here yet. "pawl list" shows the workflows, "pawl run WORKFLOW" starts one.\n',
    stderr: '',
  });
  expect(await rig.json(['runs'])).toEqual({ code: 0, schemaVersion: 1, runs: [], more: false });
});

test('a command that does not exist gets the nearest that does', async () => {
  expect(await rig.run(['rnus'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'pawl: there is no command "rnus" (did you mean "pawl runs"?); "pawl --help" lists them [USAGE]\n',
  });
});

test('a terminal is told in colour, a pipe is not', async () => {
  const terminal = rig.terminal(['runs', '--lmit', '3']);
  expect(await terminal.ended).toBe(2);
  expect(terminal.printed()).toContain('\u001b[31mpawl:');
  expect((await rig.run(['runs', '--lmit', '3'])).stderr).not.toContain('\u001b');
});
