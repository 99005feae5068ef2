import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { widthOf } from '../../src/cli/terminal.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { CliRig } from './rig.ts';

const START = join(import.meta.dirname, 'start.js');
const isRoot = process.getuid?.() === 0;

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

/** Runs that ended, with ids of one's own, in a database. */
async function makeRuns(db: string, ids: readonly string[]): Promise<void> {
  const engine = await createEngine({ db });
  const workflow = defineWorkflow({
    name: 'a workflow of many words and ünïcode',
    steps: [{ id: 'one', handler: () => null, next: null }],
  });
  for (const id of ids) await (await engine.start(workflow, {}, { id })).wait();
  await engine.close();
}

const ONE = '01900000-0000-7000-8000-000000000001';
const TWO = '01900000-0000-7000-8000-0000000000f2';
const THREE = '01911111-0000-7000-8000-000000000003';

describe('the state directory', () => {
  test('without HOME a command says what to set, and works where a database is named', async () => {
    const env = { HOME: '', PAWL_STATE: '' };
    const refused = await rig.run(['runs'], { env });
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toContain('set HOME or PAWL_STATE, or choose a database with --db');
    await makeRuns(join(rig.project, 'x.db'), [ONE]);
    expect(await rig.run(['runs', '--db', 'x.db'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  test('a state directory that is a file has no runs, and is an error when one is to be written', async () => {
    writeFileSync(rig.state, 'a file');
    expect(await rig.run(['runs'])).toMatchObject({ code: 0, stderr: '' });
    expect(await rig.run(['show', ONE])).toMatchObject({ code: 2 });
  });

  test('a path may contain spaces, umlauts and quotes', async () => {
    const folder = join(rig.folder, `ein Ordner für "alles", 'auch' $(das)`);
    mkdirSync(folder);
    await makeRuns(join(folder, 'läufe.db'), [ONE]);
    expect(await rig.json(['runs', '--db', 'läufe.db'], { cwd: folder })).toMatchObject({ code: 0, runs: [{ id: ONE }] });
    expect(await rig.json(['runs', '--project', folder])).toMatchObject({ code: 0, runs: [] });
  });

  test('a deleted current folder is an error in one sentence', async () => {
    const gone = join(rig.folder, 'gone');
    mkdirSync(gone);
    const { status, stderr } = spawnSync('sh', ['-c', `rmdir "$1"; exec "$2" "$3" runs`, 'sh', gone, process.execPath, START], {
      cwd: gone,
      env: rig.env(),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'pawl: the current folder no longer exists; change to another one [USAGE]\n',
    });
  });

  test('a worktree whose repository is gone is still a project', async () => {
    rig.write('.git', `gitdir: ${join(rig.folder, 'gone', '.git', 'worktrees', 'x')}\n`);
    expect(await rig.run(['runs'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('a project that is not a folder is an error with its path', async () => {
    const file = rig.write('file', '');
    const { code, stderr } = await rig.run(['runs', '--project', 'file']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `pawl: --project: ${file} is not a folder [USAGE]\n` });
  });

  test('a database in a read-only folder is an error that says what to do', async ({ skip }) => {
    if (isRoot) skip('root may write everything');
    const folder = join(rig.folder, 'closed');
    mkdirSync(folder);
    await makeRuns(join(folder, 'runs.db'), [ONE]);
    chmodSync(join(folder, 'runs.db'), 0o400);
    chmodSync(folder, 0o500);
    const { code, stderr } = await rig.run(['runs', '--db', join(folder, 'runs.db')]);
    chmodSync(folder, 0o700);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringMatching(/give this user the right to write .* \[STORE_READONLY\]\n$/),
    });
  });
});

describe('a database', () => {
  test('a database path with another kind of file is not touched, and the error says so', async () => {
    const file = rig.write('notes.txt', 'These are my notes, and they are longer than the head of a database would be.\n'.repeat(20));
    for (const words of [['runs'], ['show', ONE]]) {
      const { code, stderr } = await rig.run([...words, '--db', file]);
      expect(code).toBe(6);
      expect(stderr).toMatch(/it is not a database; name another file, or restore a backup \[STORE_DAMAGED\]\n$/);
    }
    expect(readdirSync(rig.project)).toEqual(['notes.txt']);
  });

  test('a database path that is a folder is an error', async () => {
    const { code, stderr } = await rig.run(['runs', '--db', '.']);
    expect({ code, bug: stderr.includes('bug') }).toEqual({ code: 6, bug: false });
  });

  test('a database that another process writes to can be read', async () => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE]);
    const other = new DatabaseSync(db);
    other.exec('BEGIN IMMEDIATE');
    expect(await rig.json(['runs', '--db', db])).toMatchObject({ code: 0, runs: [{ id: ONE }] });
    other.exec('ROLLBACK');
    other.close();
  });

  test('a database with a damaged run shows the others, and what is left of that one', async () => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE, TWO, THREE]);
    const file = new DatabaseSync(db);
    file.prepare('UPDATE events SET hash = zeroblob(32) WHERE run = (SELECT key FROM runs WHERE id = ?)').run(TWO);
    file.close();
    const { code, stdout, stderr } = await rig.run(['runs', '--db', db]);
    const [table = '', problem = ''] = stdout.split('\n\n');
    expect({ code, stderr, cells: table.split('\n').map((line) => line.split(/ {2,}/)[3]), problem }).toEqual({
      code: 0,
      stderr: '',
      cells: ['STEP', 'now', 'damaged', 'now'],
      problem: expect.stringContaining(`run ${TWO} is damaged`),
    });
    expect(await rig.json(['runs', '--db', db])).toMatchObject({
      runs: [
        { id: THREE, status: 'completed' },
        { id: TWO, damaged: expect.stringContaining('damaged') },
        { id: ONE, status: 'completed' },
      ],
    });
    expect(await rig.run(['show', ONE, '--db', db])).toMatchObject({ code: 0 });
    expect(await rig.run(['show', TWO, '--db', db])).toMatchObject({ code: 6, stderr: expect.stringContaining('[RUN_DAMAGED]') });
  });
});

describe('the beginning of a run id', () => {
  test('a prefix of a run id means the one run that matches, in any case', async () => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE, TWO, THREE]);
    for (const prefix of [THREE, THREE.slice(0, 8), '01911', TWO.toUpperCase()])
      expect(await rig.json(['show', prefix, '--db', db])).toMatchObject({
        code: 0,
        run: { id: prefix === TWO.toUpperCase() ? TWO : THREE },
      });
  });

  test('a prefix of several run ids lists them', async () => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE, TWO, THREE]);
    const { code, stderr } = await rig.run(['show', '0190', '--db', db]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `pawl: "0190" matches several runs: ${ONE}, ${TWO}; give more characters [RUN_AMBIGUOUS]\n`,
    });
  });

  test.each(['', '%', '_', '0190*', '../..', "' OR 1=1 --", 'zz', `${ONE}0`])('the run id prefix %j matches no run', async (prefix) => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE]);
    const { code, stderr } = await rig.run(['show', '--db', db, '--', prefix]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `pawl: no run "${prefix}" in ${db}; "pawl runs --db ${db}" lists the runs [RUN_NOT_FOUND]\n`,
    });
  });
});

