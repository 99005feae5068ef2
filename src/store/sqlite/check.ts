// Owns the check of the whole store: the file as SQLite sees it, who may read it, every chain, every value, and every
// checkpoint against its folded log. It goes run by run, so that other work can be done in between.

import { existsSync, statSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { digestText } from '../../base/digest.ts';
import { isEngineError, messageOf } from '../../base/error.ts';
import { canonicalJson, type Json } from '../../base/json.ts';
import { applyRow } from '../../kernel/apply.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { StoreReport } from '../store.ts';
import { readAttempts } from './attempts.ts';
import { type Connection, readSnapshot } from './connection.ts';
import { readData } from './contents.ts';
import { damagedRun } from './failure.ts';
import { readLog } from './log.ts';
import { readInbox } from './mail.ts';
import { versionOf } from './migrate.ts';
import { type RunRow, readRunRowByKey, verifyRun } from './run-row.ts';

const ROWS_AT_ONCE = 1000;
const RUNS_AT_ONCE = 100;
const VALUES_AT_ONCE = 100;

type Problem = StoreReport['problems'][number];

/** Verifies everything and reports what is wrong, as far as the file can be read. */
export async function checkStore(connection: Connection): Promise<StoreReport> {
  const problems: Problem[] = [...checkModes(connection.path)];
  for (const look of [checkPages, checkRuns, checkValues, missingValues]) problems.push(...(await reported(() => look(connection))));
  return { ok: problems.length === 0, file: connection.name, schemaVersion: versionOf(connection.db), problems };
}

// What cannot be read at all is a problem like any other; the rest is still checked.
async function reported(look: () => Problem[] | Promise<Problem[]>): Promise<Problem[]> {
  try {
    return await look();
  } catch (error) {
    return [{ what: messageOf(error) }];
  }
}

async function checkRuns(connection: Connection): Promise<Problem[]> {
  const problems: Problem[] = [];
  let last = 0;
  for (;;) {
    const from = last;
    const keys = await readSnapshot(connection, () =>
      connection.sql('SELECT key FROM runs WHERE key > ? ORDER BY key LIMIT ?').all(from, RUNS_AT_ONCE),
    );
    if (keys.length === 0) return problems;
    for (const { key } of keys) {
      problems.push(...(await reported(() => readSnapshot(connection, () => checkRun(connection, key as number)))));
      last = key as number;
    }
    await turn();
  }
}

function checkModes(path: string | undefined): Problem[] {
  if (path === undefined || process.platform === 'win32') return [];
  return [path, `${path}-wal`, `${path}-shm`, `${path}.bells`].flatMap((file) => {
    if (!existsSync(file) || (statSync(file).mode & 0o077) === 0) return [];
    return [{ what: `${file} can be read by other users; remove that permission with: chmod go= ${file}` }];
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
    // The log first: its error names the first wrong record.
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
    return [{ ...(row === undefined ? {} : { run: row.id }), ...(typeof seq === 'number' ? { seq } : {}), what: messageOf(error) }];
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

async function checkValues(connection: Connection): Promise<Problem[]> {
  const problems: Problem[] = [];
  let last = '';
  for (;;) {
    const from = last;
    const rows = await readSnapshot(connection, () =>
      connection.sql('SELECT digest FROM contents WHERE digest > ? ORDER BY digest LIMIT ?').all(from, VALUES_AT_ONCE),
    );
    if (rows.length === 0) return problems;
    for (const { digest } of rows) {
      const text = connection.sql('SELECT text FROM contents WHERE digest = ?').get(String(digest))?.text;
      if (typeof text !== 'string' || digestText(text) !== digest)
        problems.push({ what: `the value ${digest} was changed after it was written` });
      last = String(digest);
    }
    await turn();
  }
}

function missingValues(connection: Connection): Problem[] {
  const rows = connection
    .sql(`SELECT r.id, a.step, a.output AS digest FROM attempts a JOIN runs r ON r.key = a.run
      WHERE a.output IS NOT NULL AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.digest = a.output) ORDER BY r.key, a.id`)
    .all();
  return rows.map(({ id, step, digest }) => ({ run: String(id), what: `the output ${digest} of step ${step} is missing` }));
}
