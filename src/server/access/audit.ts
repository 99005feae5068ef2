// Owns the audit: who did what, when and from where. Reading is not recorded; every change, every login and every failed
// login is. It is bounded, so that failed logins cannot fill the disk; and they have a bound of their own, so that they
// cannot push out what people did.

import type { ServerRow } from '../server-database.ts';
import type { AccessStore } from './tables.ts';

/** One line of the audit. */
export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** Absent if nobody was known: a failed login. */
  readonly person: string | null;
  /** How they proved who they are: `session`, `token`, `link`, `passkey`, `terminal`; `none` if they did not. */
  readonly via: string;
  /** What was done, such as `login`, `invite`, `POST /api/v1/runs/:id/decide`. */
  readonly action: string;
  /** To what: a run, a person, a token. */
  readonly about: string;
  readonly address: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
}

const KEPT_MAX = 100_000;
const FAILED_MAX = 10_000;
/** How often the end is cut off. */
const TRIM_EVERY = 1000;
const ABOUT_MAX = 300;

/** Records a line. */
export function recordAudit({ database, now }: AccessStore, entry: Omit<AuditEntry, 'id' | 'at'>): void {
  const { person, via, action, about, address, outcome } = entry;
  const row = database.get(
    'INSERT INTO audit (at, person, via, action, about, address, outcome) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id',
    ...[now(), person, via, action, withoutSecrets(about).slice(0, ABOUT_MAX), address, outcome],
  );
  const id = Number(row?.id ?? 0);
  if (id % TRIM_EVERY !== 0) return;
  database.run('DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE person IS NULL ORDER BY id DESC LIMIT -1 OFFSET ?)', FAILED_MAX);
  database.run(
    'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE person IS NOT NULL ORDER BY id DESC LIMIT -1 OFFSET ?)',
    KEPT_MAX,
  );
}

/** A text in which secrets are only named: the path of a link contains one. */
function withoutSecrets(text: string): string {
  return text.replace(/\b(pawl[lpst]_)[\w-]+/g, '$1…');
}

/** The lines before a position, newest first. */
export function readAudit(
  { database }: AccessStore,
  { before = Number.MAX_SAFE_INTEGER, limit, person }: { readonly before?: number; readonly limit: number; readonly person?: string },
): readonly AuditEntry[] {
  const rows =
    person === undefined
      ? database.all('SELECT * FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?', before, limit)
      : database.all('SELECT * FROM audit WHERE person = ? AND id < ? ORDER BY id DESC LIMIT ?', person, before, limit);
  return rows.map(entryOf);
}

function entryOf(row: ServerRow): AuditEntry {
  return {
    id: Number(row.id),
    at: Number(row.at),
    person: row.person === null ? null : String(row.person),
    via: String(row.via),
    action: String(row.action),
    about: String(row.about),
    address: String(row.address),
    outcome: String(row.outcome),
  };
}
