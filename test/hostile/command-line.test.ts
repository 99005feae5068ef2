// Attacks through the command line, end to end: what agents tried to get past a gate and an approval, and what a program
// that acts under the user's account can do. docs/guides/trust-model.md names these tests.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/authority/rights.ts';
import { digestText } from '../../src/base/digest.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { tokenIn } from '../cli/attended-runs.ts';
import { digestOf, RUN, tokenOf, writeWorkflow } from '../cli/decision-runs.ts';
import { createIdentity, runSigned } from '../cli/identity-rig.ts';
import { CliRig } from '../cli/rig.ts';

/** An agent works, tests judge it, a person approves, and only then it is published. */
const RELEASE = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'release',
  steps: [
    { id: 'work', agent: 'dev', prompt: 'Mend it.', next: 'test' },
    { id: 'test', gate: { checks: ['test -f fixed'] }, next: 'ask' },
    { id: 'ask', human: { prompt: 'Publish?', options: [{ label: 'yes', nextStep: 'publish' }, { label: 'no', nextStep: null }] } },
    { id: 'publish', command: 'echo published >> marks', next: null },
  ],
});
`;

/** Only the approval and what is behind it. */
const APPROVAL = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'approval',
  steps: [
    { id: 'ask', human: { prompt: 'Publish?', options: [{ label: 'yes', nextStep: 'publish' }, { label: 'no', nextStep: null }] } },
    { id: 'publish', command: 'echo published >> marks', next: null },
  ],
});
`;

/** A state folder with the key of ann, and one with a key that mallory made: each key takes its time. */
let home: CliRig;
const annState = (): string => join(home.folder, 'ann');
const malloryState = (): string => join(home.folder, 'mallory');
beforeAll(async () => {
  home = new CliRig();
  await createIdentity(home, 'ann', { PAWL_STATE: annState() });
  await createIdentity(home, 'mallory', { PAWL_STATE: malloryState() });
});
afterAll(() => home.close());

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const NOBODY = { PAWL_TOKEN: '' };
const refused = { code: 4, stderr: expect.stringContaining('[NOT_ALLOWED]') };
const isPublished = (): boolean => existsSync(join(rig.project, 'marks'));

async function statusOf(run = RUN): Promise<string> {
  return (await rig.json<{ run: { status: string } }>(['show', run])).run.status;
}

/** Starts a run that waits for its approval, in a project that takes signatures or does not. */
async function park(decisions: 'signed' | 'unsigned', run = RUN): Promise<void> {
  if (decisions === 'signed') {
    if (!existsSync(rig.state)) cpSync(annState(), rig.state, { recursive: true });
    rig.write('.pawl/config.yaml', 'decisions: signed\n');
  }
  writeWorkflow(rig, APPROVAL, 'approval');
  expect(await rig.run(['run', 'approval', '--id', run])).toMatchObject({ code: 3, stderr: '' });
}

async function databaseOf(): Promise<string> {
  const { checks } = await rig.json<{ checks: readonly { id: string; what: string }[] }>(['doctor']);
  return checks.find(({ id }) => id === 'database')?.what.split(' (')[0] ?? '';
}

describe('an agent that was handed a step, without terminal or token', () => {
  beforeEach(async () => {
    writeWorkflow(rig, RELEASE, 'release');
  });

  test('an agent that was handed a step, without terminal or token, does not get past the gate and the approval by failing and resuming elsewhere', async () => {
    const { stdout } = await rig.run(['run', 'release', '--attended', '--id', RUN]);
    const failed = await rig.run(['fail', RUN, `--token=${tokenIn(stdout)}`, '--reason', 'I cannot']);
    expect(failed.stderr).not.toContain('[USAGE]');
    expect(await statusOf()).toBe('escalated');
    expect(await rig.run(['resume', RUN, '--to', 'publish'], { env: NOBODY })).toMatchObject(refused);
    expect(await rig.run(['resume', RUN, '--accept'], { env: NOBODY })).toMatchObject(refused);
    expect([await statusOf(), isPublished()]).toEqual(['escalated', false]);
  });

  test('an agent that was handed a step, without terminal or token, does not have a step accepted that the gate refused', async () => {
    const { stdout } = await rig.run(['run', 'release', '--attended', '--id', RUN]);
    await rig.run(['done', RUN, `--token=${tokenIn(stdout)}`, '--result', '{}']);
    const before = await rig.json(['logs', RUN]);
    expect(await rig.run(['resume', RUN, '--accept'], { env: NOBODY })).toMatchObject(refused);
    expect(await rig.json(['logs', RUN])).toEqual(before);
    expect([await statusOf(), isPublished()]).toEqual(['escalated', false]);
  });

  test('an agent that was handed a step, without terminal or token, does not start a run after the gate and the approval', async () => {
    expect(await rig.run(['run', 'release', '--from', 'publish'], { env: NOBODY })).toMatchObject(refused);
    expect((await rig.json<{ runs: readonly object[] }>(['runs', '--all'])).runs).toEqual([]);
    expect(isPublished()).toBe(false);
  });

  test('an agent that was handed a step, without terminal or token, does not trust the workflow that it has edited', async () => {
    rmSync(join(rig.state, 'trust.json'));
    expect(await rig.run(['trust', '--yes'])).toMatchObject({ code: 0 });
    const trusted = readFileSync(join(rig.state, 'trust.json'), 'utf8');
    rig.write('.pawl/workflows/release.ts', APPROVAL.replace("'approval'", "'release'"));
    expect(await rig.run(['trust', '--yes'], { env: NOBODY })).toMatchObject(refused);
    const script = rig.terminal(['trust', '--yes'], { env: { PAWL_RUN: RUN } });
    expect(await script.ended).toBe(4);
    expect(await rig.run(['run', 'release'])).toMatchObject({ code: 4, stderr: expect.stringContaining('[NOT_TRUSTED]') });
    expect(readFileSync(join(rig.state, 'trust.json'), 'utf8')).toBe(trusted);
  });
});

