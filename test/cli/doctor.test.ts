import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPrivateFile } from '../../src/base/sqlite.ts';
import { formatIdentity, identityOf, type ProcessIdentity } from '../../src/process/identity.ts';
import { writePidFile } from '../../src/process/pid-file.ts';
import { MARK_VARIABLE } from '../../src/process/process-table.ts';
import { defineSum } from '../../src/store/sqlite/seals.ts';
import { HELD, kill, runId, startHolder, writeRuns } from './kept-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
let db: string;

beforeEach(() => {
  rig = new CliRig();
  db = join(rig.state, 'data', 'runs.db');
});
afterEach(() => rig.close());

interface Check {
  readonly id: string;
  readonly status: string;
  readonly what: string;
  readonly hint?: string;
}
interface Report {
  readonly code: number | null;
  readonly ok: boolean;
  readonly checks: readonly Check[];
}
const doctor = (...words: string[]): Promise<Report> => rig.json<Report>(['doctor', '--db', db, ...words]);
const found = ({ checks }: Report): Check[] => checks.filter(({ status }) => status !== 'ok');
const idsOf = ({ checks }: Report): string[] => checks.map(({ id }) => id);

describe('when everything is in order', () => {
  test('without a database doctor says where it would be, and creates none', async () => {
    const report = await rig.json<Report>(['doctor']);
    expect([report.code, report.ok, found(report)]).toEqual([0, true, []]);
    expect(idsOf(report)).toEqual([
      'pawl',
      'node',
      'git',
      'network',
      'terminal',
      'project',
      'settings',
      'state',
      'workflows',
      'roles',
      'database',
      'disk',
    ]);
    expect(report.checks.find(({ id }) => id === 'database')?.what).toMatch(
      new RegExp(`^${rig.state}/project-[0-9a-f]{12}/runs\\.db \\(in the state directory of this project\\); no runs yet$`),
    );
    expect(existsSync(rig.state)).toBe(false);
  });

  test('an intact database is reported with its size and version, and is not changed', async () => {
    await writeRuns(db, ['completed', 'waiting']);
    const before = readFileSync(db);
    const report = await doctor();
    expect([report.code, found(report)]).toEqual([0, []]);
    expect(report.checks.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/runs\.db \(from --db\); 2 runs, [\d.]+ kB$/),
        expect.stringMatching(/^database version \d+, journal: wal$/),
        'every page, log, value and checkpoint is intact',
      ]),
    );
    expect(readFileSync(db).equals(before)).toBe(true);
  });

  test('doctor prints a line per check, on 80 columns and without UTF-8', async () => {
    await writeRuns(db, ['completed']);
    const { code, stdout } = await rig.run(['doctor', '--db', db], { env: { LANG: 'C' } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok Pawl \S+\nok Node v24\S+ for /)]);
    expect(stdout).toMatch(/\nNo problems found\.\n$/);
    const terminal = rig.terminal(['doctor', '--db', db]);
    expect(await terminal.ended).toBe(0);
    const wide = terminal
      .text()
      .split('\n')
      .filter((line) => line.length > 80 && line.trim().includes(' ') && !line.includes('/'));
    expect(wide).toEqual([]);
  });
});