describe('what a terminal can show', () => {
  const text = async (words: readonly string[], env: Readonly<Record<string, string>>, columns = 80): Promise<string> => {
    const terminal = rig.terminal(words, { env, columns });
    await terminal.ended;
    return terminal.printed();
  };

  test('without UTF-8 Pawl’s own output is ASCII', async () => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE, TWO]);
    for (const words of [['runs', '--limit', '1'], ['show', ONE], ['--help'], ['inbox'], ['doctor']]) {
      const { stdout } = await rig.run([...words, ...(words[0] === '--help' ? [] : ['--db', db])], { env: { LANG: 'C' } });
      // The name of the workflow is the user's, and is printed as it is.
      expect(stdout.replaceAll('ünïcode', '')).toMatch(/^[\n -~]*$/);
    }
  });

  test('NO_COLOR, --no-color and TERM=dumb mean no colour; FORCE_COLOR means colour in a pipe', async () => {
    expect(await text(['--help'], {})).toContain('\u001b[1m');
    expect(await text(['--help'], { NO_COLOR: '1' })).not.toContain('\u001b[');
    expect(await text(['--help'], { TERM: 'dumb' })).not.toContain('\u001b[');
    expect(await text(['runs', '--help', '--no-color'], {})).not.toContain('\u001b[');
    expect((await rig.run(['--help'], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[1m');
    expect((await rig.run(['--help'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain('\u001b[');
    expect((await rig.run(['--help'], { env: { FORCE_COLOR: '0' } })).stdout).not.toContain('\u001b[');
  });

  test('a list fits 80 and 200 columns, and is not truncated in a pipe', async () => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE]);
    for (const columns of [80, 200]) {
      const lines = (await text(['runs', '--db', db], { NO_COLOR: '1' }, columns)).split('\r\n');
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
      expect(lines.join('\n').includes('a workflow of many words and ünïcode')).toBe(columns === 200);
    }
    expect((await rig.run(['runs', '--db', db], { env: { COLUMNS: '40' } })).stdout).toContain('a workflow of many words and ünïcode');
  });

  test('40 columns, or an unknown width, are no error', async () => {
    const db = join(rig.folder, 'runs.db');
    await makeRuns(db, [ONE]);
    for (const columns of [1, 40]) expect(await text(['runs', '--db', db], { NO_COLOR: '1' }, columns)).toContain(ONE);
    expect((await rig.run(['--help'], { env: { COLUMNS: '-3' } })).stdout).toBe((await rig.run(['--help'])).stdout);
  });
});

describe('a reader that goes away', () => {
  test('a reader that closes the pipe is no failure: no stack, no message, the usual exit code', async () => {
    for (const words of [['--help'], ['runs'], ['runs', '--json'], ['runs', '--xyzzy', '--json']]) {
      const child = spawn(process.execPath, [START, ...words], { cwd: rig.project, env: rig.env(), stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        stderr += chunk;
      });
      const [code] = await once(child, 'close');
      const wrong = words.includes('--xyzzy');
      expect({ words, code, told: stderr.split('\n').length - 1 }).toEqual({ words, code: wrong ? 2 : 0, told: wrong ? 1 : 0 });
    }
  });

  test('closing both streams is no failure either', () => {
    const line = `"$1" "$2" runs --xyzzy 1>&- 2>&-; echo "$?"`;
    const printed = execFileSync('sh', ['-c', line, 'sh', process.execPath, START], { cwd: rig.project, env: rig.env(), encoding: 'utf8' });
    expect(printed).toBe('2\n');
  });

  test('a full disk is reported, and the exit code is not 0', ({ skip }) => {
    if (process.platform !== 'linux') skip('there is no /dev/full here');
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [START, 'runs'], {
      cwd: rig.project,
      env: rig.env(),
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'pawl: cannot write to stdout: ENOSPC: no space left on device, write\n',
    });
  });
});

describe('no command reports the state of the machine as a bug of Pawl', () => {
  const LINES = [
    ['runs'],
    ['show', ONE],
    ['logs', ONE],
    ['inbox'],
    ['watch', ONE],
    ['list'],
    ['validate'],
    ['graph', 'w'],
    ['run', 'w'],
    ['resume', ONE],
    ['retry', ONE],
    ['cancel', ONE],
    ['pause', ONE],
    ['fork', ONE, '--from', 'one', '--dry-run'],
    ['decide', ONE, '--option', 'yes'],
    ['approve', ONE],
    ['reject', ONE],
    ['doctor'],
    ['config'],
    ['trust'],
    ['token', 'list'],
    ['db', 'check'],
    ['backup'],
    ['prune', '--older-than', '1d', '--yes'],
  ];

  const bugs = async (more: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const words of LINES) {
      const { code, stderr } = await rig.run([...words, ...more]);
      if (code === null || code > 8) found.push(`pawl ${words.join(' ')} ended with ${code}: ${stderr}`);
    }
    return found;
  };

  test('a state directory that is a file is not reported as a bug', async () => {
    writeFileSync(rig.state, 'a file');
    expect(await bugs([])).toEqual([]);
  });

  test('a database that is no database is not reported as a bug', async () => {
    expect(await bugs(['--db', rig.write('notes.txt', 'These are notes. '.repeat(100))])).toEqual([]);
  });

  test('a database that is a folder is not reported as a bug', async () => {
    mkdirSync(join(rig.folder, 'folder.db'));
    expect(await bugs(['--db', join(rig.folder, 'folder.db')])).toEqual([]);
  });
});

test('a file name cannot control the terminal from an error or a warning', async () => {
  const folder = join(rig.folder, 'red\u001b[31m\u0007');
  mkdirSync(join(folder, '.pawl', 'workflows'), { recursive: true });
  writeFileSync(join(folder, '.pawl', 'workflows', 'x\u001b[2J.ts'), 'this is (no module');
  const listed = await rig.run(['list', '--project', folder]);
  writeFileSync(join(folder, '.pawl', 'config.yaml'), 'limits: [this is not closed');
  const told = await rig.run(['config', '--project', folder]);
  expect([listed.stderr, told.stderr].map((text) => text.startsWith('pawl: ') && text.includes('red'))).toEqual([true, true]);
  const all = listed.stdout + listed.stderr + told.stdout + told.stderr;
  expect([all.includes('\u001b'), all.includes('\u0007')]).toEqual([false, false]);
});

test('an invalid PAWL_ variable is an error with its name', async () => {
  const { code, stderr } = await rig.run(['runs'], { env: { PAWL_PROJECT: 'nowhere' } });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `pawl: PAWL_PROJECT: ${join(rig.project, 'nowhere')} is not a folder [USAGE]\n`,
  });
  rmSync(rig.state, { recursive: true, force: true });
});
