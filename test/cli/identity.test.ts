// Keys of people, signed decisions and trust by signature, as users and attackers meet them at the command line.

import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { digestOf, type InboxJson, REVIEW, RUN, tokenOf, writeWorkflow } from './decision-runs.ts';
import { createIdentity, PASSPHRASE, PASSPHRASE_FD, runSigned } from './identity-rig.ts';
import { CliRig } from './rig.ts';

interface ShowJson {
  readonly run: { readonly status: string };
  readonly decisions: readonly { readonly option: string; readonly actor: string; readonly signed: { readonly name: string } | null }[];
}

interface IdentitiesJson {
  readonly identities: readonly {
    readonly name: string;
    readonly status: string;
    readonly enrolledBy: string | null;
    readonly isMine: boolean;
  }[];
}

/** A state folder with an enrolled key of ann and an own list of mallory, made once: each unlocking takes its time. */
let home: CliRig;
const kept = (): string => join(home.folder, 'kept');
const foreign = (): string => join(home.folder, 'foreign');
beforeAll(async () => {
  home = new CliRig();
  await createIdentity(home, 'ann');
  cpSync(home.state, kept(), { recursive: true });
  await createIdentity(home, 'mallory', { PAWL_STATE: foreign() });
});
afterAll(() => home.close());

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  cpSync(kept(), rig.state, { recursive: true });
});
afterEach(() => rig.close());

async function parkSigned(): Promise<string> {
  writeWorkflow(
    rig,
    REVIEW.replace('echo published >> marks', `echo published >> marks; cat /proc/self/fd/${PASSPHRASE_FD} >> marks 2>/dev/null; true`),
  );
  rig.write('.pawl/config.yaml', 'decisions: signed\n');
  const { code, stderr } = await rig.run(['run', 'review', '--id', RUN]);
  expect([code, stderr]).toEqual([3, '']);
  return digestOf(rig);
}

/** The database of the rig's project. */
async function databaseOf(): Promise<string> {
  const { checks } = await rig.json<{ checks: readonly { id: string; what: string }[] }>(['doctor']);
  return checks.find(({ id }) => id === 'database')?.what.split(' (')[0] ?? '';
}

const status = async (): Promise<string> => (await rig.json<ShowJson>(['show', RUN])).run.status;

