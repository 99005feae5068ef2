// Backups of a protected database, and restoring them.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backUp, differences, listBackups, restoreBackup, SafeDatabaseClient } from '../../src/safe-db/index.ts';
import { createBook, dump, write } from './book.ts';

function open(file: string = createBook()): SafeDatabaseClient {
  const db = new SafeDatabaseClient(file);
  onTestFinished(() => db.close());
  return db;
}

describe('backup', () => {
  test('a backup is a verified copy, recorded in database_backups with path, size and run', async () => {
    const db = open();
    const before = dump(db.file);
    const made = await db.backup({ runId: 'r1' });
    expect(made).toMatchObject({ runId: 'r1', reason: 'run', verified: true, bytes: statSync(made.path).size });
    expect(made.path).toMatch(/backups[\\/]project-\d{4}-\d\d-\d\dT[\d-]+Z\.db$/);
    expect(dump(made.path)).toEqual(before);
    expect(db.query('SELECT path, workflow_run_id, size_bytes, verified FROM database_backups')).toEqual([
      { path: made.path, workflow_run_id: 'r1', size_bytes: made.bytes, verified: 1 },
    ]);
  });

  test('a backup contains the committed state, including the write-ahead log, and no open transaction', async () => {
    const db = open();
    write(db.file, 'PRAGMA journal_mode = WAL');
    db.run("INSERT INTO lines (text) VALUES ('committed')");
    const other = new DatabaseSync(db.file);
    onTestFinished(() => other.close());
    const made = await db
      .transaction(async () => {
        db.run("INSERT INTO lines (text) VALUES ('open')");
        await expect(db.backup()).rejects.toThrow('inside a transaction');
      })
      .then(() => db.backup());
    expect(dump(made.path).lines).toHaveLength(5);
    expect(readdirSync(dirname(made.path))).toEqual([made.path.slice(dirname(made.path).length + 1)]);
  });

  test('the newest backups of each kind are kept', async () => {
    const file = createBook();
    const run = await backUp(file, { runId: 'r1', keep: 2 });
    const requested = [await backUp(file, { keep: 2 }), await backUp(file, { keep: 2 }), await backUp(file, { keep: 2 })];
    expect(listBackups(file).map(({ id }) => id)).toEqual([requested[2]?.id, requested[1]?.id, run.id]);
    expect([...requested, run].map(({ path }) => existsSync(path))).toEqual([false, true, true, true]);
  });

  test('a changed record cannot make a backup remove a file that is not a backup', async () => {
    const file = createBook();
    const mine = join(dirname(file), 'mine.txt');
    writeFileSync(mine, 'keep');
    await backUp(file);
    write(file, `UPDATE database_backups SET path = '${mine}'`);
    await backUp(file, { keep: 1 });
    expect([existsSync(mine), listBackups(file).length]).toEqual([true, 1]);
  });

  test('an older table database_backups gets the missing columns', async () => {
    const file = createBook();
    write(
      file,
      'CREATE TABLE database_backups (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, path TEXT NOT NULL, workflow_run_id TEXT, size_bytes INTEGER)',
    );
    await backUp(file);
    expect(listBackups(file)).toMatchObject([{ verified: true, reason: 'request' }]);
  });

  test('SD5: a failed backup of a damaged database leaves no file', async () => {
    const file = createBook();
    writeFileSync(file, 'not a database, but long enough to look like one');
    await expect(backUp(file)).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    expect(readdirSync(join(dirname(file), 'backups'))).toEqual([]);
  });
});

