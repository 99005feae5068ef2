import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { changeStep, createFirst, createNext, START_AT } from '../../proof/store-suite/deltas.ts';
import { readLostLog } from './lost-log.ts';
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './open.ts';

const OPEN = new URL('./open.ts', import.meta.url).href;
const DELTAS = new URL('../../proof/store-suite/deltas.ts', import.meta.url).href;
const STEPS = 12;

let directory: string;
let file: string;
let stores: SqliteStore[];

beforeEach(() => {
  directory = tempFolder();
  file = join(directory, 'pawl.db');
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
});

/** Runs a process that commits twelve records and is then killed, so that they are in the write-ahead log only. */
async function commitAndDie(options: Partial<SqliteStoreOptions> = {}, last = ''): Promise<void> {
  await (await openSqliteStore({ file, ...options })).close();
  const script = `
    import { openSqliteStore } from '${OPEN}';
    import { changeStep, createActivation, createFirst, createNext, START_AT } from '${DELTAS}';
    const store = await openSqliteStore({ file: ${JSON.stringify(file)}, ...${JSON.stringify(options)} });
    let delta = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(delta);
    for (let n = 2; n <= ${STEPS}; n += 1) {
      delta = createNext(delta, [changeStep(createActivation('build', { feedback: 'note ' + n }), START_AT + n)]);
      await store.commit(delta);
    }
    ${last}
    process.kill(process.pid, 'SIGKILL');`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(signal).toBe('SIGKILL');
}

/** Flips one bit of a text in a file. */
function flipBit(path: string, text: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

async function open(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await openSqliteStore({ file, ...options });
  stores.push(store);
  return store;
}

const LOST = { code: 'STORE_DAMAGED', message: expect.stringContaining('lost its end') };

describe('a store that was killed', () => {
  test('a killed store is intact if its files are unchanged', async () => {
    await commitAndDie();
    const store = await open({ isDead: () => true });
    expect(store.loss).toBeUndefined();
    expect(await store.claim('r1', 'you')).toMatchObject({ claimed: true, state: { seq: STEPS } });
  });

  test.each<[string, () => void]>([
    ['one flipped bit in its write-ahead log', () => flipBit(`${file}-wal`, 'note 5')],
    ['a write-ahead log whose header was changed', () => writeFileSync(`${file}-wal`, Buffer.alloc(32), { flag: 'r+' })],
    ['a shorter write-ahead log', () => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 9000)],
    ['no write-ahead log', () => rmSync(`${file}-wal`)],
  ])('a killed store with %s is readable, reports what is missing, and rejects writes', async (_, damage) => {
    await commitAndDie();
    damage();
    const store = await open({ isDead: () => true });
    expect(store.loss).toMatchObject(LOST);
    await expect(store.claim('r1', 'you')).rejects.toMatchObject(LOST);
    await expect(store.commit(createFirst({ run: 'r2', owner: 'me' }))).rejects.toMatchObject(LOST);
    expect((await store.check()).problems).toContainEqual(expect.objectContaining({ what: store.loss?.message }));
    await store.list({});
  });

  test('a store that lost its end names the run and the missing records each time it is opened, until it is adopted', async () => {
    await commitAndDie();
    flipBit(`${file}-wal`, 'note 5');
    await (await open()).close();
    const again = await open({ isDead: () => true });
    expect(again.loss?.message).toContain(`to ${STEPS} of run r1`);
    expect(again.loss?.details).toMatchObject({ runId: 'r1', expected: STEPS, log: `${file}.lost-wal` });
    const kept = readLostLog(file);
    expect(kept).toMatchObject({ path: `${file}.lost-wal`, transactions: expect.any(Number), unreadable: expect.any(Number) });
    // SQLite cannot read the records after the damage.
    expect(kept?.unreadable).toBe(STEPS - Number(again.loss?.details.seq));
    await again.backup(join(directory, 'copy.db'));
    await again.close();
    const adopted = await open({ isDead: () => true, adopt: true });
    expect(await adopted.claim('r1', 'you')).toMatchObject({ claimed: true });
    await adopted.close();
    expect((await open()).loss).toBeUndefined();
  });

  test('missing mail that was acknowledged is detected', async () => {
    await commitAndDie(
      {},
      `await store.post({ run: 'r1', dedupe: 'm1', input: { type: 'signalled', at: START_AT, name: 'x' }, values: [] });`,
    );
    flipBit(`${file}-wal`, '"signalled"');
    expect((await open()).loss).toMatchObject(LOST);
  });

  test('a missing last commit is detected, even if another process wrote before it', async () => {
    await commitAndDie(
      {},
      `const other = await openSqliteStore({ file: ${JSON.stringify(file)} });
      await other.post({ run: 'r1', dedupe: 'm1', input: { type: 'signalled', at: START_AT, name: 'x' }, values: [] });
      await store.commit(createNext(delta, [changeStep(createActivation('build', { feedback: 'the last' }))]));`,
    );
    flipBit(`${file}-wal`, 'the last');
    expect((await open()).loss).toMatchObject({ ...LOST, details: { runId: 'r1', seq: STEPS, expected: STEPS + 1 } });
  });

  test('an anchor that is older, damaged, truncated or missing, as after a power cut, raises no alarm', async () => {
    await commitAndDie();
    const anchor = readFileSync(`${file}.anchor`);
    const flipped = Buffer.from(anchor);
    flipped[40] = (flipped[40] as number) ^ 1;
    const older = readFileSync(`${file}.anchor`);
    const store = await open({ isDead: () => true });
    await store.claim('r1', 'you');
    await store.close();
    for (const content of [older, flipped, anchor.subarray(0, 20), Buffer.alloc(1024), Buffer.alloc(0)]) {
      writeFileSync(`${file}.anchor`, content);
      const opened = await open();
      expect(opened.loss).toBeUndefined();
      await opened.close();
    }
    rmSync(`${file}.anchor`);
    expect((await open()).loss).toBeUndefined();
  });

  test('a store with synchronous NORMAL, which permits losing its end, has no anchor', async () => {
    await commitAndDie({ synchronous: 'NORMAL' });
    expect(existsSync(`${file}.anchor`)).toBe(false);
  });
});