describe('the processes that drive runs', () => {
  test('a run of a live process is fine; after kill -9 it is an orphan, with the command that continues it', async () => {
    const holder = await startHolder(db);
    const alive = await doctor();
    expect([alive.code, alive.checks.find(({ id }) => id === 'owner')?.what]).toEqual([
      0,
      expect.stringContaining(`run ${HELD} is driven by process ${holder.pid}; `),
    ]);
    await kill(holder);
    const dead = await doctor();
    expect([dead.code, found(dead)]).toEqual([
      1,
      [{ id: 'orphan', status: 'warning', what: expect.stringContaining(HELD), hint: `pawl resume ${HELD}` }],
    ]);
  });

  test('a run that ended before its process died needs nothing', async () => {
    await writeRuns(db, ['completed']);
    const raw = new DatabaseSync(db);
    defineSum(raw);
    const gone = `${formatIdentity({ ...(identityOf() as ProcessIdentity), start: '1' })}#1`;
    raw.prepare('UPDATE runs SET owner = ?').run(gone);
    raw.close();
    const report = await doctor();
    expect(found(report).map(({ id }) => id)).not.toContain('orphan');
    expect(report.checks.find(({ id }) => id === 'owner')?.what).toContain(`run ${runId(1)} is completed`);
  });

  test('a run with unprocessed requests that no process drives is shown, unless it has ended', async () => {
    await writeRuns(db, ['waiting', 'completed']);
    const { openSqliteStore } = await import('../../src/store/sqlite/open.ts');
    const store = await openSqliteStore({ file: db });
    for (const n of [1, 2]) await store.post({ run: runId(n), dedupe: 'a', input: { type: 'signalled', at: 0, name: 'a' }, values: [] });
    await store.close();
    expect(found(await doctor())).toMatchObject([{ id: 'due', hint: `pawl resume ${runId(1)}` }]);
  });

  test('doctor names processes that a dead engine left running', async () => {
    await writeRuns(db, ['completed']);
    const engine = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)'], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(engine.stdout, 'data');
    const owner = identityOf(engine.pid);
    await kill(engine);
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, [MARK_VARIABLE]: 'r1/build#1/1' },
    });
    try {
      await once(left.stdout, 'data');
      const first = identityOf(left.pid) as NonNullable<typeof owner>;
      writePidFile(`${db}.pids`, { mark: 'r1/build#1/1', first, owner: owner as NonNullable<typeof owner> });
      expect(found(await doctor())).toMatchObject([{ id: 'processes', what: expect.stringContaining(`engine died: ${left.pid}`) }]);
    } finally {
      await kill(left);
    }
    expect(found(await doctor())).toEqual([]);
  });
});

describe('a damaged file', () => {
  test('doctor names a damaged run, no other run, and makes the other checks', async () => {
    await writeRuns(db, ['completed', 'completed']);
    const raw = new DatabaseSync(db);
    raw.exec("UPDATE runs SET state = state || ' ' WHERE key = 2");
    raw.close();
    const report = await doctor();
    expect([report.code, found(report).map(({ id, what }) => [id, what.includes(runId(2))])]).toEqual([1, [['integrity', true]]]);
    expect(idsOf(report)).toContain('disk');
  });

  test('doctor finds an overwritten page', async () => {
    await writeRuns(db, ['completed', 'completed']);
    const bytes = readFileSync(db);
    bytes.fill(0xff, 4096 * 4, 4096 * 5);
    writeFileSync(db, bytes);
    const report = await doctor();
    expect([report.ok, report.code === 0]).toEqual([false, false]);
    expect(idsOf(report)).toEqual(expect.arrayContaining(['node', 'project', 'database', 'disk']));
  });

  test('doctor exits with 6 for a file that is no database, and makes the other checks', async () => {
    mkdirSync(dirname(db), { recursive: true, mode: 0o700 });
    writeFileSync(db, 'hello '.repeat(1000), { mode: 0o600 });
    const report = await doctor();
    expect([report.code, found(report)]).toMatchObject([
      6,
      [{ id: 'database', status: 'problem', hint: expect.stringContaining('pawl restore') }],
    ]);
    expect(idsOf(report)).toEqual(expect.arrayContaining(['node', 'project', 'disk']));
  });

  test('doctor does not migrate a file of an older version', async () => {
    createPrivateFile(db);
    expect(found(await doctor())).toMatchObject([{ id: 'version', hint: expect.stringContaining('pawl db migrate') }]);
    expect(statSync(db).size).toBe(0);
    expect(readdirSync(dirname(db)).filter((name) => name.includes('backup'))).toEqual([]);
  });

  test('doctor warns about files that others can read, with the command that fixes it', async () => {
    await writeRuns(db, ['completed']);
    chmodSync(db, 0o644);
    chmodSync(dirname(db), 0o755);
    writeFileSync(join(rig.state, 'tokens.json'), '{}', { mode: 0o644 });
    chmodSync(join(rig.state, 'tokens.json'), 0o644);
    const report = await doctor();
    expect([report.code, found(report).map(({ hint }) => hint)]).toEqual([
      1,
      [`chmod go= ${join(rig.state, 'tokens.json')}`, `chmod go= ${dirname(db)}`, `chmod go= ${db}`],
    ]);
  });

  test('doctor and db check report a kept write-ahead log with its contents and what to do with it', async () => {
    await writeRuns(db, ['completed']);
    writeFileSync(`${db}.lost-wal`, 'damaged', { mode: 0o600 });
    expect(found(await doctor())).toMatchObject([
      {
        id: 'lost-log',
        status: 'warning',
        what: expect.stringContaining('nothing in it can be counted'),
        hint: expect.stringContaining(`rm ${db}.lost-wal`),
      },
    ]);
    const checked = await rig.run(['db', 'check', '--db', db]);
    expect([checked.code, checked.stderr]).toEqual([0, expect.stringContaining(`${db}.lost-wal is the write-ahead log that was kept`)]);
  });

  test('doctor reports a copy with its origin and how to continue', async () => {
    await writeRuns(db, ['completed']);
    const original = db;
    db = join(dirname(db), 'moved.db');
    copyFileSync(original, db);
    expect(found(await doctor())).toMatchObject([
      { id: 'copy', what: expect.stringContaining(original), hint: expect.stringContaining('pawl db adopt') },
    ]);
  });
});

