// Where the database and the workspace lie, against everything that reads the workspace while other processes look at the
// runs, and against a machine that goes on under another name. In no place is a file of the database opened but by SQLite,
// nothing that was committed is lost, and no run stays locked.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig, type Start } from '../cli/rig.ts';

const ID = '00000000000000aa';
const RECORDER = pathToFileURL(join(import.meta.dirname, '../cli', 'open-recorder.ts')).href;
const CLI = join(import.meta.dirname, '../cli', 'start.js');

/** Every reader of a workspace: outputs, public interfaces, protected files, a gate with a report, subjects. */
const WORK = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: work }
protected: ["**/*"]
stages:
  - id: write
    type: agent
    agent: writer
    action: write
    may_change: ["**/*"]
    recovery: rerun
    outputs:
      - { name: all, type: file, pattern: "**/*", required: true }
  - id: judge
    type: gate
    conditions:
      - { check: command, run: "sh look.sh" }
      - { check: coverage, minimum: 1%, report: lcov.info }
  - id: again
    type: gate
    conditions:
      - { check: command, run: "sh look.sh" }
  - id: ask
    type: human
    prompt: Publish?
    subjects: ["**/*"]
`;
const LCOV = 'TN:\\nSF:a.js\\nDA:1,1\\nDA:2,1\\nend_of_record\\n';

let rig: CliRig;
let log: string;
beforeEach(() => {
  rig = new CliRig();
  log = join(rig.folder, 'opened.log');
});
afterEach(() => rig.close());

/** A place for the database: where it is, and what the agent does to lead readers of the workspace there. */
interface Placement {
  readonly name: string;
  /** Settings of the project. */
  readonly config?: string;
  readonly db: () => string;
  /** A shell line in the workspace; DB is the database. */
  readonly link?: string;
  readonly env?: () => Record<string, string>;
}

const inState = (): string => join(rig.state, 'runs.db');
const PLACES: readonly Placement[] = [
  { name: 'the state folder', db: inState },
  { name: 'the workspace', config: 'db: data/runs.db\n', db: () => join(rig.project, 'data', 'runs.db') },
  {
    name: 'the workspace, in a folder named by a link',
    config: 'db: linked/runs.db\n',
    db: () => join(rig.project, 'real', 'runs.db'),
  },
  {
    name: 'a home folder that is the project',
    db: () => join(rig.project, '.local', 'state', 'pawl', 'runs.db'),
    env: () => ({ PAWL_STATE: '', HOME: rig.project }),
  },
  {
    name: 'the state folder, with a hard link in the workspace',
    db: inState,
    link: 'ln "$DB" notes.db; ln "$DB-wal" wal.md; ln "$DB-shm" shm.md',
  },
  { name: 'the state folder, with a symbolic link in the workspace', db: inState, link: 'ln -s "$DB" notes.db; ln -s "$DB-shm" shm.md' },
];

/** Writes the project; the agent and the gates look at the runs with processes of their own, as people do meanwhile. */
function writeProject({ config = '', link = 'true', db }: Placement, hasGit: boolean): void {
  const look = `${JSON.stringify(process.execPath)} ${JSON.stringify(CLI)} runs --db ${JSON.stringify(db())} > /dev/null`;
  rig.write('.pawl/workflows/work.yaml', WORK);
  rig.write('.pawl/config.yaml', `${config}roles:\n  writer: { driver: command, argv: [sh, agent.sh] }\n`);
  rig.write('look.sh', `export PAWL_BUNDLE=${JSON.stringify(rig.env().PAWL_BUNDLE)}\n${look} && printf '${LCOV}' > lcov.info\n`);
  rig.write(
    'agent.sh',
    `DB=${JSON.stringify(db())}\ncat > /dev/null\n[ -e page.md ] || { ${link}; }\n[ ! -e die ] || { rm die; kill -9 $PPID; exit 1; }\necho page > page.md\nsh look.sh\necho '{"success": true, "output": {}}'\n`,
  );
  // A gate has no verdict on links that git would keep and that lead out of the tree.
  rig.write('.gitignore', 'notes.db\nshm.md\nwal.md\n');
  mkdirSync(join(rig.project, 'real'), { recursive: true });
  execFileSync('ln', ['-s', 'real', join(rig.project, 'linked')]);
  if (!hasGit) return;
  const git = (...words: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: rig.project });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'begin');
}

function trustProject(state: string): void {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  writeFileSync(join(state, 'trust.json'), JSON.stringify({ folders: { [rig.project]: new Date(0).toISOString() }, files: {} }));
}

const recorded = (db: string): Record<string, string> => ({ NODE_OPTIONS: `--import=${RECORDER}`, PAWL_RECORD: log, PAWL_RECORD_DB: db });
const opened = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');

/** What is on disk after the run, as another process reads it. */
async function expectWhole(db: string, options: Start): Promise<void> {
  const { steps, waits } = await rig.json<{ steps: { path: string; status: string }[]; waits: { kind: string }[] }>(
    ['show', ID, '--db', db],
    options,
  );
  expect(steps.map(({ path, status }) => [path, status])).toEqual([
    ['write#1', 'completed'],
    ['judge#1', 'completed'],
    ['again#1', 'completed'],
    ['ask#1', 'waiting'],
  ]);
  expect(waits.map(({ kind }) => kind)).toEqual(['human']);
  expect(await rig.run(['db', 'check', '--db', db], options)).toMatchObject({ code: 0 });
}

describe.each([
  ['with git', true],
  ['without git', false],
])('%s', (_, hasGit) => {
  test.each(PLACES)('a run keeps working with its database in $name', async (placement) => {
    writeProject(placement, hasGit);
    const env = placement.env?.() ?? {};
    trustProject(env.HOME === undefined ? rig.state : join(env.HOME, '.local', 'state', 'pawl'));
    const db = placement.db();
    const named = placement.config === undefined ? ['--db', db] : [];
    const ran = await rig.run(['run', 'work', '--id', ID, ...named], { env: { ...env, ...recorded(db) } });
    expect([ran.code, ran.stderr, opened()]).toEqual([3, '', '']);
    await expectWhole(db, { env });
  });
});

/** Whether this machine lets a user make namespaces of their own. */
const hasNamespaces = (): boolean => spawnSync('unshare', ['-rmupf', '--mount-proc', 'true']).status === 0;

/** What a machine is after a restart: it has another name, or the container of the run is gone and another one took its place. */
const RESTARTS = [
  { name: 'the machine got another name', namespaces: ['-ru'], isContainer: false },
  { name: 'its container was replaced', namespaces: ['-rupf', '--mount-proc'], isContainer: true },
];

describe.each(RESTARTS)('after $name', ({ namespaces, isContainer }) => {
  test.for(PLACES.slice(0, 4))('a run whose process was killed continues with its database in $name', async (placement, { skip }) => {
    if (!hasNamespaces()) skip('no namespace can be made here, so the machine keeps its name');
    writeProject(placement, false);
    rig.write('die', 'once');
    const env = placement.env?.() ?? {};
    trustProject(env.HOME === undefined ? rig.state : join(env.HOME, '.local', 'state', 'pawl'));
    const db = placement.db();
    const named = placement.config === undefined ? ['--db', db] : [];
    expect(await rig.start(['run', 'work', '--id', ID, ...named], { env }).ended).toMatchObject({ code: null });
    const resume = (): readonly [number | null, string] => {
      const line = ['sh', '-c', 'hostname elsewhere && exec "$@"', 'sh', ...rig.argv(['resume', ID, ...named])];
      const { status, stderr } = spawnSync('unshare', [...namespaces, ...line], { cwd: rig.project, env: rig.env(env), encoding: 'utf8' });
      return [status, stderr];
    };
    if (isContainer) {
      expect(resume()).toEqual([7, expect.stringContaining('of another container or machine, which counts as dead 60 s')]);
      const past = new Date(Date.now() - 70_000);
      for (const sign of readdirSync(`${db}.owners`)) utimesSync(join(`${db}.owners`, sign), past, past);
    }
    expect(resume()).toEqual([3, '']);
    await expectWhole(db, { env });
  });
});

test('a run keeps working with its database mounted into the workspace', async ({ skip }) => {
  if (!hasNamespaces()) skip('no namespace can be made here, so nothing can be mounted');
  const placement = {
    name: 'a mount',
    db: inState,
    link: 'touch notes.db shm.md; mount --bind "$DB" notes.db; mount --bind "$DB-shm" shm.md',
  };
  writeProject(placement, false);
  trustProject(rig.state);
  const words = ['-rm', process.execPath, CLI, 'run', 'work', '--id', ID, '--db', inState()];
  const ran = spawnSync('unshare', words, { cwd: rig.project, env: rig.env(recorded(inState())), encoding: 'utf8' });
  expect([ran.status, ran.stderr, opened()]).toEqual([3, '', '']);
  await expectWhole(inState(), {});
});