describe('a file that replaced the store', () => {
  test('an older copy in the place of a store is detected', async () => {
    const store = await open();
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    await store.close();
    copyFileSync(file, join(directory, 'old.db'));
    const later = await open();
    await later.commit(createNext(first, [changeStep()]));
    await later.close();
    writeFileSync(file, readFileSync(join(directory, 'old.db')));
    expect((await open()).loss).toMatchObject({ ...LOST, details: { runId: 'r1', seq: 1, expected: 2 } });
  });

  test('another store written over the open file is detected, although the file was just checked', async () => {
    const other = await openSqliteStore({ file: join(directory, 'other.db') });
    await other.commit(createFirst({ run: 'r1', owner: 'me' }));
    await other.close();
    const store = await open({ walAutocheckpoint: 1 });
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    const next = createNext(first, [changeStep()]);
    // Nothing is written here: the id must be read again the next time.
    utimesSync(file, 1, 1);
    await nextTurn();
    expect(await store.commit({ ...next, epoch: 7 })).toEqual({ result: 'stale' });
    writeFileSync(file, readFileSync(join(directory, 'other.db')));
    utimesSync(file, 2, 2);
    await nextTurn();
    await expect(store.commit(next)).rejects.toMatchObject({ code: 'STORE_GONE', message: expect.stringContaining('written over it') });
  });

  test('a store whose file was checked leaves no write-ahead log when it is closed', async () => {
    const store = await openSqliteStore({ file, walAutocheckpoint: 1 });
    const first = createFirst({ run: 'r1', owner: 'me' });
    await store.commit(first);
    utimesSync(file, 1, 1);
    await nextTurn();
    await store.commit(createNext(first, [changeStep()]));
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test('neither an empty nor a missing file with an anchor is treated as a new store', async () => {
    const store = await open();
    await store.commit(createFirst({ run: 'r1', owner: 'me' }));
    await store.close();
    truncateSync(file, 0);
    await expect(open()).rejects.toMatchObject({ code: 'STORE_DAMAGED', message: expect.stringContaining('is empty') });
    rmSync(file);
    await expect(open()).rejects.toMatchObject({ code: 'STORE_GONE', message: expect.stringContaining('removed or moved') });
    expect(existsSync(file)).toBe(false);
    rmSync(`${file}.anchor`);
    expect(await (await open()).list({})).toEqual([]);
  });

  test('a pruned run is not reported as missing', async () => {
    const store = await open();
    await store.commit(createFirst({ run: 'r1', owner: 'me', more: { status: 'cancelled', release: true } }));
    const anchor = readFileSync(`${file}.anchor`);
    await store.prune({ before: START_AT + 1, status: ['cancelled'] });
    await store.close();
    writeFileSync(`${file}.anchor`, anchor);
    expect((await open()).loss).toBeUndefined();
  });
});
