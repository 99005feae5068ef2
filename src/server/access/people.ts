// Owns the people who may log in: their scopes, whether they manage others, and revoking everything they have.
//
// - A name is unique in any spelling: two spellings of one name would count as two people in an approval by several.
// - Groups are not stored here. They come from the settings, which approvals use too, so that there is one list.

import { assertName } from '../../authority/keys.ts';
import { LOGIN_SCOPES, type LoginScope } from '../../authority/rights.ts';
import { EngineError } from '../../base/error.ts';
import { foldedName } from '../../base/person.ts';
import { flag, nullable, number, rowAs, text } from '../../base/sql-row.ts';
import type { AccessStore } from './tables.ts';

/** A person who may log in, or who was revoked. */
export interface Person {
  readonly name: string;
  readonly scopes: readonly LoginScope[];
  /** True if the person may invite and revoke others. */
  readonly manages: boolean;
  readonly invitedBy: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

type NewPerson = Pick<Person, 'name' | 'scopes' | 'manages' | 'invitedBy'>;

/** All people, by name. */
export function readPeople({ database }: AccessStore): readonly Person[] {
  return database.all('SELECT * FROM people ORDER BY name').map(personOf);
}

/** A person who is not revoked. */
export function findPerson({ database }: AccessStore, name: string): Person | undefined {
  const row = database.get('SELECT * FROM people WHERE folded = ? AND revoked_at IS NULL', foldedName(name));
  return row === undefined ? undefined : personOf(row);
}

/** A person who is not revoked; an error if there is none. */
export function requirePerson(store: AccessStore, name: string): Person {
  const person = findPerson(store, name);
  if (person !== undefined) return person;
  throw new EngineError(
    'PERSON_UNKNOWN',
    `"${name}" cannot log in here: no such person, or revoked; "pawl access people" lists the people, and "pawl access invite NAME" invites one`,
    { details: { name } },
  );
}

/** Adds a person. One who was revoked before does not get the earlier logins back. */
export function addPerson({ database, now }: AccessStore, { name, scopes, manages, invitedBy }: NewPerson): Person {
  assertName(name);
  const folded = foldedName(name);
  const found = database.get('SELECT * FROM people WHERE folded = ?', folded);
  const known = found === undefined ? undefined : personOf(found);
  if (known !== undefined && known.revokedAt === null)
    throw new EngineError('USAGE', `"${known.name}" can already log in; "pawl access login ${known.name}" prints a new link for them`);
  if (known !== undefined && known.name !== name)
    throw new EngineError('USAGE', `a person "${known.name}" was revoked; use that spelling to invite them again, or another name`);
  const row: Person = { name, scopes: withView(scopes), manages, invitedBy, createdAt: now(), revokedAt: null };
  database.run(
    `INSERT INTO people (name, folded, scopes, manages, invited_by, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET scopes = excluded.scopes, manages = excluded.manages, invited_by = excluded.invited_by,
       created_at = excluded.created_at, revoked_at = NULL`,
    ...[name, folded, row.scopes.join(' '), Number(manages), invitedBy, row.createdAt],
  );
  return row;
}

/** Revokes a person: no session, token, passkey or link of theirs works from now on. */
export function revokePerson(store: AccessStore, name: string): Person {
  const { database, now } = store;
  return database.transaction(() => {
    const person = requirePerson(store, name);
    for (const table of ['sessions', 'tokens', 'passkeys', 'links', 'challenges'])
      database.run(`DELETE FROM ${table} WHERE person = ?`, person.name);
    const atMs = now();
    database.run('UPDATE people SET revoked_at = ? WHERE name = ?', atMs, person.name);
    return { ...person, revokedAt: atMs };
  });
}

/** The scopes in order, each once; every other scope includes `view`. */
export function withView(scopes: readonly LoginScope[]): readonly LoginScope[] {
  return LOGIN_SCOPES.filter((scope) => scope === 'view' || scopes.includes(scope));
}

/** Parses stored scopes. */
export function scopesIn(stored: string): readonly LoginScope[] {
  return LOGIN_SCOPES.filter((scope) => stored.split(' ').includes(scope));
}

const personOf = rowAs({
  ...{ name: text, scopes: (value, name) => scopesIn(text(value, name)), manages: flag, invitedBy: text },
  ...{ createdAt: number, revokedAt: nullable(number) },
});
