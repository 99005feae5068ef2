// Owns the list of running servers of a database, so that a command can leave a run to one.

import { existsSync } from 'node:fs';
import { createOwner, isDead } from '../../process/owner.ts';
import { EVENT_TABLES } from '../../server/events/tables.ts';
import { openServerDatabase, type ServerDatabase, serverFileOf } from '../../server/server-database.ts';

/** A server that drives every run of a database. */
export interface RunningServer {
  readonly owner: string;
  readonly url: string;
}

/** Adds a server to the list; returns a function that removes it. */
export function registerServer(database: ServerDatabase, url: string): () => void {
  const owner = createOwner();
  for (const { owner: other } of database.all('SELECT owner FROM servers'))
    if (isDead(String(other))) database.run('DELETE FROM servers WHERE owner = ?', String(other));
  database.run('INSERT INTO servers (owner, url, since) VALUES (?, ?, ?)', owner, url, Date.now());
  return () => void database.run('DELETE FROM servers WHERE owner = ?', owner);
}

/** A running server of a database, as far as can be told. */
export function findServer(runs: string): RunningServer | undefined {
  const file = serverFileOf(runs);
  if (runs === ':memory:' || !existsSync(file)) return undefined;
  using database = openServerDatabase(file, [EVENT_TABLES]);
  const all = database
    .all('SELECT owner, url FROM servers ORDER BY since DESC')
    .map(({ owner, url }) => ({ owner: String(owner), url: String(url) }));
  return all.find(({ owner }) => !isDead(owner));
}
