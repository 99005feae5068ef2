// Owns the description of a command: data that help, the reference, completion and the parser share, and a module that is
// loaded only when the command runs.

import { EngineError } from '../base/error.ts';
import type { Shell } from './shell.ts';

/** The kind of thing that an argument or option value names, so that a shell can complete it. */
type Completes = 'workflow' | 'skill' | 'run' | 'file' | 'folder' | 'step' | 'command';

/** A positional argument. */
export interface ArgumentSpec {
  /** As help shows it, in capitals: `RUN`. */
  readonly name: string;
  readonly about: string;
  readonly required?: boolean;
  /** Takes all remaining words; only the last argument can. */
  readonly many?: boolean;
  readonly completes?: Completes;
  readonly choices?: readonly string[];
}

/** An option of a command. Without `value` it is a flag. */
export interface OptionSpec {
  /** Without the dashes: `dry-run`. */
  readonly name: string;
  readonly short?: string;
  /** An older name, which still works but is not in the help. */
  readonly formerly?: string;
  /** As help shows it, in capitals: `FILE`. */
  readonly value?: string;
  /** The value if only the name is given; any other value must then be attached with `=`. */
  readonly alone?: string;
  readonly about: string;
  readonly many?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
}

/** A valid command line, and its purpose. */
interface Example {
  readonly line: string;
  readonly about: string;
}

/** The headings under which `pawl --help` lists commands, in order. */
export const GROUPS = ['Start', 'Define', 'Run', 'Decide', 'Inspect', 'Maintain'] as const;

/** A command as data. */
export interface CommandSpec {
  readonly group: (typeof GROUPS)[number];
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line, for lists. */
  readonly summary: string;
  /** More sentences for `--help`. */
  readonly about?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<{ readonly run: CommandRun }>;
}

/** Adds the group under which commands are listed. */
export function inGroup(group: CommandSpec['group'], commands: readonly Omit<CommandSpec, 'group'>[]): CommandSpec[] {
  return commands.map((command) => ({ ...command, group }));
}

/** The command of this name or alias. */
export function commandNamed(commands: readonly CommandSpec[], name: string): CommandSpec | undefined {
  return commands.find((command) => command.name === name || command.aliases?.includes(name) === true);
}

/** The error for a mistake on the command line. */
export function usageError(...error: [message: string, options?: ConstructorParameters<typeof EngineError>[2]]): EngineError {
  return new EngineError('USAGE', ...error);
}

/** The same, with the command whose help shows the usage. */
export function commandError(command: string, message: string): EngineError {
  return usageError(`${message}; "pawl ${command} --help" shows the usage`);
}

/** Runs the command and returns the exit code. */
export type CommandRun = (shell: Shell, args: ParsedArgs) => Promise<number>;

/** A parsed command line, by the names of the command's spec. */
export class ParsedArgs {
  private readonly words: ReadonlyMap<string, readonly string[]>;
  private readonly values: ReadonlyMap<string, readonly string[]>;
  private readonly flags: ReadonlySet<string>;

  constructor(words: ReadonlyMap<string, readonly string[]>, values: ReadonlyMap<string, readonly string[]>, flags: ReadonlySet<string>) {
    this.words = words;
    this.values = values;
    this.flags = flags;
  }

  /** The value of a required argument. */
  word(name: string): string {
    return this.words.get(name)?.[0] ?? '';
  }

  /** The value of an optional argument. */
  maybe(name: string): string | undefined {
    return this.words.get(name)?.[0];
  }

  /** All values of an argument that takes many. */
  allWords(name: string): readonly string[] {
    return this.words.get(name) ?? [];
  }

  /** The value of an option; the last one if given several times. */
  option(name: string): string | undefined {
    return this.values.get(name)?.at(-1);
  }

  /** All values of an option that can be repeated. */
  options(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  /** The --project and --db options, for an internal call on the same database. */
  get location(): Readonly<Record<'db' | 'project', readonly string[]>> {
    return { db: this.options('db'), project: this.options('project') };
  }

  names(): readonly string[] {
    return [...this.values.keys(), ...this.flags];
  }

  has(name: string): boolean {
    return this.flags.has(name);
  }
}

/** The arguments of an internal call, which prints JSON only, so that it never asks. */
export function internalArgs(
  options: Readonly<Record<string, readonly string[]>>,
  words: Readonly<Record<string, readonly string[]>> = {},
): ParsedArgs {
  return new ParsedArgs(new Map(Object.entries(words)), new Map(Object.entries(options)), new Set(['json']));
}

/** The option that chooses runs by their status. */
export const STATUS_OPTION = {
  name: 'status',
  value: 'STATUS',
  many: true,
  choices: ['pending', 'running', 'waiting', 'completed', 'overridden', 'failed', 'escalated', 'rejected', 'cancelled'],
} as const;

/** The argument of commands about one run. */
export const RUN_ARGUMENT: ArgumentSpec = {
  name: 'RUN',
  about: 'the id of a run, or the first characters of it',
  required: true,
  completes: 'run',
};

/** The argument of commands that show one run, by default the last one. */
export const LAST_RUN_ARGUMENT: ArgumentSpec = {
  ...RUN_ARGUMENT,
  about: 'the id of a run, or the first characters of it (default: the last run of this project)',
  required: false,
};

/** The option of commands that may need a right. */
export const TOKEN_FILE: OptionSpec = {
  name: 'token-file',
  value: 'FILE',
  about: 'read your personal token from this file instead of PAWL_TOKEN',
  completes: 'file',
};

/** The option of commands that show a run while it is driven. */
export const QUIET: OptionSpec = { name: 'quiet', short: 'q', about: 'do not show what steps print while they run' };

/** Options of commands that sign. */
export const SIGNING_OPTIONS: readonly OptionSpec[] = [
  { name: 'as', value: 'NAME', about: 'sign as this person, if you have several keys' },
  { name: 'passphrase-fd', value: 'N', about: 'sign, and read the passphrase from this file descriptor' },
];

/** Options of commands that may need a right and a signature. */
export const RIGHT_OPTIONS: readonly OptionSpec[] = [TOKEN_FILE, ...SIGNING_OPTIONS];

/** Options of every command. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: 'json', about: 'print JSON only; warnings go to stderr' },
  { name: 'db', value: 'PATH', about: 'the database of runs', completes: 'file' },
  { name: 'project', value: 'DIR', about: 'the project folder (default: found from the current folder)', completes: 'folder' },
  { name: 'no-color', about: 'print without colour, like NO_COLOR' },
  { name: 'help', short: 'h', about: 'show this help' },
];
