// Completes an unfinished command line. Shells call `pawl __complete WORD...`, whose last word is the one being typed. The
// store is only read, and workflows are only parsed. After an error there are no completions, because a shell could not show
// a message.
//
// - A name with characters that are special in a shell is not offered: it would become code on the user's command line.

import { existsSync } from 'node:fs';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { type ArgumentSpec, COMMON_OPTIONS, type CommandSpec, commandNamed, type OptionSpec, ParsedArgs } from '../command.ts';
import { discoverProject } from '../definitions.ts';
import { closing, findSetup, type Setup } from '../session.ts';
import { type ProcessContext, Shell } from '../shell.ts';
import { skillFolders } from '../skills/folders.ts';
import { shippedSkills } from '../skills/shipped.ts';

const RUNS_MAX = 100;
/** Completion must be fast, so it waits for a lock less long than a command does. */
const BUSY_MS = 200;
const SAFE = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@+-]*$/u;

interface Candidate {
  readonly word: string;
  readonly about?: string;
}

/** The possible words, or paths, which every shell completes itself. */
type Completion = { readonly kind: 'words'; readonly words: readonly Candidate[] } | { readonly kind: 'files' | 'folders' };

/** The lines for a shell: a word and, after a tab, its description; or `:files` or `:folders` for paths. */
export async function completionLines(
  context: ProcessContext,
  commands: readonly CommandSpec[],
  line: readonly string[],
): Promise<readonly string[]> {
  try {
    const completion = await complete(context, commands, line);
    if (completion.kind !== 'words') return [`:${completion.kind}`];
    const typed = line.at(-1) ?? '';
    const matches = completion.words.filter(({ word }) => word.startsWith(typed));
    return matches.map(({ word, about }) => (about === undefined ? word : `${word}\t${about}`));
  } catch {
    return [];
  }
}

/** The words after the command, without the one being typed. */
interface ParsedLine {
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly awaiting: OptionSpec | undefined;
  readonly onlyWords: boolean;
}

async function complete(context: ProcessContext, commands: readonly CommandSpec[], line: readonly string[]): Promise<Completion> {
  const [name, ...rest] = line;
  const typed = rest.at(-1);
  const names = commands.map((command) => ({ word: command.name, about: command.summary }));
  if (name === undefined || typed === undefined)
    return wordsOf([...names, { word: 'help', about: 'show the help of a command' }, { word: '--help' }, { word: '--version' }]);
  if (name === 'help') return wordsOf(rest.length === 1 ? names : []);
  const command = commandNamed(commands, name);
  if (command === undefined) return wordsOf([]);
  const options = [...(command.options ?? []), ...COMMON_OPTIONS];
  const before = parseLine(options, rest.slice(0, -1));
  const request = { context, names, before, prefix: '', typed };
  if (before.awaiting !== undefined) return valuesOf(before.awaiting, request);
  if (!before.onlyWords && typed.startsWith('-')) {
    const [flag = '', value] = typed.split('=', 2);
    if (value === undefined) return wordsOf(options.map((option) => ({ word: `--${option.name}`, about: option.about })));
    const option = options.find((one) => flag === `--${one.name}`);
    return option?.value === undefined ? wordsOf([]) : valuesOf(option, { ...request, prefix: `${flag}=`, typed: value });
  }
  const specs = command.args ?? [];
  const arg = specs[before.words.length] ?? (specs.at(-1)?.many === true ? specs.at(-1) : undefined);
  return arg === undefined ? wordsOf([]) : valuesOf(arg, request);
}

function wordsOf(words: readonly Candidate[]): Completion {
  return { kind: 'words', words };
}

function parseLine(options: readonly OptionSpec[], line: readonly string[]): ParsedLine {
  const words: string[] = [];
  const values = new Map<string, readonly string[]>();
  let awaiting: OptionSpec | undefined;
  let onlyWords = false;
  for (const word of line) {
    if (awaiting !== undefined) {
      values.set(awaiting.name, [word]);
      awaiting = undefined;
    } else if (onlyWords || !/^-./.test(word)) words.push(word);
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
  return { words, values, awaiting, onlyWords };
}

interface CompletionRequest {
  readonly context: ProcessContext;
  readonly names: readonly Candidate[];
  readonly before: ParsedLine;
  /** The part of the word before the value, such as `--status=`. */
  readonly prefix: string;
  readonly typed: string;
}

async function valuesOf({ choices, completes }: ArgumentSpec | OptionSpec, request: CompletionRequest): Promise<Completion> {
  const { prefix } = request;
  if (completes === 'file') return { kind: 'files' };
  if (completes === 'folder') return { kind: 'folders' };
  if (completes === 'command') return wordsOf(request.names);
  const words = choices ?? (completes === undefined ? [] : await projectWords(completes, request));
  return wordsOf(words.map((word) => ({ word: `${prefix}${word}` })));
}

type ProjectWord = 'run' | 'workflow' | 'skill' | 'step';

async function projectWords(what: ProjectWord, { context, before, typed }: CompletionRequest): Promise<readonly string[]> {
  const args = new ParsedArgs(new Map(), before.values, new Set());
  const setup = await findSetup(new Shell(context, args), args);
  return (await WORDS[what](setup, { typed, first: before.words[0] ?? '' })).filter((word) => SAFE.test(word));
}

interface NamedSubject {
  readonly typed: string;
  /** The run or workflow that the line names. */
  readonly first: string;
}

const WORDS: Readonly<Record<ProjectWord, (setup: Setup, line: NamedSubject) => Promise<readonly string[]>>> = {
  run: (setup, { typed }) =>
    withStore(setup, async (store) => (await store.list({ idPrefix: typed, limit: RUNS_MAX })).map(({ id }) => id)),
  skill: async (setup) => [...new Set([...skillFolders(setup.project), ...shippedSkills()].map(({ name }) => name))],
  workflow: async ({ project }) => {
    const { runnableSkills } = await import('../skills/as-workflow.ts');
    return [...(await discoverProject(project)).workflows.map(({ name }) => name), ...runnableSkills(project)];
  },
  step: async (setup, { first }) => {
    const { workflows } = await discoverProject(setup.project);
    return workflows.find(({ name }) => name === first)?.steps ?? stepsOfRun(setup, first);
  },
};

/** The steps of a run, or of the newest run of a workflow: a module shows its steps only when it is loaded. */
function stepsOfRun(setup: Setup, first: string): Promise<readonly string[]> {
  return withStore(setup, async (store) => {
    const [newest] = await store.list({ workflow: first, limit: 1 });
    const [run, other] = newest === undefined ? await store.resolve(first, 2) : [newest.id];
    if (run === undefined || other !== undefined) return [];
    return (await store.load(run)).definition.steps.map(({ id }) => id);
  });
}

async function withStore<T>(setup: Setup, read: (store: Store) => Promise<readonly T[]>): Promise<readonly T[]> {
  if (!existsSync(setup.file)) return [];
  return closing(await openSqliteStore({ file: setup.file, busyMs: BUSY_MS }), read);
}
