// Owns the words that only the project knows: its runs, its workflows, the steps of one of them. They are read, never
// run: the store without changing it, workflows by parsing. Whatever goes wrong is no word, since a shell that
// completes has no place for a message.
//
// W1. A word that a shell would not take as it stands is not offered: it would become code on the user's own line.

import { existsSync } from 'node:fs';
import type { Store } from '../store/store.ts';
import { COMMON_OPTIONS, type CommandSpec, Given } from './command.ts';
import type { AskedWords } from './completion.ts';
import { discoverProject } from './definitions.ts';
import { findPlace, type Place } from './session.ts';
import type { Shell } from './shell.ts';

const RUNS_MAX = 100;
/** A key that is pressed in a shell does not wait for a lock as a command does. */
const BUSY_MS = 200;
const SAFE = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@+-]*$/u;

/** The words of a kind that fit a line; the last word of the line is the one being typed. */
export async function askedWords(
  shell: Shell,
  commands: readonly CommandSpec[],
  asked: { readonly what: AskedWords; readonly line: readonly string[] },
): Promise<readonly string[]> {
  const typed = (asked.line.at(-1) ?? '').replace(/^--?[\w-]+=/, '');
  const given = lineOf(commands, asked.line.slice(0, -1));
  try {
    const place = await findPlace(shell, given);
    const words = await WORDS[asked.what]({ place, typed, first: given.maybe('FIRST') });
    return words.filter((word) => word.startsWith(typed) && SAFE.test(word));
  } catch {
    return [];
  }
}

interface Question {
  readonly place: Place;
  readonly typed: string;
  /** The first word after the command: the run or the workflow whose steps are meant. */
  readonly first: string | undefined;
}

const WORDS: Readonly<Record<AskedWords, (question: Question) => Promise<readonly string[]>>> = {
  run: ({ place, typed }) =>
    withStore(place, async (store) => (await store.list({ idPrefix: typed, limit: RUNS_MAX })).map(({ id }) => id)),
  workflow: async ({ place }) => (await discoverProject(place.project)).workflows.map(({ name }) => name),
  step: async (question) => {
    const steps = await stepsOfRun(question);
    return steps.length > 0 ? steps : stepsOfWorkflow(question);
  },
};

function stepsOfRun({ place, first = '' }: Question): Promise<readonly string[]> {
  return withStore(place, async (store) => {
    const [run, other] = await store.resolve(first, 2);
    if (run === undefined || other !== undefined) return [];
    return (await store.load(run)).definition.steps.map(({ id }) => id);
  });
}

async function stepsOfWorkflow({ place, first }: Question): Promise<readonly string[]> {
  const { workflows } = await discoverProject(place.project);
  return workflows.find(({ name }) => name === first)?.steps ?? [];
}

async function withStore<T>(place: Place, read: (store: Store) => Promise<readonly T[]>): Promise<readonly T[]> {
  if (!existsSync(place.file)) return [];
  const { openSqliteStore } = await import('../store/sqlite/open.ts');
  const store = await openSqliteStore({ file: place.file, busyMs: BUSY_MS });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

/** What a line that is not finished has given already: options of all commands, and the first word. */
function lineOf(commands: readonly CommandSpec[], line: readonly string[]): Given {
  const [command, ...rest] = line;
  const options = [...(commands.find(({ name }) => name === command)?.options ?? []), ...COMMON_OPTIONS];
  const values = new Map<string, readonly string[]>();
  const words: string[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] as string;
    const option = options.find(({ name, short }) => word.split('=')[0] === `--${name}` || word === `-${short}`);
    if (option === undefined || option.value === undefined) {
      if (!word.startsWith('-')) words.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const value = equals === -1 ? rest[index + 1] : word.slice(equals + 1);
    if (equals === -1) index += 1;
    if (value !== undefined) values.set(option.name, [value]);
  }
  return new Given(new Map([['FIRST', words.slice(0, 1)]]), values, new Set());
}
