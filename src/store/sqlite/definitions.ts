// Owns the definitions that runs are frozen to: each text once per digest of its functions, verified when it is read.

import { digestText } from '../../base/digest.ts';
import { deepFreeze } from '../../base/json.ts';
import type { Definition } from '../../definition/model.ts';
import type { RunCreation } from '../store.ts';
import { toBlob, toHex } from './chain.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import type { RunRow } from './run-row.ts';

const DEFINITIONS_MAX = 64;

/** The id of the definition with the given hash; writes it if it is new. */
export function writeDefinition(connection: Connection, hash: string, { definition, codeHash }: RunCreation): number {
  const found = connection.sql('SELECT id FROM definitions WHERE hash = ? AND code = ?').get(hash, codeHash);
  if (found !== undefined) return found.id as number;
  const text = JSON.stringify(definition);
  const { lastInsertRowid } = connection
    .sql('INSERT INTO definitions (hash, code, name, form, digest, text) VALUES (?, ?, ?, ?, ?, ?)')
    .run(hash, codeHash, definition.name, definition.form, toBlob(digestText(text)), text);
  return Number(lastInsertRowid);
}

/** Lets a run continue with changed functions: the same definition with the new digest. Returns its id. */
export function changeCode(connection: Connection, { key, definition, hash }: RunRow, code: string): number {
  connection
    .sql(
      `INSERT INTO definitions (hash, code, name, form, digest, text)
       SELECT hash, ?, name, form, digest, text FROM definitions WHERE id = ? ON CONFLICT DO NOTHING`,
    )
    .run(code, definition);
  const id = connection.sql('SELECT id FROM definitions WHERE hash = ? AND code = ?').get(hash, code)?.id as number;
  connection.sql('UPDATE runs SET definition = ? WHERE key = ?').run(id, key);
  return id;
}

/** Returns a function that reads definitions, with a cache. */
export function openDefinitions(connection: Connection): (row: RunRow) => Definition {
  const cache = new Map<number, Definition>();
  return (row) => {
    const cached = cache.get(row.definition);
    if (cached !== undefined) return cached;
    const found = connection.sql('SELECT digest, text FROM definitions WHERE id = ?').get(row.definition);
    const text = String(found?.text);
    if (digestText(text) !== toHex(found?.digest))
      throw damagedRun(row.id, 'the definition it is frozen to was changed after it was written');
    const definition = deepFreeze(parseStored(row.id, 'its definition', () => JSON.parse(text) as Definition));
    if (cache.size >= DEFINITIONS_MAX) cache.delete(cache.keys().next().value as number);
    cache.set(row.definition, definition);
    return definition;
  };
}
