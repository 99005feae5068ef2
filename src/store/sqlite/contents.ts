// Owns values, addressed by content: each text is stored once under its digest and verified whenever it is read; and the
// data of checkpoints, which refers to a value where its text is long.

import type { Ref } from '../../base/digest.ts';
import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { Delta, StoredValue } from '../store.ts';
import { sumOf } from './chain.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import type { RunRow } from './run-row.ts';

const VALUE_BYTES_MAX = 512 * 1024 * 1024;
const INLINE_CHARACTERS_MAX = 64 * 1024;

/** Writes values that are not there yet. */
export function writeValues(connection: Connection, values: readonly StoredValue[]): void {
  for (const { ref, text } of values) insertValue(connection, ref, text);
}

function insertValue(connection: Connection, { digest, bytes }: Ref, text: string): void {
  if (Math.max(bytes, text.length) > VALUE_BYTES_MAX) {
    const limit = `${VALUE_BYTES_MAX / 1024 / 1024} MB`;
    const message = `a value of ${bytes} bytes is over the limit of ${limit}; keep it in a file and return its path`;
    throw new EngineError('VALUE_TOO_LARGE', message, { details: { bytes } });
  }
  connection.sql('INSERT INTO contents (digest, text) VALUES (?, ?) ON CONFLICT DO NOTHING').run(digest, text);
}

/** Texts by digest; a missing or changed one is RUN_DAMAGED, naming the run and step that refer to it. */
export function readValues(connection: Connection, digests: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const digest of digests) if (!found.has(digest)) found.set(digest, readValue(connection, digest));
  return found;
}

function readValue(connection: Connection, digest: string): string {
  const row = connection.sql('SELECT text FROM contents WHERE digest = ?').get(digest);
  if (row === undefined) throw damagedValue(connection, digest, 'is missing');
  if (typeof row.text !== 'string' || digestText(row.text) !== digest)
    throw damagedValue(connection, digest, 'was changed after it was written');
  return row.text;
}

function damagedValue(connection: Connection, digest: string, fault: string): EngineError {
  const user = connection
    .sql('SELECT r.id, a.step FROM attempts a JOIN runs r ON r.key = a.run WHERE a.output = ?1 OR a.claim = ?1 OR a.evidence = ?1 LIMIT 1')
    .get(digest);
  const whose = user === undefined ? '' : ` of step ${user.step}`;
  return damagedRun(String(user?.id ?? '(unknown)'), `the value ${digest.slice(0, 12)}${whose} ${fault}`, { digest, step: user?.step });
}

/** Writes the keys of the checkpoint's data that changed. */
export function writeData(connection: Connection, run: number, changes: Delta['data']): void {
  for (const { key, text } of changes) {
    const long = text.length > INLINE_CHARACTERS_MAX;
    const digest = long ? digestText(text) : null;
    if (digest !== null) insertValue(connection, { digest, bytes: text.length }, text);
    connection
      .sql(
        'INSERT INTO data (run, key, digest, sum, text) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET digest = excluded.digest, sum = excluded.sum, text = excluded.text',
      )
      .run(run, key, digest, long ? 0 : sumOf([run, key], text), long ? null : text);
  }
}

/** The checkpoint's data: the given keys that exist, or all of them. */
export function readData(connection: Connection, row: RunRow, keys?: readonly string[]): Map<string, Json> {
  const data = new Map<string, Json>();
  const rows =
    keys === undefined
      ? connection.sql('SELECT * FROM data WHERE run = ? ORDER BY key').all(row.key)
      : keys.flatMap((key) => connection.sql('SELECT * FROM data WHERE run = ? AND key = ?').all(row.key, key));
  for (const found of rows) data.set(String(found.key), parseData(connection, row, found));
  return data;
}

function parseData(connection: Connection, row: RunRow, found: Record<string, unknown>): Json {
  const run = row.id;
  const subject = `the data under "${found.key}"`;
  if (found.digest === null && sumOf([row.key, found.key], String(found.text)) !== found.sum) {
    throw damagedRun(run, `${subject} was changed after it was written`, { key: found.key });
  }
  const text = found.digest === null ? String(found.text) : readValue(connection, String(found.digest));
  return parseStored(run, subject, () => JSON.parse(text) as Json);
}
