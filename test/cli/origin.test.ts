import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parkRun, RUN, tokenOf } from './decision-runs.ts';
import { startHolder } from './kept-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let db: string;
/** The environment of somebody else: another state folder, which trusts the project all the same. */
let elsewhere: Record<string, string>;

beforeEach(async () => {
  rig = new CliRig();
  db = join(rig.project, '.pawl', 'runs.db');
  rig.write('.pawl/config.yaml', 'db: .pawl/runs.db\n');
  const other = join(rig.folder, 'other');
  elsewhere = { PAWL_STATE: other };
  mkdirSync(other);
  writeFileSync(join(other, 'trust.json'), JSON.stringify({ folders: { [rig.project]: new Date(0).toISOString() }, files: {} }));
});
afterEach(() => rig.close());

const marks = (): string | undefined => {
  try {
    return readFileSync(join(rig.project, 'marks'), 'utf8');
  } catch {
    return undefined;
  }
};
const ONE = `apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: one
stages:
  - id: only
    type: command
    run: "true"
`;
const foreign = { code: 4, stderr: expect.stringContaining('[STORE_FOREIGN]') };

describe('the id of a state folder', () => {
  test('the id of a state folder is created once, for its user only, even if many processes start at the same time', async () => {
    rig.write('.pawl/workflows/one.yaml', ONE);
    mkdirSync(rig.state);
    copyFileSync(join(rig.folder, 'other', 'trust.json'), join(rig.state, 'trust.json'));
    const ids = Array.from({ length: 4 }, (_, index) => join(rig.folder, `own${index}.db`));
    const ended = await Promise.all(ids.map((file) => rig.run(['run', 'one', '--db', file])));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const id = readFileSync(join(rig.state, 'id'), 'utf8').trim();
    expect(statSync(join(rig.state, 'id')).mode & 0o777).toBe(0o600);
    expect(ids.map(originOf)).toEqual([id, id, id, id]);
  });
});

function originOf(file: string): unknown {
  const raw = new DatabaseSync(file, { readOnly: true });
  try {
    return raw.prepare("SELECT value FROM meta WHERE key = 'origin'").get()?.value;
  } finally {
    raw.close();
  }
}

