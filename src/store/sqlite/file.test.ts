import { chmodSync, copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { isFinal, type RunStatus } from '../../definition/run-status.ts';
import { createFirst, createNext, START_AT } from '../../proof/store-suite/deltas.ts';
import { openConnection } from './connection.ts';
import { MIGRATIONS, type Migration, migrate, versionOf } from './migrate.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';
import { STATUSES } from './run-row.ts';
import { OPEN_SQL } from './schema.ts';

let directory: string;
let file: string;
const opened: SqliteStore[] = [];

async function open(path = file, more: { adopt?: boolean; origin?: string } = {}): Promise<SqliteStore> {
  const store = await openSqliteStore({ file: path, now: () => START_AT, ...more });
  opened.push(store);
  return store;
}

beforeEach(() => {
  directory = tempFolder();
  file = join(directory, 'state', 'pawl.db');
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

const mode = (path: string): number => statSync(path).mode & 0o777;
const first = createFirst({ run: 'r1', owner: 'me' });
const mail = { run: 'r1', dedupe: 'a', input: { type: 'signalled', at: START_AT, name: 'a' }, values: [] } as const;

describe('permissions of the files', () => {
  test('all files of the store are readable by their user only, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const store = await open();
      await store.commit(first);
      await store.post(mail);
      const backup = await store.backup(join(directory, 'copies', 'b.db'), 'r1');
      for (const path of [file, `${file}-wal`, `${file}-shm`, join(`${file}.bells`, 'r1'), backup.path])
        expect([path, mode(path)]).toEqual([path, 0o600]);
      for (const path of [join(directory, 'state'), join(directory, 'copies'), `${file}.bells`])
        expect([path, mode(path)]).toEqual([path, 0o700]);
      expect((await store.check()).ok).toBe(true);
    } finally {
      process.umask(before);
    }
  });

  test('a file that other users can read is reported', async () => {
    const store = await open();
    const { chmodSync } = await import('node:fs');
    chmodSync(file, 0o644);
    expect((await store.check()).problems.map(({ what }) => what)).toEqual([expect.stringContaining('chmod go=')]);
  });
});

describe('versions of the file', () => {
  const openRaw = () => openConnection({ file, synchronous: 'FULL', walAutocheckpoint: 1000, busyMs: 1000 });
  /** The migrations of a later version of Pawl. */
  const next = (apply: Migration['apply']): readonly Migration[] => [
    ...MIGRATIONS,
    { version: MIGRATIONS.length + 1, name: 'next', apply },
  ];

  test('an older file is backed up and migrated and keeps its data; the backup is recorded', async () => {
    const store = await open();
    await store.commit(first);
    await store.close();
    const connection = await openRaw();
    await migrate(
      connection,
      () => START_AT,
      next(({ db }) => db.exec('CREATE TABLE later (a)')),
    );
    const { db } = connection;
    expect([versionOf(db), db.prepare('SELECT id FROM runs').get()?.id]).toEqual([MIGRATIONS.length + 1, 'r1']);
    expect(db.prepare('SELECT version, name FROM migrations').all()).toMatchObject([
      ...MIGRATIONS.map(({ version }) => ({ version })),
      { name: 'next' },
    ]);
    const [backup] = db.prepare('SELECT * FROM database_backups').all() as { path: string; size_bytes: number }[];
    connection.close();
    expect(backup?.path).toBe(`${file}.backup-v${MIGRATIONS.length}-2026-01-02T03-04-05-678Z`);
    expect([mode(backup?.path as string), statSync(backup?.path as string).size]).toEqual([0o600, backup?.size_bytes]);
    const copy = new DatabaseSync(backup?.path as string);
    expect([versionOf(copy), copy.prepare('SELECT id FROM runs').get()?.id]).toEqual([MIGRATIONS.length, 'r1']);
    copy.close();
  });

  test('the index of open runs covers every status that is not final', () => {
    const db = new DatabaseSync(':memory:');
    const statuses = Object.keys(STATUSES) as RunStatus[];
    const open = statuses.filter((status) => db.prepare(`SELECT ${OPEN_SQL} AS open FROM (SELECT ? AS status)`).get(status)?.open === 1);
    db.close();
    expect(open).toEqual(statuses.filter((status) => !isFinal(status)));
  });

  test('a failed migration leaves the previous version', async () => {
    await (await open()).close();
    const connection = await openRaw();
    const broken = next(({ db }) => {
      db.exec('CREATE TABLE half (a)');
      throw new Error('broke');
    });
    await expect(migrate(connection, () => START_AT, broken)).rejects.toThrow('broke');
    expect(versionOf(connection.db)).toBe(MIGRATIONS.length);
    expect(connection.db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()?.n).toBe(0);
    connection.close();
  });

  test('a file of a newer version is rejected and not changed', async () => {
    await (await open()).close();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version=99');
    db.close();
    const before = readFileSync(file);
    await expect(open()).rejects.toMatchObject({ code: 'STORE_NEWER', message: expect.stringContaining('version 99') });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(join(directory, 'state')).filter((name) => name.includes('backup'))).toEqual([]);
  });

  test('a database of another program, and a file that is not a database, are rejected and not changed', async () => {
    const foreign = join(directory, 'foreign.db');
    const db = new DatabaseSync(foreign);
    db.exec('CREATE TABLE customers (a)');
    db.close();
    const text = join(directory, 'text.db');
    writeFileSync(text, 'hello '.repeat(1000));
    for (const path of [foreign, text]) {
      const before = readFileSync(path);
      await expect(open(path)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });
});

describe('copies of a store', () => {
  test('a backup opened elsewhere has the same state, but rejects writes until it is adopted', async () => {
    const store = await open();
    await store.commit(first);
    const { path, bytes } = await store.backup(join(directory, 'elsewhere.db'), 'r1');
    expect(bytes).toBe(statSync(path).size);
    const copy = await open(path);
    expect((await copy.load('r1')).state).toEqual(first.state);
    const next = createNext(first, [{ type: 'step.settled', at: START_AT, path: 'build#1', attempt: 1, outcome: 'ok' }]);
    for (const refused of [copy.claim('r1', 'me'), copy.commit(next), copy.post(mail), copy.release('r1', { owner: 'me', epoch: 1 }, 0)]) {
      await expect(refused).rejects.toMatchObject({ code: 'STORE_COPIED', message: expect.stringContaining('adopt') });
    }
    expect(await store.commit(next)).toMatchObject({ result: 'committed' });
    await copy.adopt();
    expect(await copy.release('r1', { owner: 'me', epoch: 1 }, 0)).toBe('released');
    await copy.close();
    const again = await open(path);
    expect(await again.claim('r1', 'me')).toMatchObject({ claimed: true });
  });

  test('a moved file, and another file at the same path, are copies too', async () => {
    const store = await open();
    await store.commit(createFirst({ run: 'r1', owner: 'me', more: { release: true } }));
    await store.close();
    const moved = join(directory, 'moved.db');
    copyFileSync(file, moved);
    rmSync(file);
    renameSync(moved, file);
    await expect((await open()).claim('r1', 'me')).rejects.toMatchObject({ code: 'STORE_COPIED' });
    expect(await (await open(file, { adopt: true })).claim('r1', 'me')).toMatchObject({ claimed: true });
  });

  test('a new file records its origin, which only adopting it changes', async () => {
    await (await open(file, { origin: 'mine' })).close();
    expect(await (await open(file, { origin: 'yours' })).origin()).toBe('mine');
    expect(await (await open(file, { origin: 'yours', adopt: true })).origin()).toBe('yours');
  });

  test('a backup never overwrites a file', async () => {
    const store = await open();
    const taken = join(directory, 'taken');
    writeFileSync(taken, 'mine');
    await expect(store.backup(taken)).rejects.toMatchObject({ message: expect.stringContaining('exists already') });
    expect(readFileSync(taken, 'utf8')).toBe('mine');
  });
});

test('a backup that other users can read is reported, even an older one next to the database', async () => {
  const store = await open();
  await store.commit(first);
  const copy = join(directory, 'copy.db');
  await store.backup(copy);
  const older = `${file}.backup-v1-2026`;
  writeFileSync(older, '');
  for (const path of [copy, older]) chmodSync(path, 0o644);
  const { problems } = await store.check();
  for (const path of [copy, older])
    expect(problems).toContainEqual({ isReadable: true, what: expect.stringContaining(`chmod go= ${path}`) });
  expect(problems).toHaveLength(2);
  await store.close();
});
