// Owns what the local forge knows of people: their rights, their teams, and who it acts as; also what was done under
// which key.

import type { ForgeReader } from '../forge.ts';
import { doneAction, SELECT_DONE } from '../ledger.ts';
import type { LocalDatabase } from './database.ts';
import { readAccount } from './state.ts';

type AccountReader = Pick<ForgeReader, 'requiredChecks' | 'permission' | 'members' | 'whoami' | 'done'>;

/** Creates the reader of people and of the ledger. */
export function createAccountReader(database: LocalDatabase): AccountReader {
  return {
    requiredChecks: async (branch) => {
      const rows = database.all('SELECT name FROM required_checks WHERE branch = ? ORDER BY name', branch);
      return { result: 'ok', value: rows.map(({ name }) => String(name)) };
    },
    permission: async (actor) => ({ result: 'ok', value: readAccount(database, actor).permission }),
    members: async (team) => {
      const rows = database.all('SELECT login FROM teams WHERE name = ? ORDER BY login', team);
      if (rows.length === 0) return { result: 'not_found', message: `there is no team "${team}"` };
      return { result: 'ok', value: rows.map(({ login }) => String(login)) };
    },
    whoami: async () => {
      const own = { checks: 'check_runs' as const, account: 'own' as const };
      const value = { login: database.actor, ...readAccount(database, database.actor), ...own };
      return { result: 'ok', value };
    },
    done: async (prefix) => ({ result: 'ok', value: database.all(SELECT_DONE, prefix, prefix).map(doneAction) }),
  };
}