describe('pawl identity', () => {
  test('a key is created at a terminal with hidden input, readable for its owner only; the first one is enrolled at once', async () => {
    rmSync(rig.state, { recursive: true });
    expect(await rig.run(['identity', 'create', 'ann'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('only a person can run "pawl identity create"'),
    });
    expect(await runSigned(rig, ['identity', 'create', 'ann'])).toMatchObject({ code: 4 });
    const text = await createIdentity(rig, 'ann');
    expect(text).not.toContain(PASSPHRASE);
    expect(text).toContain('It is the first key here, so it is enrolled');
    expect(statSync(join(rig.state, 'identities', 'ann.key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(rig.state, 'identities.json')).mode & 0o777).toBe(0o600);
    expect((await rig.json<IdentitiesJson>(['identity', 'list'])).identities).toMatchObject([
      { name: 'ann', status: 'enrolled', enrolledBy: 'ann', isMine: true },
    ]);
    expect((await rig.run(['identity', 'show', 'ann'])).stdout).toMatch(/^pawl-ed25519 [\w-]{43} ann\n$/);
  });

  test('no key is created inside a run, not even at a terminal', async () => {
    const terminal = rig.terminal(['identity', 'create', 'bob'], { env: { PAWL_RUN: 'x' } });
    expect(await terminal.ended).toBe(4);
    expect(existsSync(join(rig.state, 'identities', 'bob.key'))).toBe(false);
  });

  test('two different passphrases, or a short one, create no key', async () => {
    const terminal = rig.terminal(['identity', 'create', 'bob']);
    await terminal.until('at least 12 characters');
    terminal.type(`${PASSPHRASE}\r`);
    await terminal.until('Repeat the passphrase');
    terminal.type('another one, mistyped\r');
    expect(await terminal.ended).toBe(2);
    const short = rig.terminal(['identity', 'create', 'bob']);
    await short.until('at least 12 characters');
    short.type('short\r');
    expect(await short.ended).toBe(2);
    expect(existsSync(join(rig.state, 'identities', 'bob.key'))).toBe(false);
  });

  test('another key is accepted once an enrolled one signs for it, until it is revoked', async () => {
    const { stdout: key } = await rig.run(['identity', 'show', 'mallory'], { env: { PAWL_STATE: foreign() } });
    const file = rig.write('../colleague.pub', key.replace('mallory', 'bob'));
    expect(await rig.run(['identity', 'enrol', file])).toMatchObject({ code: 4, stderr: expect.stringContaining('--passphrase-fd') });
    expect(await runSigned(rig, ['identity', 'enrol', file])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is enrolled by ann'),
    });
    expect(await runSigned(rig, ['identity', 'revoke', 'bob'])).toMatchObject({ code: 0 });
    expect((await rig.json<IdentitiesJson>(['identity', 'list'])).identities).toMatchObject([
      { name: 'ann', status: 'enrolled' },
      { name: 'bob', status: 'revoked', enrolledBy: 'ann', isMine: false },
    ]);
  });

  test('a missing key and an edited list are errors', async () => {
    expect(await rig.run(['identity', 'enrol', 'nobody'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a public key'),
    });
    expect(await rig.run(['identity', 'show', 'bob'])).toMatchObject({ code: 2 });
    expect(await rig.run(['identity', 'revoke', 'bob'])).toMatchObject({ code: 2 });
    const file = join(rig.state, 'identities.json');
    rmSync(`${file}.sum`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"ann"', '"eve"'));
    expect(await rig.run(['identity', 'list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('so no key is accepted') });
  });
});

describe('decisions: signed', () => {
  test('without an enrolled key nothing starts', async () => {
    rmSync(rig.state, { recursive: true });
    writeWorkflow(rig);
    rig.write('.pawl/config.yaml', 'decisions: signed\n');
    expect(await rig.run(['run', 'review'])).toMatchObject({ code: 4, stderr: expect.stringContaining('[KEY_MISSING]') });
    expect((await rig.json<{ runs: readonly object[] }>(['runs'])).runs).toEqual([]);
  });

  test('a person at a terminal is asked for the passphrase, may mistype it, and show prints who signed', async () => {
    await parkSigned();
    const terminal = rig.terminal(['approve', RUN]);
    await terminal.until('as ann?');
    terminal.type('y\r');
    await terminal.until('Passphrase of ann');
    terminal.type('mistyped at first\r');
    await terminal.until('this is not the passphrase');
    terminal.type(`${PASSPHRASE}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).not.toContain(PASSPHRASE);
    expect(await rig.json<ShowJson>(['show', RUN])).toMatchObject({
      run: { status: 'completed' },
      decisions: [{ option: 'yes', actor: 'ann', signed: { name: 'ann', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
    });
    expect((await rig.run(['show', RUN])).stdout).toMatch(/signed by ann \([0-9a-f]{16}\)/);
    expect(await rig.run(['db', 'check'])).toMatchObject({ code: 0 });
    // Where her key does not count, nobody is told that she signed.
    const elsewhere = await rig.run(['show', RUN, '--db', await databaseOf()], { env: { PAWL_STATE: foreign() } });
    expect(elsewhere.stdout).toMatch(/the signature of ann \([0-9a-f]{16}\) is not valid here/);
  });

  test('in a pipe it needs the passphrase and the digest of what was seen', async () => {
    const digest = await parkSigned();
    expect(await runSigned(rig, ['approve', RUN])).toMatchObject({ code: 4, stderr: expect.stringContaining('--digest') });
    expect(await runSigned(rig, ['approve', RUN, '--digest', digest], { passphrase: 'a wrong passphrase' })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('[PASSPHRASE_WRONG]'),
    });
    expect(await status()).toBe('waiting');
    expect(await runSigned(rig, ['approve', RUN, '--digest', digest])).toMatchObject({ code: 0 });
    expect(await status()).toBe('completed');
    // The open file is not handed on to what the run starts.
    expect(readFileSync(join(rig.project, 'marks'), 'utf8')).toBe('published\n');
  });

  test('while the run is driven by the terminal that started it, the person is asked there', async () => {
    writeWorkflow(rig);
    rig.write('.pawl/config.yaml', 'decisions: signed\n');
    const terminal = rig.terminal(['run', 'review', '--id', RUN]);
    await terminal.until('Your answer');
    terminal.type('yes\r');
    await terminal.until('Passphrase of ann');
    terminal.type(`${PASSPHRASE}\r`);
    expect(await terminal.ended).toBe(0);
    expect(await status()).toBe('completed');
  });

  test('a token, a terminal without the passphrase, an edited setting or a list of one’s own cannot decide', async () => {
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const digest = await parkSigned();
    const refused = { code: 4, stderr: expect.stringContaining('[NOT_ALLOWED]') };
    expect(await rig.run(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN } })).toMatchObject(refused);
    rig.write('.pawl/config.yaml', '');
    expect(await rig.run(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN } })).toMatchObject(refused);
    const { approvals } = await rig.json<InboxJson>(['inbox']);
    expect(approvals).toHaveLength(1);
    const file = await databaseOf();
    copyFileSync(join(rig.state, 'trust.json'), join(foreign(), 'trust.json'));
    const own = await runSigned(rig, ['approve', RUN, '--digest', digest, '--db', file], { env: { PAWL_STATE: foreign() } });
    expect(own).toMatchObject({ code: 4, stderr: expect.stringContaining('[STORE_FOREIGN]') });
    const left = rig.terminal(['approve', RUN, '-y']);
    await left.until('Passphrase of ann');
    left.type('\u0003');
    expect(await left.ended).toBe(4);
    expect(await status()).toBe('waiting');
    expect(existsSync(join(rig.project, 'marks'))).toBe(false);
  });

  test('in the user’s settings applies to every project, also after a variable hides them', async () => {
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const XDG_CONFIG_HOME = join(rig.folder, 'config');
    mkdirSync(join(XDG_CONFIG_HOME, 'pawl'), { recursive: true });
    writeFileSync(join(XDG_CONFIG_HOME, 'pawl', 'config.yaml'), 'decisions: signed\n');
    writeWorkflow(rig);
    expect((await rig.run(['run', 'review'], { env: { XDG_CONFIG_HOME } })).code).toBe(3);
    // Another project, which never saw the setting; its run takes signatures, whoever starts it.
    const other = join(rig.folder, 'other');
    cpSync(rig.project, other, { recursive: true });
    const hidden = { cwd: other, env: { XDG_CONFIG_HOME: join(rig.folder, 'nothing'), PAWL_TOKEN } };
    writeFileSync(join(rig.state, 'trust.json'), JSON.stringify({ folders: { [other]: new Date(0).toISOString() }, files: {} }));
    expect((await rig.run(['run', 'review', '--id', RUN], hidden)).code).toBe(3);
    const { approvals } = await rig.json<InboxJson>(['inbox', RUN], hidden);
    expect(await rig.run(['approve', RUN, '--digest', approvals[0]?.digest ?? ''], hidden)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('[NOT_ALLOWED]'),
    });
    const seen = await rig.json<{ events: readonly object[] }>(['logs', RUN], hidden);
    expect(JSON.stringify(seen)).toContain('"signed":true');
  });

  test('passing a failed step by hand needs a signature, too', async () => {
    const broken = REVIEW.replace('(ctx) => ({ text', "() => { throw new Error('red'); }, title: 'draft', unused: (ctx) => ({ text");
    writeWorkflow(rig, broken.replace(/, title: 'draft', unused: .*?next: 'ask' \}/, ", next: 'ask' }"));
    rig.write('.pawl/config.yaml', 'decisions: signed\n');
    expect((await rig.run(['run', 'review', '--id', RUN])).code).toBe(8);
    expect(await rig.run(['resume', RUN, '--to', 'publish'])).toMatchObject({ code: 4 });
    expect(await rig.run(['run', 'review', '--from', 'publish'])).toMatchObject({ code: 4 });
    expect(await rig.run(['fork', RUN, '--from', 'draft'])).toMatchObject({ code: 4 });
    expect(existsSync(join(rig.project, 'marks'))).toBe(false);
    expect(await runSigned(rig, ['resume', RUN, '--to', 'publish'])).toMatchObject({ code: 0 });
    expect(existsSync(join(rig.project, 'marks'))).toBe(true);
    expect(await rig.run(['db', 'check'])).toMatchObject({ code: 0 });
  });

  test('an edited log is found when the run is driven, and by db check', async () => {
    await parkSigned();
    const db = new DatabaseSync(await databaseOf());
    db.prepare('UPDATE events SET body = replace(body, ?, ?) WHERE seq = 1').run('draft', 'drift');
    db.close();
    expect(await rig.run(['resume', RUN])).toMatchObject({ code: 6, stderr: expect.stringContaining('[RUN_DAMAGED]') });
    expect(await rig.run(['db', 'check'])).toMatchObject({ code: 1 });
  });
});

describe('pawl trust --sign', () => {
  const fresh = (): Record<string, string> => ({ PAWL_STATE: join(rig.folder, 'ci'), PAWL_TRUSTED_KEYS: join(rig.folder, 'keys.pub') });

  async function sign(): Promise<void> {
    rig.write('.pawl/workflows/review.ts', REVIEW);
    expect(await runSigned(rig, ['trust', '--sign'])).toMatchObject({ code: 0, stdout: expect.stringContaining('signed by ann') });
    const { stdout } = await rig.run(['identity', 'show', 'ann']);
    writeFileSync(join(rig.folder, 'keys.pub'), stdout);
  }

  test('a machine without a person runs only what an enrolled key signed', async () => {
    await sign();
    const started = (env: Record<string, string>) => rig.run(['run', 'review'], { env });
    expect(await started(fresh())).toMatchObject({ code: 3 });
    const { PAWL_STATE = '' } = fresh();
    expect(await started({ PAWL_STATE })).toMatchObject({ code: 4, stderr: expect.stringContaining('[NOT_TRUSTED]') });
    const { stdout } = await rig.run(['identity', 'show', 'mallory'], { env: { PAWL_STATE: foreign() } });
    writeFileSync(join(rig.folder, 'other.pub'), stdout);
    expect(await started({ ...fresh(), PAWL_TRUSTED_KEYS: join(rig.folder, 'other.pub') })).toMatchObject({ code: 4 });
    rig.write('.pawl/workflows/review.ts', `${REVIEW}\n// changed\n`);
    expect(await started(fresh())).toMatchObject({ code: 4, stderr: expect.stringContaining('[NOT_TRUSTED]') });
  });

  test('a key file that the project, a run or others could have written is refused', async () => {
    await sign();
    const started = (env: Record<string, string>) => rig.run(['run', 'review'], { env: { ...fresh(), ...env } });
    const inside = rig.write('keys.pub', readFileSync(join(rig.folder, 'keys.pub'), 'utf8'));
    expect(await started({ PAWL_TRUSTED_KEYS: inside })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('is inside the project'),
    });
    expect(await started({ PAWL_RUN: 'x' })).toMatchObject({ code: 4, stderr: expect.stringContaining('not allowed inside a run') });
    expect(await started({ PAWL_TRUSTED_KEYS: '../keys.pub' })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('absolute path'),
    });
    expect(await started({ PAWL_STATE: rig.state })).toMatchObject({ code: 2, stderr: expect.stringContaining('without enrolled keys') });
    // As the administrator the test gives it to another account; as anybody else it lets every account write it.
    const keys = join(rig.folder, 'keys.pub');
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(keys, 4242, 4242);
    else chmodSync(keys, 0o666);
    expect(await started({})).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(isRoot ? 'belongs to another user' : 'other users can write'),
    });
    rmSync(keys);
    mkdirSync(join(rig.folder, 'ci'), { recursive: true });
    writeFileSync(keys, 'hello\n');
    expect(await started({})).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a public key') });
  });
});
