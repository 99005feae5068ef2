// Owns reading the accounts of the local forge: rights, teams, and its own identity; also required checks and finished actions.

import { text } from '../../base/sql-row.ts';
import type { ForgeReader } from '../forge.ts';
import { doneAction, SELECT_DONE } from '../ledger.ts';
import { refuseMissing, type ThrowingMethods } from '../refusal.ts';
import type { LocalDatabase } from './database.ts';
import { readAccount } from './state.ts';

/** Creates the reader of accounts and of finished actions. */
export function createAccountReader(
  database: LocalDatabase,
): ThrowingMethods<Pick<ForgeReader, 'requiredChecks' | 'permission' | 'members' | 'whoami' | 'done'>> {
  return {
    requiredChecks: async (branch) =>
      database.all('SELECT name FROM required_checks WHERE branch = ? ORDER BY name', branch).map(({ name }) => text(name, 'name')),
    permission: async (actor) => readAccount(database, actor).permission,
    members: async (team) => {
      const rows = database.all('SELECT login FROM teams WHERE name = ? ORDER BY login', team);
      return rows.length === 0 ? refuseMissing(`there is no team "${team}"`) : rows.map(({ login }) => text(login, 'login'));
    },
    whoami: async () => ({
      login: database.actor,
      ...readAccount(database, database.actor),
      checks: 'check_runs',
      account: 'own',
    }),
    done: async (prefix) => database.all(SELECT_DONE, prefix, prefix).map(doneAction),
  };
}
