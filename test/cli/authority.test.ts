// The authority matrix: everything that takes a person's right, by the table of rights, tried from every place where no
// person is. A row of the table without a case here fails the first test.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type RequiredRight, RIGHTS, SCOPES, type Scope } from '../../src/authority/rights.ts';
import { digestText } from '../../src/base/digest.ts';
import { digestOf, RUN, writeWorkflow } from './decision-runs.ts';
import { CliRig, type Ended, PERSON } from './rig.ts';

/** Fails until somebody fixes it, then asks, then leaves a mark. */
const GUARDED = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'guarded',
  params: {},
  steps: [
    { id: 'test', handler: () => { if (process.env.STUCK === 'yes') throw new Error('red'); return {}; }, next: 'ask' },
    { id: 'ask', human: { prompt: 'Publish?', options: [{ label: 'yes', nextStep: 'publish' }, { label: 'no', nextStep: null }] } },
    { id: 'publish', command: 'echo published >> marks', next: null },
  ],
});
`;
/** Passes a check, then leaves a mark. */
const CHECKED = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'checked',
  steps: [
    { id: 'check', gate: { checks: [{ check: 'command', run: 'true' }] }, next: { ok: 'mark', fail: null } },
    { id: 'mark', command: 'true', next: null },
  ],
});
`;
/** The runs that are tried: one waits for a person, one stopped at a failed step, one has ended, one is somebody else's. */
const ASKING = RUN;
const STUCK = 'bbbbbbbbbbbbbbb2';
const ENDED = 'eeeeeeeeeeeeeee3';
const OTHERS = 'ccccccccccccccc4';
const PASSED = 'ddddddddddddddd5';
const OLGA = 'pawl_of-olga';

/** A use of a verb that takes a right: the words, and how it ends for somebody who has the right. */
interface Case {
  readonly words: (at: Fixture) => readonly string[];
  readonly exit: number;
}

interface Fixture {
  readonly asking: string;
  readonly stuck: string;
  readonly digest: string;
  readonly backup: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'run --from': { words: () => ['run', 'guarded', '--from', 'publish'], exit: 3 },
  'run --output': { words: () => ['run', 'guarded', '--from', 'ask', '--output', 'test={}'], exit: 3 },
  'resume --retry': { words: ({ stuck }) => ['resume', stuck, '--retry'], exit: 3 },
  'resume --accept': { words: ({ stuck }) => ['resume', stuck, '--accept'], exit: 3 },
  'resume --to': { words: ({ stuck }) => ['resume', stuck, '--to', 'publish'], exit: 0 },
  'resume --output': { words: ({ stuck }) => ['resume', stuck, '--accept', '--output', '{}'], exit: 3 },
  'resume --extend': { words: ({ stuck }) => ['resume', stuck, '--retry', '--extend', '1'], exit: 3 },
  'resume --budget': { words: ({ asking }) => ['resume', asking, '--budget', 'turns=1'], exit: 3 },
  'resume --accept-changes': { words: ({ asking }) => ['resume', asking, '--accept-changes'], exit: 3 },
  retry: { words: ({ stuck }) => ['retry', stuck], exit: 3 },
  'retry --extend': { words: ({ stuck }) => ['retry', stuck, '--extend', '1'], exit: 3 },
  // There are none: whoever has the right is told so.
  'schedules pause': { words: () => ['schedules', 'pause', 'none'], exit: 2 },
  'schedules resume': { words: () => ['schedules', 'resume', 'none'], exit: 2 },
  'deliveries resend': { words: () => ['deliveries', 'resend', '1'], exit: 2 },
  'cancel --no-undo': { words: ({ asking }) => ['cancel', asking, '--no-undo'], exit: 0 },
  'fork --output': { words: ({ asking }) => ['fork', asking, '--from', 'ask', '--output', 'test={}', '--yes'], exit: 3 },
  decide: { words: ({ asking, digest }) => ['decide', asking, '--option', 'yes', '--yes', '--digest', digest], exit: 0 },
  approve: { words: ({ asking, digest }) => ['approve', asking, '--yes', '--digest', digest], exit: 0 },
  reject: { words: ({ asking, digest }) => ['reject', asking, '--yes', '--digest', digest], exit: 1 },
  prune: { words: () => ['prune', '--older-than', '0s', '--yes'], exit: 0 },
  'worktrees --force': { words: () => ['worktrees', '--clean', '--force', '--yes'], exit: 0 },
  restore: { words: ({ backup }) => ['restore', backup], exit: 0 },
  'restore --force': { words: ({ backup }) => ['restore', backup, '--force'], exit: 0 },
  'db adopt': { words: () => ['db', 'adopt'], exit: 0 },
  'data restore': { words: () => ['data', 'restore', 'saved.db'], exit: 0 },
  'data --allow-loss': { words: () => ['data', 'migrate', '--allow-loss'], exit: 0 },
  uninstall: { words: () => ['uninstall', '--yes'], exit: 0 },
  // These are let through, and then find nothing to settle or to answer in these runs.
  'resume --rerun': { words: ({ stuck }) => ['resume', stuck, '--rerun', 'test#1'], exit: 2 },
  'resume --done': { words: ({ stuck }) => ['resume', stuck, '--done', 'test#1'], exit: 2 },
  'resume --failed': { words: ({ stuck }) => ['resume', stuck, '--failed', 'test#1'], exit: 2 },
  answer: { words: ({ asking, digest }) => ['answer', asking, 'yes', '--yes', '--digest', digest], exit: 2 },
  'answer --assumption': {
    words: ({ asking, digest }) => ['answer', asking, 'x', '--assumption', 'a1', '--yes', '--digest', digest],
    exit: 2,
  },
  'answer --agree': { words: ({ asking, digest }) => ['answer', asking, '--agree', '--yes', '--digest', digest], exit: 2 },
  // It takes two rights, and a token of one scope has only one of them.
  'retry --accept-changes': { words: ({ stuck }) => ['retry', stuck, '--accept-changes'], exit: 4 },
};

