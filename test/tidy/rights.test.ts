// Every verb of the command line, every option of it and every action says in the table of rights what it takes.

import { expect, test } from 'vitest';
import { RIGHTS } from '../../src/authority/rights.ts';
import { COMMANDS } from '../../src/cli/catalogue.ts';

/** What a command has that the table must know. */
function partsOf({ name, options = [], args = [] }: (typeof COMMANDS)[number]): string[] {
  const actions = args.find((argument) => argument.name === 'ACTION')?.choices ?? [];
  return [name, ...options.map((option) => `${name} --${option.name}`), ...actions.map((action) => `${name} ${action}`)].sort();
}

test('every verb, option and action has a row, and no row is about something that does not exist', () => {
  const rows = Object.entries(RIGHTS).flatMap(([verb, { free = [], options = {}, actions = {} }]) => [
    verb,
    ...[...free, ...Object.keys(options)].map((option) => `${verb} --${option}`),
    ...Object.keys(actions).map((action) => `${verb} ${action}`),
  ]);
  expect(rows.sort()).toEqual(COMMANDS.flatMap(partsOf).sort());
});