describe('a step of a run that opens a terminal', () => {
  /** A real step, with the variables that steps have, in a terminal that `script` opens. */
  async function fromStep(command: string, shell = 'sh'): Promise<string> {
    const settings = Object.entries(rig.env()).map(([name, value]) => `${name}='${value}'`);
    const words = [...rig.argv(command.split(' '))].map((word) => `'${word}'`).join(' ');
    const line = `env ${settings.join(' ')} ${words}; echo $? > code`;
    rig.write('attack.sh', `exec script -qec "${line.replaceAll('$', '\\$')}" /dev/null > printed 2>&1\n`);
    const step = `defineWorkflow({ name: 'attack', steps: [{ id: 'only', command: '${shell} attack.sh', next: null }] })`;
    rig.write('.pawl/workflows/attack.ts', `import { defineWorkflow } from 'pawl/compat';\nexport default ${step};\n`);
    expect(await rig.run(['run', 'attack'])).toMatchObject({ code: 0 });
    const read = (name: string): string => readFileSync(join(rig.project, name), 'utf8');
    return `${read('code').trim()} ${read('printed')}`;
  }

  test('a step of a run that opens a terminal neither decides nor creates a token there', async () => {
    await park('unsigned');
    expect(await fromStep(`approve ${RUN} -y`)).toMatch(/^4 [\s\S]*this terminal belongs to a step of run/);
    expect(await fromStep('token create mallory')).toMatch(/^4 [\s\S]*this terminal belongs to a step of run/);
    expect(existsSync(join(rig.state, 'tokens.json'))).toBe(false);
    expect([await statusOf(), isPublished()]).toEqual(['waiting', false]);
  });

  test('a step of a run that opens a terminal neither decides nor creates a token, even after it replaced its shell and cleared its environment', async () => {
    await park('unsigned');
    const clean = `exec env -i PATH="$PATH" sh`;
    expect(await fromStep(`approve ${RUN} -y`, clean)).toMatch(/^4 [\s\S]*this terminal belongs to a step of run/);
    expect(await fromStep('token create mallory', clean)).toMatch(/^4 [\s\S]*this terminal belongs to a step of run/);
    expect(existsSync(join(rig.state, 'tokens.json'))).toBe(false);
    expect([await statusOf(), isPublished()]).toEqual(['waiting', false]);
  });

  test('a step of a run that opens a terminal cancels or pauses its own run, and no other by claiming to work in it', async () => {
    await park('unsigned');
    const forged = `exec env -i PATH="$PATH" PAWL_RUN=${RUN} sh`;
    for (const verb of ['cancel', 'pause']) expect(await fromStep(`${verb} ${RUN}`, forged)).toMatch(/^4 [\s\S]*NOT_ALLOWED/);
    const agent = { env: { CLAUDECODE: '1', PAWL_RUN: RUN } };
    expect(await rig.run(['cancel', RUN], agent)).toMatchObject({ code: 4 });
    expect(await statusOf()).toBe('waiting');
  });
});

interface Attempt {
  readonly code: number;
  readonly printed: string;
  readonly isAsked: boolean;
}