/** Verbs that find out themselves whether they take a right, used so that they do. What is trusted elsewhere does no harm. */
const ASKED: readonly { readonly on: string; readonly scope: Scope; readonly words: readonly string[] }[] = [
  { on: 'trust', scope: 'trust', words: ['trust', '--yes'] },
  { on: 'trust --folder', scope: 'trust', words: ['trust', '--folder', '--yes'] },
  { on: 'token create', scope: 'trust', words: ['token', 'create', 'mallory'] },
  { on: 'identity create', scope: 'trust', words: ['identity', 'create', 'mallory'] },
  { on: 'access login', scope: 'trust', words: ['access', 'login'] },
  { on: 'access invite', scope: 'trust', words: ['access', 'invite', 'mallory', '--manages'] },
  { on: 'access token create', scope: 'trust', words: ['access', 'token', 'create', 'mallory', '--scope', 'decide'] },
  { on: 'access link', scope: 'trust', words: ['access', 'link', ASKING, '--for', 'mallory'] },
  { on: 'fork --from', scope: 'override', words: ['fork', PASSED, '--from', 'mark', '--yes'] },
  { on: 'cancel of another’s run', scope: 'override', words: ['cancel', OTHERS] },
  { on: 'pause of another’s run', scope: 'override', words: ['pause', OTHERS] },
  { on: 'forge review', scope: 'decide', words: ['forge', 'review', '1', '--approve', '--head', 'abc'] },
  { on: 'forge review --request-changes', scope: 'decide', words: ['forge', 'review', '1', '--request-changes', '--head', 'abc'] },
  { on: 'forge check', scope: 'decide', words: ['forge', 'check', '1', '--name', 'ci', '--conclusion', 'success', '--head', 'abc'] },
];

/** What is kept from runs and agents, and takes nothing else where it is one's own. */
const STEERED: Readonly<Record<string, readonly string[]>> = {
  cancel: ['cancel', ASKING],
  undo: ['undo', ASKING, '--to', 'ask'],
  pause: ['pause', ASKING],
  signal: ['signal', ASKING, 'go'],
  serve: ['serve', '--port', '0'],
  'trust --revoke': ['trust', '--revoke'],
  'token revoke': ['token', 'revoke', PERSON],
  'access revoke': ['access', 'revoke', PERSON],
  'backup --force': ['backup', 'marks.db', '--force'],
  'db migrate': ['db', 'migrate'],
  'data migrate': ['data', 'migrate'],
};

