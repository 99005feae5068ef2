// Owns what can come next on an unfinished command line. Shells ask with `pawl __complete WORD...`, whose last word is
// the one being typed. Runs, workflows and steps are read, never run: the store without changing it, workflows by
// parsing. Whatever fails completes to nothing, since a shell has no place for a message here.
//
// - A name that a shell would not take as it stands is not offered: it would become code on the user's own line.

import { existsSync } from 'node:fs';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { type ArgumentSpec, COMMON_OPTIONS, type CommandSpec, commandNamed, type OptionSpec, ParsedArgs } from '../command.ts';
import { discoverProject } from '../definitions.ts';
import { closing, findPlace, type Place } from '../session.ts';
import { Shell, type World } from '../shell.ts';
import { skillFolders } from '../skills/folders.ts';
import { shippedSkills } from '../skills/shipped.ts';

const RUNS_MAX = 100;
/** A key that is pressed in a shell does not wait for a lock as long as a command does. */
const BUSY_MS = 200;
const SAFE = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@+-]*$/u;

interface Candidate {
  readonly word: string;
  readonly about?: string;
}

/** Words that can come next, or paths, which every shell completes by itself. */
type Completion = { readonly kind: 'words'; readonly words: readonly Candidate[] } | { readonly kind: 'files' | 'folders' };

/** The lines for a shell: a word and, after a tab, what it is; or `:files` or `:folders` for paths. */
export async function completionLines(world: World, commands: readonly CommandSpec[], line: readonly string[]): Promise<readonly string[]> {
  try {
    const completion = await complete(world, commands, line);
    if (completion.kind !== 'words') return [`:${completion.kind}`];
    const typed = line.at(-1) ?? '';
    const fitting = completion.words.filter(({ word }) => word.startsWith(typed));
    return fitting.map(({ word, about }) => (about === undefined ? word : `${word}\t${about}`));
  } catch {
    return [];
  }
}

/** What was read of a line before the word being typed. */
interface ReadLine {
  /** The words by their places, the command left out. */
  readonly places: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The option that takes the word being typed as its value. */
  readonly awaiting: OptionSpec | undefined;
  /** True after `--`. */
  readonly onlyWords: boolean;
}

async function complete(world: World, commands: readonly CommandSpec[], line: readonly string[]): Promise<Completion> {
  const [name, ...rest] = line;
  const typed = rest.at(-1);
  const names = commands.map((command) => ({ word: command.name, about: command.summary }));
  if (name === undefined || typed === undefined)
    return wordsOf([...names, { word: 'help', about: 'show the help of a command' }, { word: '--help' }, { word: '--version' }]);
  if (name === 'help') return wordsOf(rest.length === 1 ? names : []);
  const command = commandNamed(commands, name);
  if (command === undefined) return wordsOf([]);
  const options = [...(command.options ?? []), ...COMMON_OPTIONS];
  const before = readLine(options, rest.slice(0, -1));
  const question = { world, names, before, prefix: '', typed };
  if (before.awaiting !== undefined) return valuesOf(before.awaiting, question);
  if (!before.onlyWords && typed.startsWith('-')) {
    const [flag = '', value] = typed.split('=', 2);
    if (value === undefined) return wordsOf(options.map((option) => ({ word: `--${option.name}`, about: option.about })));
    const option = options.find((one) => flag === `--${one.name}`);
    return option?.value === undefined ? wordsOf([]) : valuesOf(option, { ...question, prefix: `${flag}=`, typed: value });
  }
  const args = command.args ?? [];
  const arg = args[before.places.length] ?? (args.at(-1)?.many === true ? args.at(-1) : undefined);
  return arg === undefined ? wordsOf([]) : valuesOf(arg, question);
}

function wordsOf(words: readonly Candidate[]): Completion {
  return { kind: 'words', words };
}

function readLine(options: readonly OptionSpec[], line: readonly string[]): ReadLine {
  const places: string[] = [];
  const values = new Map<string, readonly string[]>();
  let awaiting: OptionSpec | undefined;
  let onlyWords = false;
  for (const word of line) {
    if (awaiting !== undefined) {
      values.set(awaiting.name, [word]);
      awaiting = undefined;
    } else if (onlyWords || !/^-./.test(word)) places.push(word);
    else if (word === '--') onlyWords = true;
    else {
      const equals = word.indexOf('=');
      const flag = equals === -1 ? word : word.slice(0, equals);
      const option = options.find(({ name, short }) => flag === `--${name}` || flag === `-${short}`);
      if (option?.value === undefined || (equals === -1 && option.alone !== undefined)) continue;
      if (equals === -1) awaiting = option;
      else values.set(option.name, [word.slice(equals + 1)]);
    }
  }
  return { places, values, awaiting, onlyWords };
}

interface Question {
  readonly world: World;
  readonly names: readonly Candidate[];
  readonly before: ReadLine;
  /** What stands before the value in the same word, such as `--status=`. */
  readonly prefix: string;
  /** What is typed of the value. */
  readonly typed: string;
}

async function valuesOf({ choices, completes }: ArgumentSpec | OptionSpec, question: Question): Promise<Completion> {
  const { prefix } = question;
  if (completes === 'file') return { kind: 'files' };
  if (completes === 'folder') return { kind: 'folders' };
  if (completes === 'command') return wordsOf(question.names);
  const words = choices ?? (completes === undefined ? [] : await projectWords(completes, question));
  return wordsOf(words.map((word) => ({ word: `${prefix}${word}` })));
}

type ProjectWord = 'run' | 'workflow' | 'skill' | 'step';

async function projectWords(what: ProjectWord, { world, before, typed }: Question): Promise<readonly string[]> {
  const given = new ParsedArgs(new Map(), before.values, new Set());
  const place = await findPlace(new Shell(world, given), given);
  return (await WORDS[what](place, { typed, first: before.places[0] ?? '' })).filter((word) => SAFE.test(word));
}

interface TypedLine {
  readonly typed: string;
  /** The run or workflow that the line names. */
  readonly first: string;
}

const WORDS: Readonly<Record<ProjectWord, (place: Place, line: TypedLine) => Promise<readonly string[]>>> = {
  run: (place, { typed }) =>
    withStore(place, async (store) => (await store.list({ idPrefix: typed, limit: RUNS_MAX })).map(({ id }) => id)),
  skill: async (place) => [...new Set([...skillFolders(place.project), ...shippedSkills()].map(({ name }) => name))],
  workflow: async ({ project }) => {
    const { runnableSkills } = await import('../skills/as-workflow.ts');
    return [...(await discoverProject(project)).workflows.map(({ name }) => name), ...runnableSkills(project)];
  },
  step: async (place, { first }) => {
    const { workflows } = await discoverProject(place.project);
    return workflows.find(({ name }) => name === first)?.steps ?? stepsOfRun(place, first);
  },
};

/** The steps of a run, or of the newest run of a workflow: a module shows its steps only when it is loaded. */
function stepsOfRun(place: Place, first: string): Promise<readonly string[]> {
  return withStore(place, async (store) => {
    const [newest] = await store.list({ workflow: first, limit: 1 });
    const [run, other] = newest === undefined ? await store.resolve(first, 2) : [newest.id];
    if (run === undefined || other !== undefined) return [];
    return (await store.load(run)).definition.steps.map(({ id }) => id);
  });
}

async function withStore<T>(place: Place, read: (store: Store) => Promise<readonly T[]>): Promise<readonly T[]> {
  if (!existsSync(place.file)) return [];
  return closing(await openSqliteStore({ file: place.file, busyMs: BUSY_MS }), read);
}
