// Owns the note of `pawl doctor` and `pawl db check` about a write-ahead log that was kept when the end of its database was lost.

import { readLostLog } from '../store/sqlite/lost-log.ts';

/** The contents of a kept log, and what to do with it; undefined if there is none. */
export function lostLogNote(file: string): { readonly what: string; readonly hint: string } | undefined {
  const log = readLostLog(file);
  if (log === undefined) return undefined;
  const { path, at, transactions, unreadable } = log;
  const held = transactions === 0 ? 'nothing in it can be counted' : `it holds ${transactions} changes, about one per step`;
  const lost = unreadable === 0 ? '' : `, and ${unreadable} of them come after the damage and are not in the database`;
  return {
    what: `${path} is the write-ahead log that was kept when the end of the database was lost (${new Date(at).toISOString()}); ${held}${lost}`,
    hint: `Pawl does not apply it, because nothing proves what follows the damage; keep it for a tool that recovers SQLite pages, or remove it once the runs are restored or adopted: rm ${path}`,
  };
}