/** What the library offers a person, as a program calls it in a database of the user's. */
const ACTIONS: Readonly<Record<string, string>> = {
  decide: `engine.run('${ASKING}').decide({ option: 'yes', actor })`,
  answer: `engine.run('${ASKING}').answer({ answers: {}, actor })`,
  answerAssumption: `engine.run('${ASKING}').answerAssumption({ agree: true, actor })`,
  cancel: `engine.run('${ASKING}').cancel({ actor })`,
  pause: `engine.run('${ASKING}').pause({ actor })`,
  'resume, retry': `engine.run('${STUCK}').resume({ actor, choice: { how: 'retry' } })`,
  'resume, accept': `engine.run('${STUCK}').resume({ actor, choice: { how: 'accept' } })`,
  'resume, goto': `engine.run('${STUCK}').resume({ actor, choice: { how: 'goto', step: 'publish' } })`,
  'resume, budget': `engine.run('${ASKING}').resume({ actor, budget: { turns: 1 } })`,
  'resume, accept changes': `engine.run('${ASKING}').resume({ actor, acceptChanges: true })`,
  fork: `engine.run('${PASSED}').fork({ from: 'mark', actor })`,
  'start, from': `engine.start('guarded', {}, { from: 'publish', origin: { actor } })`,
  'start, outputs': `engine.start('guarded', {}, { from: 'ask', outputs: { test: {} }, origin: { actor } })`,
};
const OWN_STATE = 'with a state folder and a token of the caller’s own';

interface Row {
  readonly on: string;
  readonly demand: RequiredRight;
}

/** What the table has, a line per verb, option and action. */
const ROWS: readonly Row[] = Object.entries(RIGHTS).flatMap(([verb, { verb: own, options = {}, actions = {} }]) => [
  { on: verb, demand: own },
  ...Object.entries(options).map(([option, demand]) => ({ on: `${verb} --${option}`, demand })),
  ...Object.entries(actions).map(([action, demand]) => ({ on: `${verb} ${action}`, demand })),
]);
const isScope = (demand: RequiredRight): demand is Scope => (SCOPES as readonly string[]).includes(demand);
const SCOPED = ROWS.flatMap(({ on, demand }) => (isScope(demand) ? [{ on, scope: demand }] : []));

let rig: CliRig;
let fixture: Fixture;
let db: string;
beforeAll(async () => {
  rig = new CliRig();
  writeWorkflow(rig, GUARDED, 'guarded');
  writeWorkflow(rig, CHECKED, 'checked');
  writeTokens(rig.state);
  writeDatabase(rig.project);
  await start(ASKING, 'no');
  await start(STUCK, 'yes');
  await start(OTHERS, 'no', { PAWL_TOKEN: OLGA });
  expect(await rig.run(['run', 'checked', '--id', PASSED])).toMatchObject({ code: 0 });
  const { checks } = await rig.json<{ checks: readonly { id: string; what: string }[] }>(['doctor']);
  db = checks.find(({ id }) => id === 'database')?.what.split(' (')[0] ?? '';
  const backup = join(rig.folder, 'backup.db');
  await rig.run(['backup', backup]);
  fixture = { asking: ASKING, stuck: STUCK, digest: await digestOf(rig), backup };
  // It is not in the backup, so that a restore would lose it, and it has ended, so that it could be pruned.
  await start(ENDED, 'no');
  expect(await rig.run(['cancel', ENDED])).toMatchObject({ code: 0 });
});
afterAll(() => rig.close());

/** A protected database with a migration that loses data, and a backup. */
function writeDatabase(project: string): void {
  writeFileSync(join(project, '.pawl', 'config.yaml'), 'databases: { book: { path: book.db, migrations: migrations } }\n');
  mkdirSync(join(project, 'migrations'));
  writeFileSync(join(project, 'migrations', '1_drop.sql'), 'DROP TABLE chapters;\n');
  for (const name of ['book.db', 'saved.db']) {
    const book = new DatabaseSync(join(project, name));
    book.exec('CREATE TABLE chapters (id INTEGER PRIMARY KEY)');
    book.close();
  }
}

