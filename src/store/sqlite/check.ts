// Checks the whole store: the file, its permissions, every chain, every value, and every checkpoint against its
// folded log. It goes run by run, so that other work can be done in between.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { digestText } from '../../base/digest.ts';
import { type EngineError, isEngineError, messageOf } from '../../base/error.ts';
import { canonicalJson, type Json } from '../../base/json.ts';
import { applyRow } from '../../kernel/apply.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { StoreReport } from '../store.ts';
import { readAttempts } from './attempts.ts';
import { type Connection, openConnection, readSnapshot } from './connection.ts';
import { readData } from './contents.ts';
import { damagedRun } from './failure.ts';
import { readLog } from './log.ts';
import { readInbox } from './mail.ts';
import { migrate, versionOf } from './migrate.ts';
import { type RunRow, readRunRowByKey, verifyRun } from './run-row.ts';
import { brokenSeals } from './seals.ts';

const ROWS_AT_ONCE = 1000;
const RUNS_AT_ONCE = 100;
const VALUES_AT_ONCE = 100;

type Problem = StoreReport['problems'][number];

/** Verifies everything and reports all problems, as far as the file can be read; `loss` was found when it was opened. */
export async function checkStore(connection: Connection, loss: EngineError | undefined): Promise<StoreReport> {
  const problems: Problem[] = loss === undefined ? [] : [problemAt(loss.details.runId, loss.details.seq, loss.message)];
  for (const check of [checkModes, checkPages, checkSchema, checkRuns, checkStrays, checkValues, missingValues, checkSeals])
    problems.push(...(await problemsOf(() => check(connection))));
  return { ok: problems.length === 0, file: connection.name, schemaVersion: versionOf(connection.db), problems };
}

// A part that cannot be read at all is one problem; the other parts are still checked.
async function problemsOf(check: () => Problem[] | Promise<Problem[]>): Promise<Problem[]> {
  try {
    return await check();
  } catch (error) {
    return [{ what: messageOf(error) }];
  }
}

function problemAt(run: unknown, seq: unknown, what: string): Problem {
  return { ...(typeof run === 'string' ? { run } : {}), ...(typeof seq === 'number' ? { seq } : {}), what };
}

/** Compares tables, indexes, views and triggers with those of a new store. */
async function checkSchema({ db }: Connection): Promise<Problem[]> {
  const fresh = await openConnection({ file: ':memory:', synchronous: 'FULL', walAutocheckpoint: 1000, busyMs: 0 });
  try {
    await migrate(fresh, () => 0);
    const [expected, found] = [fresh.db, db].map(schemaOf) as [Map<string, unknown>, Map<string, unknown>];
    const changed = [...expected].filter(([name, sql]) => found.get(name) !== sql).map(([name]) => name);
    const added = [...found.keys()].filter((name) => !expected.has(name));
    return [...changed, ...added].map((name) => ({ what: `the ${name} of the database was changed by something other than Pawl` }));
  } finally {
    fresh.close();
  }
}

function schemaOf(db: Connection['db']): Map<string, unknown> {
  // ANALYZE of any program adds its own table, which changes no data.
  const rows = db.prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name").all();
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, sql]));
}

function checkSeals(connection: Connection): Promise<Problem[]> {
  return readSnapshot(connection, () => brokenSeals(connection).map((what) => ({ what })));
}

/** Finds rows of runs that do not exist, and members of runs without members. */
function checkStrays(connection: Connection): Problem[] {
  const logs = connection.sql('SELECT DISTINCT run FROM events WHERE run NOT IN (SELECT key FROM runs)').all();
  const members = connection.sql('SELECT DISTINCT run FROM members WHERE run NOT IN (SELECT key FROM runs WHERE members > 0)').all();
  return [
    ...logs.map(({ run }) => ({ what: `there is a log of run number ${run}, but no such run` })),
    ...members.map(({ run }) => ({ what: `run number ${run} has live members of groups that it did not write` })),
  ];
}

/** Checks the keys of a table one by one, in pages. */
async function checkKeys<Key extends number | string>(
  connection: Connection,
  { query, first, limit }: { readonly query: string; readonly first: Key; readonly limit: number },
  check: (key: Key) => Problem[] | Promise<Problem[]>,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (let last = first; ; ) {
    const after = last;
    const rows = await readSnapshot(connection, () => connection.sql(query).all(after, limit));
    if (rows.length === 0) return problems;
    for (const { key } of rows) {
      problems.push(...(await check(key as Key)));
      last = key as Key;
    }
    await nextTurn();
  }
}

function checkRuns(connection: Connection): Promise<Problem[]> {
  const query = 'SELECT key FROM runs WHERE key > ? ORDER BY key LIMIT ?';
  return checkKeys(connection, { query, first: 0, limit: RUNS_AT_ONCE }, (key) =>
    problemsOf(() => readSnapshot(connection, () => checkRun(connection, key))),
  );
}