test('doctor reports invalid settings with their position, and makes the other checks', async () => {
  const file = rig.write('.pawl/config.yaml', 'limits: {glboal: 1}\n');
  const report = await rig.json<Report>(['doctor']);
  expect([report.code, found(report)]).toMatchObject([
    1,
    [{ id: 'settings', what: expect.stringContaining(`${file}:1:10: unknown setting "glboal"`) }],
  ]);
  expect(idsOf(report)).toEqual(expect.arrayContaining(['node', 'project']));
});

test('doctor reports a path at which no database can be created', async () => {
  db = join(rig.write('file', 'not a folder'), 'runs.db');
  expect(found(await doctor())).toMatchObject([{ id: 'disk', status: 'problem', what: expect.stringContaining(dirname(db)) }]);
});

test('doctor exits with 6 for a file of a newer Pawl, does not touch it, and advises no restore', async () => {
  await writeRuns(db, ['completed']);
  const raw = new DatabaseSync(db);
  raw.exec('PRAGMA user_version=99');
  raw.close();
  const before = readFileSync(db);
  const report = await doctor();
  expect([report.code, found(report)]).toMatchObject([6, [{ id: 'database', what: expect.stringContaining('version 99') }]]);
  expect(readFileSync(db).equals(before)).toBe(true);
});

test('"pawl doctor --repair" saves what can be read of a database, for its user only', async () => {
  await writeRuns(db, ['completed', 'waiting']);
  const raw = new DatabaseSync(db);
  raw.exec("UPDATE events SET body = body || ' ' WHERE run = 2 AND seq = 2");
  raw.close();
  const { checks } = (await rig.json(['doctor', '--repair', '--db', db])) as unknown as { checks: { id: string; what: string }[] };
  const what = checks.find(({ id }) => id === 'repair')?.what ?? '';
  const [, saved = ''] = / 1 whole and 1 partial runs of .* are saved as (.*)$/.exec(` ${what}`) ?? [];
  expect(statSync(saved).mode & 0o777).toBe(0o600);
  const rows = readFileSync(saved, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toMatchObject([
    { run: runId(2), isWhole: false, records: [{ seq: 1 }] },
    { run: runId(1), isWhole: true },
  ]);
});

test('doctor counts workflows that cannot run, with the command that shows why', async () => {
  rig.write('.pawl/workflows/good.yaml', workflowFile('good', 'run: "true"', 'command'));
  rig.write('.pawl/workflows/bad.yaml', workflowFile('bad', 'rnu: "true"', 'command'));
  rig.write('.pawl/workflows/lost.yaml', workflowFile('lost', 'agent: nobody, prompt: p', 'agent'));
  rig.write(
    '.pawl/workflows/new.ts',
    `import { defineWorkflow } from 'pawl';\nexport default defineWorkflow({ name: 'new', steps: {} });\n`,
  );
  const report = await rig.json<Report>(['doctor']);
  expect([
    report.code,
    ...report.checks.filter(({ id }) => id === 'workflows').map(({ status, what, hint }) => [status, what, hint]),
  ]).toEqual([
    1,
    ['ok', '2 workflow files of 4 without errors', undefined],
    ['ok', '1 workflow file with roles that are not defined, so only an attended run can do them: .pawl/workflows/lost.yaml', undefined],
    ['problem', '1 workflow file with errors: .pawl/workflows/bad.yaml', '"pawl validate" shows the errors and what to do'],
    [
      'warning',
      '1 workflow file not trusted, so only the syntax was checked: .pawl/workflows/new.ts',
      'review them, then run "pawl trust"',
    ],
  ]);
});

function workflowFile(name: string, fields: string, type: string): string {
  return `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${name} }\nstages:\n  - { id: a, type: ${type}, ${fields} }\n`;
}