async function start(id: string, stuck: 'yes' | 'no', env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code, stderr } = await rig.run(['run', 'guarded', '--id', id], { env: { STUCK: stuck, ...env } });
  expect([code, stderr]).toEqual([stuck === 'yes' ? 8 : 3, expect.anything()]);
}

/** Writes a token per scope, one with all of them, one with all but each, and one that the rig need not make. */
function writeTokens(state: string): void {
  const sets: Scope[][] = [
    ...SCOPES.map((scope) => [scope]),
    [...SCOPES],
    ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope)),
  ];
  const tokens = sets.map((scopes) => ({
    name: scopes.length === SCOPES.length ? PERSON : scopes.join('-'),
    hash: digestText(secretOf(scopes)),
    createdAt: 0,
    expiresAt: Date.now() + 86_400_000,
    scopes,
  }));
  const olga = { name: 'olga', hash: digestText(OLGA), createdAt: 0, expiresAt: Date.now() + 86_400_000, scopes: [] };
  mkdirSync(state, { recursive: true, mode: 0o700 });
  writeFileSync(join(state, 'tokens.json'), JSON.stringify({ version: 1, tokens: [...tokens, olga] }), { mode: 0o600 });
}

const secretOf = (scopes: readonly Scope[]): string => `pawl_of-${scopes.join('-')}`;

/** Everything that a refused command must leave as it was: the records of all runs, and the files of state and project. */
async function everything(): Promise<unknown> {
  const { runs } = await rig.json<{ runs: readonly { id: string }[] }>(['runs', '--all']);
  const records: unknown[] = [];
  for (const { id } of runs) records.push(await rig.json(['logs', id]));
  return { runs, records, files: [...filesOf(rig.state), ...filesOf(rig.project)] };
}

/** The files below a folder with their contents, but for the database, whose contents are compared as records. */
function filesOf(folder: string): [path: string, digest: string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !/\.db(-wal|-shm)?$/.test(path))
    .map((path): [string, string] => [relative(rig.folder, path), createHash('sha256').update(readFileSync(path)).digest('hex')])
    .sort();
}

/** Runs commands in a terminal that a program opens, all in one process of it, and returns how each ended. */
async function inTerminal(commands: Commands, { env = {}, program = direct }: Partial<Opened> = {}): Promise<Ended[]> {
  const [file = '', ...words] = program([process.execPath, IN_TURN]);
  const all = { ...rig.env(env), PAWL_WORDS: JSON.stringify(commands.map(({ words }) => words)) };
  const pty = spawnTerminal(file, words, { cols: 400, cwd: rig.project, env: all });
  let printed = '';
  pty.onData((text) => {
    printed += text;
  });
  await new Promise<void>((resolve) => pty.onExit(() => resolve()));
  return parseTurns(printed);
}

/** What each command printed in a terminal, with its exit code; what came after the last is one more, which ended with none. */
function parseTurns(printed: string): Ended[] {
  const parts = printed.split(/\r?\n=== (\d+)\r?\n/);
  const codes = parts.flatMap((part, at) => (at % 2 === 1 ? [Number(part)] : []));
  const ended = codes.map((code, at) => ({ code, stdout: '', stderr: parts[at * 2] ?? '' }));
  const rest = parts.at(-1)?.trim() ?? '';
  return rest === '' ? ended : [...ended, { code: null, stdout: '', stderr: rest }];
}

/** Which program opens the terminal, and with which variables. */
interface Opened {
  readonly env: Readonly<Record<string, string>>;
  readonly program: (argv: readonly string[]) => readonly string[];
}
const direct: Opened['program'] = (argv) => argv;
const IN_TURN = join(import.meta.dirname, 'in-turn.js');

/** A shell that has a variable, and hides it from what it starts. */
const hiding = (variable: string): Partial<Opened> => ({
  env: { [variable]: 'x' },
  program: (argv) => ['sh', '-c', `env -u ${variable} "$@"; exit $?`, 'sh', ...argv],
});

