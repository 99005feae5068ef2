// A user id without an account, as in a container that was started with `--user 4242`: the system knows neither a name nor
// a home folder for it, and asking for them fails. Every command says what to set, or works.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

const USER = '4242';
/** Without user namespaces, Node is made to answer as it does for such a user. */
const PRELOAD = `
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
const fail = (name) => () => { throw Object.assign(new Error('A system error occurred: ' + name + ' returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' }); };
os.userInfo = fail('uv_os_get_passwd');
os.homedir = fail('uv_os_homedir');
syncBuiltinESMExports();
`;

let rig: CliRig;
let withoutAccount: (words: readonly string[], env?: Record<string, string>) => { status: number | null; stdout: string; stderr: string };
beforeEach(() => {
  rig = new CliRig();
  const preload = join(rig.folder, 'no-account.js');
  writeFileSync(preload, PRELOAD);
  // The user of a namespace is the one who started it: everything stays readable.
  const [program = '', ...before] =
    spawnSync('unshare', [`--map-user=${USER}`, 'true']).status === 0
      ? ['unshare', `--map-user=${USER}`, process.execPath]
      : [process.execPath, '--import', preload];
  withoutAccount = (words, env = {}) => {
    const { HOME: _, PAWL_STATE: __, ...rest } = rig.env();
    const [, ...script] = rig.argv(words);
    return spawnSync(program, [...before, ...script], { cwd: rig.project, env: { ...rest, ...env }, encoding: 'utf8' });
  };
});
afterEach(() => rig.close());

describe('a user id without an account and without HOME', () => {
  test.each(['runs', 'inbox', 'doctor', 'trust --list', 'token list', 'config', 'validate'])(
    'a user without an account and HOME gets a readable answer from pawl %s',
    (line) => {
      const { stdout, stderr } = withoutAccount(line.split(' '));
      expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at |uv_os_/);
    },
  );

  test('a user without an account and HOME gets an error that says what to set', () => {
    const { status, stderr } = withoutAccount(['runs']);
    expect([status, stderr]).toEqual([6, expect.stringContaining('set HOME or PAWL_STATE, or choose a database with --db')]);
  });

  test('a user without an account and HOME can run a workflow if a state folder is named', async () => {
    const file = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages: [{ id: one, type: command, run: "true" }]\n';
    rig.write('.pawl/workflows/w.yaml', file);
    expect(await rig.run(['trust', '.pawl/workflows/w.yaml', '--yes'])).toMatchObject({ code: 0 });
    const { status, stderr } = withoutAccount(['run', 'w', '--id', '0123456789abcdef'], { PAWL_STATE: rig.state });
    expect([status, stderr]).toEqual([0, expect.not.stringMatching(/\n\s+at /)]);
    expect(withoutAccount(['show', '0123456789abcdef'], { PAWL_STATE: rig.state })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('completed'),
    });
  });
});
