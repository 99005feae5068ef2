import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFirst } from '../../src/proof/store-suite/deltas.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { defineSum } from '../../src/store/sqlite/seals.ts';
import { HELD, kill, runId, startHolder, writeRuns } from './kept-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let db: string;
let copy: string;

beforeEach(() => {
  rig = new CliRig();
  db = join(rig.state, 'data', 'runs.db');
  copy = join(rig.folder, 'copy.db');
});
afterEach(() => rig.close());

const pawl = (...words: string[]): Promise<Ended> => rig.run([...words, '--db', db]);
async function ids(): Promise<string[]> {
  const { runs } = await rig.json<{ runs: { id: string }[] }>(['runs', '--db', db]);
  return runs.map(({ id }) => id).sort();
}
// Looking at a database leaves the files that SQLite has beside it.
const beside = (): string[] =>
  readdirSync(join(rig.state, 'data'))
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort();

describe('backup', () => {
  test('"pawl backup" copies a database that a process writes to, verifies the copy, and makes it readable for its user only', async () => {
    await writeRuns(db, ['completed', 'waiting']);
    const holder = await startHolder(db);
    const made = await rig.json<{ backup: object }>(['backup', copy, '--db', db]);
    await kill(holder);
    expect(made).toMatchObject({ code: 0, backup: { path: copy, bytes: statSync(copy).size, runs: 3 } });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(rig.folder).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
  });

  test('a backup without a name is written next to the database, with the command that restores it', async () => {
    await writeRuns(db, ['completed']);
    const { code, stdout } = await pawl('backup');
    const [name] = beside().filter((entry) => /^runs\.db\.backup-\d{4}-\d\d-\d\dT[\d-]+Z$/.test(entry));
    expect([code, stdout]).toEqual([0, expect.stringContaining(`verified: ${join(rig.state, 'data', String(name))}\n"pawl restore`)]);
  });

  test('"pawl backup" overwrites a file only with --force, and never the database itself', async () => {
    await writeRuns(db, ['completed']);
    writeFileSync(copy, 'mine');
    expect(await pawl('backup', copy)).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(readFileSync(copy, 'utf8')).toBe('mine');
    expect(await pawl('backup', db, '--force')).toMatchObject({ code: 2, stderr: expect.stringContaining('the database itself') });
    expect(await pawl('backup', copy, '--force')).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(rig.folder).sort()).toEqual(['copy.db', 'home', 'project', 'state']);
    expect(await ids()).toEqual([runId(1)]);
  });

  test('a damaged copy is rejected as a backup, and the file that it would have replaced stays', async () => {
    await writeRuns(db, ['completed']);
    const raw = new DatabaseSync(db);
    raw.exec('UPDATE contents SET text = \'"other"\'');
    raw.close();
    writeFileSync(copy, 'mine');
    expect(await pawl('backup', copy, '--force')).toMatchObject({ code: 6, stderr: expect.stringContaining('[STORE_DAMAGED]') });
    expect(readFileSync(copy, 'utf8')).toBe('mine');
  });

  test('without a database "pawl backup" fails and creates none', async () => {
    expect(await pawl('backup')).toMatchObject({ code: 6, stderr: expect.stringContaining('does not exist') });
    expect(existsSync(db)).toBe(false);
  });
});