/** A process that is called pawl and drives something, with no variable left. */
function driving(): Partial<Opened> {
  const driver = join(rig.folder, 'pawl.js');
  const call = `spawnSync(process.execPath, process.argv.slice(3), { stdio: 'inherit' })`;
  writeFileSync(driver, `process.exitCode = require('node:child_process').${call}.status;\n`);
  return { program: ([node = '', ...rest]) => [node, driver, 'run', ...rest] };
}

type Commands = readonly { readonly words: readonly string[]; readonly scope: Scope }[];
type Try = (commands: Commands) => Promise<Ended[]>;

/** Runs commands in pipes, each to its end. */
const inPipes =
  (call: (command: Commands[number]) => Promise<Ended>): Try =>
  async (commands) => {
    const ended: Ended[] = [];
    for (const command of commands) ended.push(await call(command));
    return ended;
  };

const PLACES: Readonly<Record<string, Try>> = {
  'in a pipe': inPipes(({ words }) => rig.run(words, { env: { PAWL_TOKEN: '' } })),
  'in a pipe with a token of every other scope': inPipes(({ words, scope }) =>
    rig.run(words, { env: { PAWL_TOKEN: secretOf(SCOPES.filter((other) => other !== scope)) } }),
  ),
  'in a terminal opened inside a run': (commands) => inTerminal(commands, { env: { PAWL_RUN: ASKING } }),
  'in a terminal of an agent': (commands) => inTerminal(commands, { env: { CLAUDECODE: '1' } }),
  'in a terminal whose shell hides that it belongs to a run': (commands) => inTerminal(commands, hiding('PAWL_MARK')),
  'in a terminal of a step that took the place of its shell': (commands) => inTerminal(commands, driving()),
  [OWN_STATE]: inPipes(({ words }) =>
    rig.run([...words, '--db', db], { env: { PAWL_STATE: join(rig.folder, 'own'), PAWL_TOKEN: secretOf(SCOPES) } }),
  ),
};

/** The places inside a run or an agent, where nothing is steered but one's own run. */
const INSIDE = Object.keys(PLACES).filter((place) => place.startsWith('in a terminal'));