describe('restore', () => {
  test('SD6: a restore backs up the current state first, and keeps the records of all backups', async () => {
    const file = createBook();
    const before = dump(file);
    const made = await backUp(file, { runId: 'r1' });
    write(file, 'DELETE FROM lines; DROP TABLE settings');
    const ruined = dump(file);
    const later = await backUp(file);
    const saved = await restoreBackup(file, made.path);
    expect(dump(file)).toEqual(before);
    expect(dump(saved?.path ?? '')).toEqual(ruined);
    expect(listBackups(file).map(({ id }) => id)).toEqual([saved?.id, later.id, made.id]);
  });

  test('a client that has the database open continues with the restored content', async () => {
    const db = open();
    const made = await db.backup();
    db.run("INSERT INTO lines (text) VALUES ('new')");
    await restoreBackup(db.file, made.path);
    expect(db.get('SELECT count(*) AS n FROM lines')).toEqual({ n: 3 });
    db.run("INSERT INTO lines (text) VALUES ('next')");
    expect(() => db.run('DELETE FROM lines')).toThrow('confirmation token');
  });

  test('a missing database is created from the backup', async () => {
    const file = createBook();
    const made = await backUp(file);
    const target = join(dirname(file), 'again', 'project.db');
    expect(await restoreBackup(target, made.path)).toBeUndefined();
    expect(dump(target)).toEqual(dump(file));
  });

  test('SD6: a restore also backs up what others write during its backup', async () => {
    const file = createBook();
    const made = await backUp(file);
    let copies = 0;
    const now = (): number => {
      copies += 1;
      if (copies === 1) write(file, "INSERT INTO lines (text) VALUES ('meanwhile')");
      return Date.now();
    };
    const saved = await restoreBackup(file, made.path, { now });
    expect([copies, dump(saved?.path ?? '').lines]).toMatchObject([2, { length: 4 }]);
    expect(readdirSync(dirname(made.path))).toHaveLength(2);
  });

  const DAMAGE: readonly [string, (file: string) => void][] = [
    ['other bytes', (file) => writeFileSync(file, 'not a database, but long enough to look like one')],
    ['half of its content', (file) => truncateSync(file, statSync(file).size / 2)],
    ['some pages of other bytes', (file) => writeFileSync(file, readFileSync(file).fill(7, 4096 * 2, 4096 * 5))],
  ];
  test.each(DAMAGE)('SD16: a database with %s is kept unchanged, and replaced by the backup', async (_, damage) => {
    const file = createBook();
    const before = dump(file);
    const made = await backUp(file);
    damage(file);
    const ruined = readFileSync(file);
    // The log of the damaged database must not be applied to the backup.
    writeFileSync(`${file}-wal`, 'left by a program that was killed');
    const saved = await restoreBackup(file, made.path);
    expect(dump(file)).toEqual(before);
    expect(saved).toMatchObject({ verified: false, reason: 'restore', path: expect.stringMatching(/\.damaged$/) });
    expect(readFileSync(saved?.path ?? '')).toEqual(ruined);
    expect(listBackups(file).map(({ id }) => id)).toEqual([saved?.id]);
    expect(
      readdirSync(dirname(file))
        .filter((name) => name.startsWith('project.db'))
        .sort(),
    ).toEqual(['project.db']);
  });

  test('a restore waits while another program writes', async () => {
    const file = createBook();
    const before = dump(file);
    const made = await backUp(file);
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE; INSERT INTO lines (text) VALUES ('never committed')");
    let copies = 0;
    const now = (): number => {
      copies += 1;
      if (copies === 2) other.exec('ROLLBACK');
      return Date.now();
    };
    const saved = await restoreBackup(file, made.path, { now });
    expect([copies, dump(file), dump(saved?.path ?? '')]).toEqual([2, before, before]);
    expect(readdirSync(dirname(made.path))).toHaveLength(2);
  });

  test('on a full disk a restore replaces nothing, leaves no copy, and says what to do next', async () => {
    const file = createBook();
    const made = await backUp(file);
    write(made.path, 'INSERT INTO lines (text) SELECT hex(zeroblob(1000000))');
    const before = dump(file);
    const program = `import { restoreBackup } from ${JSON.stringify(new URL('../../src/safe-db/index.ts', import.meta.url).href)};
await restoreBackup(${JSON.stringify(file)}, ${JSON.stringify(made.path)}).catch((error) => console.log(error.code, error.message));`;
    // A limit for the size of files has the effect of a full disk.
    const words = ['-c', 'ulimit -f 1000 && exec "$0" "$@"', process.execPath, '--no-warnings', '--input-type=module', '-e', program];
    const { stdout, stderr } = spawnSync('sh', words, { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^DATABASE_FAILED cannot restore .*; nothing was changed/),
      stderr: '',
    });
    expect(dump(file)).toEqual(before);
    expect(readdirSync(dirname(made.path))).toHaveLength(1);
  });

  test('a damaged backup changes nothing', async () => {
    const file = createBook();
    const before = dump(file);
    const bad = join(dirname(file), 'bad.db');
    writeFileSync(bad, 'not a database, but long enough to look like one');
    await expect(restoreBackup(file, bad)).rejects.toThrow('nothing was changed');
    await expect(restoreBackup(file, join(dirname(file), 'none.db'))).rejects.toThrow('the file does not exist');
    expect(dump(file)).toEqual(before);
  });
});

test('values that differ only in case or type are different', async () => {
  const file = createBook();
  write(
    file,
    "CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, any); INSERT INTO names VALUES (1, 'ann', 1), (2, 'bob', 2)",
  );
  const { path } = await backUp(file);
  write(file, "UPDATE names SET name = 'Ann' WHERE id = 1; UPDATE names SET any = 2.0 WHERE id = 2");
  expect(differences(file, path)).toMatchObject([{ table: 'names', changed: 2 }]);
});

test('the difference lists tables and counts rows, with and without a key', async () => {
  const file = createBook();
  const { path } = await backUp(file);
  expect(differences(file, path)).toEqual([]);
  write(
    file,
    "UPDATE books SET title = 'x' WHERE id = 1; DELETE FROM chapters WHERE id = 1; INSERT INTO lines (text) VALUES ('l1'); DELETE FROM lines WHERE text = 'l2';" +
      'DROP TABLE settings; CREATE TABLE more (id); INSERT INTO more VALUES (1); ALTER TABLE totals ADD COLUMN extra',
  );
  const same = { added: 0, removed: 0, changed: 0, redefined: false, state: 'changed' };
  expect(differences(file, path)).toEqual([
    { ...same, table: 'books', changed: 1 },
    { ...same, table: 'chapters', removed: 1 },
    { ...same, table: 'lines', added: 1, removed: 1 },
    { ...same, table: 'more', state: 'added', added: 1 },
    { ...same, table: 'settings', state: 'removed', removed: 1 },
    { ...same, table: 'totals', redefined: true },
  ]);
});