describe('restore', () => {
  beforeEach(async () => {
    const id = '0190cccc-0000-7000-8000-000000000001';
    mkdirSync(rig.state, { mode: 0o700 });
    writeFileSync(join(rig.state, 'id'), id, { mode: 0o600 });
    await writeRuns(db, ['completed', 'waiting'], id);
    expect((await pawl('backup', copy)).code).toBe(0);
    const raw = new DatabaseSync(db);
    defineSum(raw);
    raw.exec(`DELETE FROM runs WHERE id = '${runId(1)}'`);
    raw.close();
  });

  test('"pawl restore" restores the backup, keeps the previous database, and lists open runs', async () => {
    const { code, stdout } = await pawl('restore', copy);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`pawl resume ${runId(2)}  # deploy, waiting`)]);
    expect(await ids()).toEqual([runId(1), runId(2)]);
    expect(statSync(db).mode & 0o777).toBe(0o600);
    const [saved] = beside().filter((name) => name.startsWith('runs.db.backup-'));
    expect(stdout).toContain(saved);
    db = join(rig.state, 'data', String(saved));
    expect(await ids()).toEqual([runId(2)]);
  });

  test('runs continue after a restore', async () => {
    await pawl('restore', copy);
    expect(await rig.json(['doctor', '--db', db])).toMatchObject({ code: 0, ok: true });
    expect(await pawl('prune', '--older-than', '0s', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 run') });
  });

  test('a process that has the database open without driving runs sees the restored one and continues', async () => {
    const idle = await openSqliteStore({ file: db });
    await idle.commit(createFirst({ run: runId(9), owner: 'me', more: { release: true } }));
    expect((await pawl('restore', copy)).code).toBe(0);
    expect((await idle.list({})).map(({ id }) => id)).toEqual([runId(2), runId(1)]);
    await idle.commit(createFirst({ run: runId(8), owner: 'me', more: { release: true } }));
    await idle.close();
    expect(await ids()).toEqual([runId(1), runId(2), runId(8)]);
    expect((await pawl('db', 'check')).code).toBe(0);
  });

  test('the write-ahead log of an unreadable database is not replayed onto the restored one', async () => {
    const holder = await startHolder(db);
    await kill(holder);
    writeFileSync(db, 'scrambled '.repeat(500));
    expect(statSync(`${db}-wal`).size).toBeGreaterThan(0);
    expect((await pawl('restore', copy)).code).toBe(0);
    expect(await ids()).toEqual([runId(1), runId(2)]);
    expect((await pawl('db', 'check')).code).toBe(0);
  });

  test('a restore is rejected while a live process drives a run, which the error names, unless it is forced', async () => {
    const holder = await startHolder(db);
    const before = beside();
    expect(await pawl('restore', copy)).toMatchObject({ code: 7, stderr: expect.stringContaining(`run ${HELD} of ${db}`) });
    expect(beside()).toEqual(before);
    expect((await pawl('restore', copy, '--force')).code).toBe(0);
    await kill(holder);
    expect(await ids()).toEqual([runId(1), runId(2)]);
  });

  test('a current database that cannot be read is kept unchanged', async () => {
    writeFileSync(db, 'scrambled');
    expect((await pawl('restore', copy)).code).toBe(0);
    const [kept] = beside().filter((name) => name.startsWith('runs.db.replaced-'));
    expect(readFileSync(join(rig.state, 'data', String(kept)), 'utf8')).toBe('scrambled');
    expect(await ids()).toEqual([runId(1), runId(2)]);
  });

  test('a restore creates the database of a project that has none', async () => {
    db = join(rig.state, 'fresh', 'runs.db');
    expect((await pawl('restore', copy)).code).toBe(0);
    expect(await ids()).toEqual([runId(1), runId(2)]);
  });

  const spoil: readonly (readonly [string, (file: string) => void, object])[] = [
    ['no database', (file) => writeFileSync(file, 'hello '.repeat(1000)), { code: 6, stderr: expect.stringContaining('[STORE_DAMAGED]') }],
    ['cut short', (file) => truncateSync(file, 8192), { code: 6, stderr: expect.stringContaining('[STORE_DAMAGED]') }],
    [
      'of a newer Pawl',
      (file) => {
        const raw = new DatabaseSync(file);
        raw.exec('PRAGMA user_version=99');
        raw.close();
      },
      { code: 6, stderr: expect.stringContaining('[STORE_NEWER]') },
    ],
    [
      'changed inside',
      (file) => {
        const raw = new DatabaseSync(file);
        raw.exec('UPDATE contents SET text = \'"other"\'');
        raw.close();
      },
      { code: 6, stderr: expect.stringContaining('[STORE_DAMAGED]') },
    ],
  ];
  test.each(spoil)('restoring a backup that is %s changes nothing', async (_, change, refused) => {
    const bad = join(rig.folder, 'bad.db');
    copyFileSync(copy, bad);
    chmodSync(bad, 0o600);
    change(bad);
    const before = [readFileSync(bad), beside()];
    const ended = await pawl('restore', bad);
    expect(ended).toMatchObject(refused);
    expect(ended.stderr).toContain(bad);
    expect(ended.stderr).not.toContain('restoring-');
    expect([readFileSync(bad), beside()]).toEqual(before);
    expect(await ids()).toEqual([runId(2)]);
  });

  test('restoring a missing file or the database itself is rejected', async () => {
    expect(await pawl('restore', join(rig.folder, 'nothing.db'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist'),
    });
    expect(await pawl('restore', db)).toMatchObject({ code: 2, stderr: expect.stringContaining('database itself') });
  });
});