/** What a program with these variables gets from each action of the library, by its error; `done` where there is none. */
async function fromLibrary(env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const script = `
    import { createEngine, defineWorkflow } from ${JSON.stringify(pathToFileURL(join(inject('bundle'), 'index.mjs')).href)};
    const actor = 'mallory';
    const ids = ['test', 'ask', 'publish'];
    const steps = Object.fromEntries(ids.map((id, at) => [id, { handler: () => ({}), next: ids[at + 1] ?? null }]));
    const guarded = defineWorkflow({ name: 'guarded', steps });
    const engine = await createEngine({ db: ${JSON.stringify(db)}, workflows: [guarded], drives: 'own', warn: () => undefined });
    const came = {};
    for (const [name, action] of Object.entries({ ${Object.entries(ACTIONS)
      .map(([name, call]) => `${JSON.stringify(name)}: () => ${call}`)
      .join(', ')} }))
      came[name] = await action().then(() => 'done', ({ code, message }) => code ?? message);
    console.log(JSON.stringify(came));
    await engine.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env: rig.env(env) });
  return JSON.parse(stdout) as Record<string, string>;
}

describe('commands that need a right', () => {
  test('each command of the table of rights has a test here', () => {
    expect(Object.keys(CASES).sort()).toEqual(SCOPED.map(({ on }) => on).sort());
  });

  test.each(Object.keys(PLACES))('is refused %s, and nothing changes', async (place) => {
    const own = join(rig.folder, 'own');
    writeTokens(own);
    writeFileSync(join(own, 'trust.json'), JSON.stringify({ folders: { [rig.project]: new Date(0).toISOString() }, files: {} }));
    const before = await everything();
    const attempt = PLACES[place] as Try;
    const scoped = SCOPED.map(({ on, scope }) => ({ on, scope, words: (CASES[on] as Case).words(fixture) }));
    const rows = place === OWN_STATE ? scoped : [...scoped, ...ASKED];
    const ended = (await attempt(rows)).map(({ code, stdout, stderr }, at) => {
      return { on: rows[at]?.on, code, why: /NOT_ALLOWED|STORE_FOREIGN/.exec(stdout + stderr)?.[0] ?? stdout + stderr };
    });
    expect(ended).toEqual(rows.map(({ on }) => ({ on, code: 4, why: expect.stringMatching(/^(NOT_ALLOWED|STORE_FOREIGN)$/) })));
    expect(await everything()).toEqual(before);
  });

  test.each(INSIDE)('is refused %s, and nothing changes', async (place) => {
    expect(Object.keys(STEERED).sort()).toEqual(ROWS.flatMap(({ on, demand }) => (demand === 'steer' ? [on] : [])).sort());
    const before = await everything();
    const steered = Object.keys(STEERED);
    const commands = Object.values(STEERED).map((words) => ({
      // The run of the first two is not the one that the place belongs to.
      words: words.map((word) => (place.includes('opened inside a run') && word === ASKING ? STUCK : word)),
      scope: 'override' as const,
    }));
    const ended = (await (PLACES[place] as Try)(commands)).map(({ code, stdout, stderr }, at) => {
      return { on: steered[at], code, why: /NOT_ALLOWED/.exec(stdout + stderr)?.[0] ?? stdout + stderr };
    });
    expect(ended).toEqual(steered.map((on) => ({ on, code: 4, why: 'NOT_ALLOWED' })));
    expect(await everything()).toEqual(before);
  });

  test.each([{ PAWL_RUN: ASKING }, { CLAUDECODE: '1' }])(
    'is refused to a program of the library inside %o, and nothing changes',
    async (env) => {
      const before = await everything();
      expect(await fromLibrary(env)).toEqual(Object.fromEntries(Object.keys(ACTIONS).map((name) => [name, 'NOT_ALLOWED'])));
      expect(await everything()).toEqual(before);
    },
  );

  test('another’s run is cancelled with a token that has the scope, and one’s own by whoever started it', async () => {
    const [first, second] = ['f000000000000001', 'f000000000000002'];
    for (const id of [first, second]) await start(id, 'no', { PAWL_TOKEN: OLGA });
    expect(await rig.run(['pause', first])).toMatchObject({ code: 4, stderr: expect.stringContaining('a run that olga started') });
    expect(await rig.run(['pause', first], { env: { PAWL_TOKEN: secretOf(['override']) } })).toMatchObject({ code: 0 });
    expect(await rig.run(['cancel', first], { env: { PAWL_TOKEN: secretOf(['override']) } })).toMatchObject({ code: 0 });
    expect(await rig.run(['cancel', second], { env: { PAWL_TOKEN: OLGA } })).toMatchObject({ code: 0 });
  });

  test('needs a token with exactly that scope', async () => {
    const done = async ({ on, scope }: (typeof SCOPED)[number]): Promise<object> => {
      const { words, exit } = CASES[on] as Case;
      const needs = (name: keyof Fixture): boolean => words({ ...fixture, [name]: '?' }).includes('?');
      const run = digestText(on).slice(0, 16);
      if (needs('asking') || needs('stuck')) await start(run, needs('stuck') ? 'yes' : 'no');
      const digest = needs('digest') ? await digestFor(run) : '';
      const env = { PAWL_TOKEN: secretOf([scope]) };
      const { code, stderr } = await rig.run(words({ ...fixture, asking: run, stuck: run, digest }), { env });
      return { on, code, stderr: code === exit ? '' : stderr };
    };
    // What is done to the whole database comes after everything else.
    const [upkeep, first] = [SCOPED.filter(({ scope }) => scope === 'upkeep'), SCOPED.filter(({ scope }) => scope !== 'upkeep')];
    const last = upkeep.toSorted((one, other) => Number(one.on === 'uninstall') - Number(other.on === 'uninstall'));
    const ended: object[] = [];
    for (const row of [...first, ...last]) ended.push(await done(row));
    expect(ended).toEqual([...first, ...last].map(({ on }) => ({ on, code: CASES[on]?.exit, stderr: '' })));
  });
});

async function digestFor(run: string): Promise<string> {
  const { approvals } = await rig.json<{ approvals: readonly { digest: string }[] }>(['inbox', run]);
  return approvals[0]?.digest ?? '';
}