/** Checks the database, the files next to it with its name as prefix, and its recorded backups. */
function checkModes({ path, db }: Connection): Problem[] {
  if (path === undefined || process.platform === 'win32') return [];
  const siblings = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
  const backups = db.prepare('SELECT path FROM database_backups').all();
  const files = new Set([...siblings.map((name) => join(dirname(path), name)), ...backups.map((row) => String(row.path))]);
  return [...files].flatMap((file) => {
    if (!existsSync(file) || (statSync(file).mode & 0o077) === 0) return [];
    return [{ what: `${file} can be read by other users; remove that permission with: chmod go= ${file}`, isReadable: true }];
  });
}

function checkPages({ db }: Connection): Problem[] {
  const found = db.prepare('PRAGMA integrity_check').all();
  return found.flatMap((row) => (row.integrity_check === 'ok' ? [] : [{ what: String(row.integrity_check) }]));
}

function checkRun(connection: Connection, key: number): Problem[] {
  let row: RunRow | undefined;
  try {
    row = readRunRowByKey(connection, key);
    if (row === undefined) return [];
    // The log first: its error names the first damaged record.
    const folded = foldLog(connection, row);
    const { state } = verifyRun(connection, row);
    readData(connection, row);
    const attempts = readAttempts(connection, row).length;
    if (attempts !== row.attempts) throw damagedRun(row.id, `${row.attempts} attempts ended, but ${attempts} are stored`);
    readInbox(connection, row, 0);
    if (plain(folded) === plain(state)) return [];
    return [{ run: row.id, seq: row.seq, what: 'the folded log differs from the stored checkpoint' }];
  } catch (error) {
    const seq = isEngineError(error) ? error.details.seq : undefined;
    return [problemAt(row?.id, seq, messageOf(error))];
  }
}

function foldLog(connection: Connection, row: RunRow): RunState | undefined {
  let state: RunState | undefined;
  for (let after = 0; after < row.seq; after += ROWS_AT_ONCE) {
    for (const { events } of readLog(connection, row, { after, limit: ROWS_AT_ONCE })) state = applyRow(state, events);
  }
  return state;
}

function plain(state: RunState | undefined): string {
  return canonicalJson(JSON.parse(JSON.stringify(state ?? null)) as Json);
}

function checkValues(connection: Connection): Promise<Problem[]> {
  const query = 'SELECT digest AS key FROM contents WHERE digest > ? ORDER BY digest LIMIT ?';
  return checkKeys(connection, { query, first: '', limit: VALUES_AT_ONCE }, (digest) => {
    const text = connection.sql('SELECT text FROM contents WHERE digest = ?').get(digest)?.text;
    const isWhole = typeof text === 'string' && digestText(text) === digest;
    return isWhole ? [] : [{ what: `the value ${digest} was changed after it was written` }];
  });
}

const REF = /\{"digest":"([0-9a-f]{64})","bytes":\d+\}/g;

/** Finds values that a log, a run, data or mail refers to and that do not exist; each once per run. */
function missingValues(connection: Connection): Problem[] {
  const missing = new Map<string, Problem>();
  const present = new Set<string>();
  const expectValue = (digest: string, run: unknown, holder: string): void => {
    const key = `${digest} ${run}`;
    if (present.has(digest) || missing.has(key)) return;
    if (connection.sql('SELECT 1 FROM contents WHERE digest = ?').get(digest) !== undefined) present.add(digest);
    else missing.set(key, { run: String(run), what: `the value ${digest.slice(0, 12)} of ${holder} of run ${run} is missing` });
  };
  const rows = connection.sql('SELECT r.id, e.seq, e.body FROM events e JOIN runs r ON r.key = e.run ORDER BY e.place').iterate();
  for (const { id, seq, body } of rows)
    for (const [, digest = ''] of String(body).matchAll(REF)) expectValue(digest, id, `record ${seq} of the log`);
  const named = `SELECT r.id, r.params AS digest, 'the params' AS holder FROM runs r WHERE r.params IS NOT NULL
    UNION ALL SELECT r.id, d.digest, 'the data' FROM data d JOIN runs r ON r.key = d.run WHERE d.digest IS NOT NULL`;
  for (const { id, digest, holder } of connection.sql(named).iterate()) expectValue(String(digest), id, String(holder));
  const mail = connection.sql('SELECT r.id, m.body FROM mail m JOIN runs r ON r.key = m.run WHERE m.body IS NOT NULL').iterate();
  for (const { id, body } of mail) for (const [, digest = ''] of String(body).matchAll(REF)) expectValue(digest, id, 'the mail');
  return [...missing.values()];
}