/** Has a daemon try commands: it left its session, has nothing in its environment, and its parent has exited. */
async function byDaemon(commands: readonly (readonly string[])[]): Promise<readonly Attempt[]> {
  const socket = join(rig.folder, 'daemon.sock');
  const server = createServer({ allowHalfOpen: true }).listen(socket);
  try {
    const order = JSON.stringify({ argv: rig.argv([]), cwd: rig.project, env: rig.env(), commands });
    const words = [process.execPath, join(import.meta.dirname, 'daemon.js'), socket, order];
    const connected = once(server, 'connection');
    const parent = spawn('sh', ['-c', 'setsid env -i "$@" > /dev/null 2>&1 < /dev/null &', 'sh', ...words], { stdio: 'ignore' });
    await once(parent, 'exit');
    const [daemon] = await connected;
    daemon.end();
    return JSON.parse(await text(daemon));
  } finally {
    server.close();
  }
}

describe('a daemon with a clean environment and a terminal of its own', () => {
  const COMMANDS = [
    ['token', 'create', 'mallory', '--scope', 'override'],
    ['approve', RUN, '-y'],
  ];

  test('a daemon with a clean environment and a terminal of its own decides and creates a token where no signatures are required', async () => {
    await park('unsigned');
    const ended = await byDaemon(COMMANDS);
    expect(ended.map(({ code, isAsked }) => [code, isAsked])).toEqual([
      [0, false],
      [0, false],
    ]);
    expect([await statusOf(), isPublished()]).toEqual(['completed', true]);
  });

  test('a daemon with a clean environment and a terminal of its own cannot decide or create a token under decisions: signed', async () => {
    await park('signed');
    const ended = await byDaemon([...COMMANDS, ['run', 'approval', '--from', 'publish'], ['prune', '--older-than', '0s', '-y']]);
    expect(ended.map(({ code, isAsked }) => [code, isAsked])).toEqual([
      [4, true],
      [4, true],
      [4, true],
      [4, true],
    ]);
    expect([await statusOf(), isPublished()]).toEqual(['waiting', false]);
    expect((await rig.json<{ runs: readonly object[] }>(['runs', '--all'])).runs).toHaveLength(1);
  });
});

describe('a daemon that goes to another folder', () => {
  test('a daemon that goes to another folder neither trusts nor manages a project that requires signatures', async () => {
    await park('signed');
    const elsewhere = join(rig.folder, 'elsewhere');
    mkdirSync(join(elsewhere, '.pawl'), { recursive: true });
    const [db, file] = [await databaseOf(), join(rig.project, '.pawl', 'workflows', 'approval.ts')];
    const backup = join(rig.folder, 'backup.db');
    expect(await rig.run(['backup', backup])).toMatchObject({ code: 0 });
    rmSync(join(rig.state, 'trust.json'));
    const there = ['--project', elsewhere];
    const ended = await byDaemon([
      ['trust', file, '-y', ...there],
      ['trust', '--folder', '-y', '--project', rig.folder],
      ['run', file, '--from', 'publish', ...there],
      ['prune', '--older-than', '0s', '-y', '--db', db, ...there],
      ['restore', backup, '--force', '--db', db, ...there],
      ['approve', RUN, '-y', '--db', db, ...there],
    ]);
    expect(ended.map(({ code, isAsked }) => [code, isAsked])).toEqual(ended.map(() => [4, true]));
    expect(existsSync(join(rig.state, 'trust.json'))).toBe(false);
    expect([await statusOf(), isPublished()]).toEqual(['waiting', false]);
  });
});