describe('a database that was made under another state folder', () => {
  const DRIVING: readonly (readonly string[])[] = [
    ['resume', RUN],
    ['resume', RUN, '--to', 'publish'],
    ['retry', RUN],
    ['cancel', RUN],
    ['pause', RUN],
    ['next', RUN],
    ['done', RUN, '--token', 'x', '--result', '{}'],
    ['fail', RUN, '--token', 'x', '--reason', 'no'],
    ['ask', RUN, '--token', 'x', '--questions', '[]'],
    ['fork', RUN, '--from', 'publish'],
    ['fork', RUN, '--from', 'publish', '--dry-run'],
    ['run', 'review'],
    ['run', 'review', '--detach'],
    ['run', 'review', '--attended'],
    ['mcp', '--run', RUN],
  ];

  test('a database of another state folder can be read, and none of its runs continue', async () => {
    await parkRun(rig);
    const before = await rig.json<{ events: object[] }>(['logs', RUN]);
    const tried = await Promise.all(DRIVING.map((words) => rig.run(words, { env: elsewhere })));
    expect(tried.map(({ code, stderr }, index) => [DRIVING[index]?.join(' '), code, /\[\w+\]/.exec(stderr)?.[0]])).toEqual(
      DRIVING.map((words) => [words.join(' '), 4, '[STORE_FOREIGN]']),
    );
    expect(await rig.json(['logs', RUN], { env: elsewhere })).toEqual(before);
    for (const words of [['runs'], ['show', RUN], ['inbox'], ['graph', '--run', RUN], ['db', 'check']])
      expect([words, (await rig.run(words, { env: elsewhere })).code]).toEqual([words, 0]);
    expect(marks()).toBeUndefined();
  });

  test('a database of another state folder accepts no decision, neither at a terminal nor with a token of that folder', async () => {
    await parkRun(rig);
    rig.settings.PAWL_STATE = elsewhere.PAWL_STATE as string;
    const secret = await tokenOf(rig, 'mallory');
    const { digest } = (await rig.json<{ approvals: { digest: string }[] }>(['inbox'])).approvals[0] as { digest: string };
    for (const verb of [
      ['decide', RUN, '--option', 'yes'],
      ['approve', RUN],
      ['reject', RUN],
      ['answer', RUN],
    ]) {
      expect(await rig.run([...verb, '--digest', digest], { env: { PAWL_TOKEN: secret } })).toMatchObject(foreign);
    }
    const terminal = rig.terminal(['approve', RUN, '-y']);
    expect(await terminal.ended).toBe(4);
    expect(terminal.text()).toContain('STORE_FOREIGN');
    expect(marks()).toBeUndefined();
  });

  test('only a person at a terminal can adopt a database of another state folder', async () => {
    await parkRun(rig);
    rig.settings.PAWL_STATE = elsewhere.PAWL_STATE as string;
    expect(await rig.run(['db', 'adopt'])).toMatchObject({ code: 4, stderr: expect.stringContaining('only a person can decide') });
    const refused = rig.terminal(['db', 'adopt']);
    await refused.until('Allow its runs to continue here?');
    refused.type('n\r');
    expect(await refused.ended).toBe(4);
    expect(await rig.run(['resume', RUN])).toMatchObject(foreign);
    const agreed = rig.terminal(['db', 'adopt']);
    await agreed.until('Allow its runs to continue here?');
    agreed.type('y\r');
    expect(await agreed.ended).toBe(0);
    expect((await rig.run(['resume', RUN])).code).toBe(3);
  });

  test('doctor reports a database of another state folder, with what to do', async () => {
    await parkRun(rig);
    const { checks } = await rig.json<{ checks: { id: string }[] }>(['doctor'], { env: elsewhere });
    expect(checks.filter(({ id }) => id === 'origin')).toMatchObject([
      { status: 'problem', what: expect.stringContaining(db), hint: expect.stringContaining('pawl db adopt') },
    ]);
    expect((await rig.json<{ checks: { id: string }[] }>(['doctor'])).checks.filter(({ id }) => id === 'origin')).toEqual([]);
  });
});

describe('a database that records no state folder', () => {
  const resume = (file: string): Promise<Ended> => rig.run(['resume', '0190aaaa-0000-7000-8000-00000000aaaa', '--db', file]);

  test('a database without an id is foreign outside the state folder', async () => {
    (await startHolder(db)).kill('SIGKILL');
    expect(await resume(db)).toMatchObject(foreign);
  });

  test('a database without an id belongs to the state folder that contains it, and to no other from then on', async () => {
    const own = join(rig.state, 'by-library.db');
    (await startHolder(own)).kill('SIGKILL');
    expect((await resume(own)).stderr).not.toContain('STORE_FOREIGN');
    expect(originOf(own)).toBe(readFileSync(join(rig.state, 'id'), 'utf8').trim());
    expect(await rig.run(['resume', '0190', '--db', own], { env: { PAWL_STATE: rig.folder } })).toMatchObject(foreign);
    rmSync(join(rig.state, 'id'));
    expect(await resume(own)).toMatchObject(foreign);
  });
});

test('a restored backup of someone else is foreign, and restore says so', async () => {
  await parkRun(rig);
  const backup = join(rig.folder, 'shipped.db');
  await rig.run(['backup', backup]);
  rmSync(db);
  const restored = await rig.run(['restore', backup], { env: elsewhere });
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('pawl db adopt') });
  expect(await rig.run(['resume', RUN], { env: elsewhere })).toMatchObject(foreign);
  // What the user backed up is the user's own, and goes on after a restore.
  expect((await rig.run(['restore', backup])).code).toBe(0);
  expect((await rig.run(['resume', RUN])).code).toBe(3);
});

test('a backup without an id is foreign when it is restored, also in the state folder', async () => {
  const backup = join(rig.folder, 'by-library.db');
  (await startHolder(backup)).kill('SIGKILL');
  const own = join(rig.state, 'runs.db');
  expect((await rig.run(['restore', backup, '--db', own])).code).toBe(0);
  expect(await rig.run(['resume', '0190', '--db', own])).toMatchObject(foreign);
});
