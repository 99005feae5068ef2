// Owns the audit: who did what, when and from where. Reading is not recorded; every change, every login and every failed
// login is. It is bounded, so that failed logins cannot fill the disk; they have their own limit, so that they cannot push
// out other entries.

import { omitUndefined } from '../../base/fields.ts';
import { shortLine } from '../../base/short-text.ts';
import { nullable, number, rowAs, text } from '../../base/sql-row.ts';
import type { RequestAct } from '../route.ts';
import type { AccessStore } from './tables.ts';

/** One line of the audit. */
export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** Null for a failed login. */
  readonly person: string | null;
  /** How they were authenticated: `session`, `token`, `link`, `passkey`, `terminal`; `none` if they were not. */
  readonly via: string;
  /** A verb such as `login`, `decide`, `cancel`; for other requests the HTTP method. */
  readonly action: string;
  /** The subject: run, step and choice in one string; a person, a token, the path of a request. */
  readonly about: string;
  readonly run: string | null;
  /** The step, the approval or the assumption that it was about. */
  readonly step: string | null;
  /** What was chosen: an option, how to resume, the name of a signal. */
  readonly choice: string | null;
  readonly address: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
}

const KEPT_MAX = 100_000;
const FAILED_MAX = 10_000;
/** Old entries are deleted after every so many new ones. */
const TRIM_EVERY = 1000;
const ABOUT_MAX = 300;

type NewEntry = Pick<AuditEntry, 'person' | 'via' | 'action' | 'address' | 'outcome'>;

/** Records an entry that is not about a run. */
export function recordAudit(access: AccessStore, { about, ...entry }: NewEntry & Pick<AuditEntry, 'about'>): void {
  insert(access, { ...entry, about, run: null, step: null, choice: null });
}

/** Records an action of a request. */
export function recordAct(
  access: AccessStore,
  by: Omit<NewEntry, 'action'>,
  { action, about, run, step, choice, outcome }: RequestAct,
): void {
  const whole = [run, step, choice].filter((part) => part !== undefined && part !== '').join(' ');
  insert(access, {
    ...by,
    action,
    about: about ?? whole,
    run: run ?? null,
    step: step ?? null,
    choice: choice ?? null,
    ...omitUndefined({ outcome }),
  });
}

function insert({ database, now }: AccessStore, entry: Omit<AuditEntry, 'id' | 'at'>): void {
  const { person, via, action, address, outcome, about, run, step, choice } = entry;
  const shown = (text: string | null): string | null => (text === null ? null : shortLine(withoutSecrets(text), ABOUT_MAX));
  const written = { about: shown(about), run: shown(run), step: shown(step), choice: shown(choice) };
  const { id } = database.insert('audit', { at: now(), person, via, action, address, outcome, ...written });
  if (id % TRIM_EVERY !== 0) return;
  database.run('DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE person IS NULL ORDER BY id DESC LIMIT -1 OFFSET ?)', FAILED_MAX);
  database.run(
    'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE person IS NOT NULL ORDER BY id DESC LIMIT -1 OFFSET ?)',
    KEPT_MAX,
  );
}

/** Masks secrets in a text: the path of a link contains one. */
function withoutSecrets(text: string): string {
  return text.replace(/\b(pawl[lpst]_)[\w-]+/g, '$1…');
}

/** The entries before an id, newest first. */
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

const entryOf = rowAs({
  ...{ id: number, at: number, person: nullable(text), via: text, action: text, about: text },
  ...{ run: nullable(text), step: nullable(text), choice: nullable(text), address: text, outcome: text },
});