describe('somebody who writes the state folder', () => {
  /** A token that nobody made at a terminal. */
  function writeToken(): string {
    const row = { name: 'mallory', hash: digestText('pawl_forged'), createdAt: 0, expiresAt: Date.now() + 60_000, scopes: SCOPES };
    writeFileSync(join(rig.state, 'tokens.json'), JSON.stringify({ version: 1, tokens: [row] }), { mode: 0o600 });
    return 'pawl_forged';
  }

  test('somebody who writes the state folder decides with a token of their own where no signatures are required', async () => {
    await park('unsigned');
    const env = { PAWL_TOKEN: writeToken() };
    expect(await rig.run(['approve', RUN, '--digest', await digestOf(rig)], { env })).toMatchObject({ code: 0 });
    expect([await statusOf(), isPublished()]).toEqual(['completed', true]);
  });

  test('somebody who writes the state folder cannot decide with a token of their own under decisions: signed', async () => {
    await park('signed');
    const env = { PAWL_TOKEN: writeToken() };
    expect(await rig.run(['approve', RUN, '--digest', await digestOf(rig)], { env })).toMatchObject(refused);
    expect([await statusOf(), isPublished()]).toEqual(['waiting', false]);
  });

  test('somebody who writes the state folder decides from a copy of it where no signatures are required, and not under decisions: signed', async () => {
    const fromCopy = async (run: string): Promise<number | null> => {
      const env = { PAWL_TOKEN: writeToken(), PAWL_STATE: join(rig.folder, `copy-${run}`) };
      cpSync(rig.state, env.PAWL_STATE, { recursive: true });
      const { approvals } = await rig.json<{ approvals: readonly { digest: string }[] }>(['inbox', run]);
      const words = ['approve', run, '--digest', approvals[0]?.digest ?? '', '--db', await databaseOf()];
      return (await rig.run(words, { env })).code;
    };
    cpSync(annState(), rig.state, { recursive: true });
    await park('unsigned');
    expect([await fromCopy(RUN), isPublished()]).toEqual([0, true]);
    const later = 'ddddddddddddddd4';
    await park('signed', later);
    expect([await fromCopy(later), await statusOf(later)]).toEqual([4, 'waiting']);
  });

  test('somebody who writes the state folder trusts an edited workflow, also under decisions: signed', async () => {
    await park('signed');
    rmSync(join(rig.state, 'trust.json'));
    const edited = APPROVAL.replace(/\{ id: 'ask'.*\n/, '');
    rig.write('.pawl/workflows/approval.ts', edited);
    expect(await rig.run(['run', 'approval'])).toMatchObject({ code: 4, stderr: expect.stringContaining('[NOT_TRUSTED]') });
    writeWorkflow(rig, edited, 'approval');
    expect(await rig.run(['run', 'approval'])).toMatchObject({ code: 0 });
    expect(isPublished()).toBe(true);
  });

  test('somebody who writes the state folder replaces the list of keys: runs under way take no new key, runs that begin afterwards do', async () => {
    await park('signed');
    rmSync(join(rig.state, 'identities.json.sum'));
    for (const name of ['identities', 'identities.json']) {
      rmSync(join(rig.state, name), { recursive: true });
      cpSync(join(malloryState(), name), join(rig.state, name), { recursive: true });
    }
    const under = await runSigned(rig, ['approve', RUN, '--digest', await digestOf(rig)]);
    expect(under).toMatchObject({ code: 4, stderr: expect.stringContaining('was not enrolled when the run started') });
    expect([await statusOf(), isPublished()]).toEqual(['waiting', false]);
    const later = 'ddddddddddddddd4';
    await park('signed', later);
    const { approvals } = await rig.json<{ approvals: readonly { digest: string }[] }>(['inbox', later]);
    expect(await runSigned(rig, ['approve', later, '--digest', approvals[0]?.digest ?? ''])).toMatchObject({ code: 0 });
    expect([await statusOf(later), isPublished()]).toEqual(['completed', true]);
  });
});

describe('somebody who writes into the database', () => {
  /** Puts an approval in the name of ann where decisions arrive. */
  async function forgeDecision(): Promise<void> {
    const { approvals } = await rig.json<{ approvals: readonly { digest: string }[] }>(['inbox', RUN]);
    const store = await openSqliteStore({ file: await databaseOf() });
    const digest = approvals[0]?.digest ?? '';
    const input = { type: 'decided', at: Date.now(), path: 'ask#1', option: 'yes', digest, actor: 'ann' } as const;
    expect(await store.post({ run: RUN, dedupe: 'forged', input, values: [] })).toBe('posted');
    await store.close();
  }

  test('somebody who writes into the database decides in the name of another where no signatures are required', async () => {
    await park('unsigned');
    await forgeDecision();
    expect(await rig.run(['resume', RUN])).toMatchObject({ code: 0 });
    expect([await statusOf(), isPublished()]).toEqual(['completed', true]);
  });

  test('somebody who writes into the database is ignored, on record, under decisions: signed', async () => {
    await park('signed');
    await forgeDecision();
    expect(await rig.run(['resume', RUN])).toMatchObject({ code: 3 });
    expect([await statusOf(), isPublished()]).toEqual(['waiting', false]);
    expect((await rig.run(['logs', RUN])).stdout).toContain('ignored');
  });
});

test('a token that was stolen decides where no signatures are asked for', async () => {
  await park('unsigned');
  const env = { PAWL_TOKEN: await tokenOf(rig, 'ann'), PAWL_RUN: RUN };
  expect(await rig.run(['approve', RUN, '--digest', await digestOf(rig)], { env })).toMatchObject({ code: 0 });
  expect(isPublished()).toBe(true);
});

test('every test that the trust model names is here', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/trust-model.md'), 'utf8');
  const cells = guide.split('\n').flatMap((line) => (line.startsWith('|') ? [line.split('|').at(-2) ?? ''] : []));
  const named = cells.flatMap((cell) => [...cell.replaceAll(/`[^`]+` "[^"]+"/g, '').matchAll(/"([^"]+)"/g)].map(([, name = '']) => name));
  const source = readFileSync(import.meta.filename, 'utf8');
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !source.includes(`test('${name}'`))).toEqual([]);
});
