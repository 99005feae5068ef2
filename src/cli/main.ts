// The command line: finds a command, loads only that one, runs it, reports its failure, and exits with its code. `bin/pawl.js` loads this file
// under a Node that is new enough.

import { requiredRightsOf } from '../authority/rights.ts';
import { EngineError, ERROR_CODES, isEngineError, messageOf } from '../base/error.ts';
import { claimProcess } from '../base/own-process.ts';
import { nearestName } from '../base/suggest.ts';
import { namedIn, pasteableIn } from './caller.ts';
import { ATTEND } from './catalogue/attend.ts';
import { DECIDE } from './catalogue/decide.ts';
import { INSPECT } from './catalogue/inspect.ts';
import { SKILL } from './catalogue/skill.ts';
import { type CommandSpec, commandNamed, ParsedArgs } from './command.ts';
import { helpOf, helpOfAll, usageOf } from './help.ts';
import { versionOf } from './package.ts';
import { parseCommand } from './parse.ts';
import { SCHEMA_VERSION, Shell, type World } from './shell.ts';
import { logText, lookOf, styled } from './terminal.ts';

/** The commands that are used all day. Every start loads their descriptions; the others are loaded only if none of these is called. */
const DAILY: readonly CommandSpec[] = [...SKILL, ...ATTEND, ...DECIDE, ...INSPECT];

/** Runs one command line and returns its exit code. */
export async function runCommandLine(world: World, argv: readonly string[]): Promise<number> {
  const flags = { json: argv.includes('--json'), noColor: argv.includes('--no-color'), named: namedIn(argv) };
  try {
    return checkedExit(world, await dispatch(world, argv));
  } catch (error) {
    return reportFailure(world, error, flags);
  }
}

/** The exit code; 1 instead of 0 if stdout could not be written although it is still open. */
function checkedExit(world: World, exit: number): number {
  const failure: NodeJS.ErrnoException | null | undefined = world.stdout.errored;
  if (failure === null || failure === undefined || failure.code === 'EPIPE') return exit;
  world.stderr.write(`pawl: cannot write to stdout: ${failure.message}\n`);
  return exit === 0 ? 1 : exit;
}

async function dispatch(world: World, [name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return showHelp(world, rest);
  if (name === '--version' || name === '-V') {
    const version = versionOf();
    return new Shell(world, commonFlags(rest)).result({ version }, () => [version]);
  }
  if (name === '__complete') {
    const { completionLines } = await import('./completion/complete.ts');
    for (const line of await completionLines(world, await allCommands(), rest)) world.stdout.write(`${line}\n`);
    return 0;
  }
  const spec = await findCommand(name);
  const given = parseCommand(spec, rest);
  const shell = new Shell(world, given);
  if (given.has('help')) return showHelpOf(shell, spec);
  if (given.option('passphrase-fd') !== undefined) (await import('./identity/passphrase.ts')).readPassphraseOption(given);
  const demands = requiredRightsOf(spec.name, { options: given.names(), action: given.maybe('ACTION') });
  if (demands.some(({ demand }) => demand !== 'asks')) await (await import('./right.ts')).checkRights(shell, demands);
  const { run } = await spec.load();
  try {
    return await run(shell, given);
  } catch (error) {
    throw await withParamFlags(spec, error);
  }
}

/** For commands with -p, an error about missing parameters names the flags that set them. */
async function withParamFlags(spec: CommandSpec, error: unknown): Promise<unknown> {
  if (!isEngineError(error) || spec.options?.some(({ name }) => name === 'param') !== true) return error;
  const { withMissingFlags } = await import('../definition/param/arg.ts');
  return withMissingFlags(error, (name) => `-p ${name}=VALUE`);
}

async function showHelp(world: World, rest: readonly string[]): Promise<number> {
  const shell = new Shell(world, commonFlags(rest));
  const about = rest.find((word) => !word.startsWith('-'));
  if (about !== undefined) return showHelpOf(shell, await findCommand(about));
  const all = await allCommands();
  const commands = all.map(({ name, group, summary }) => ({ name, group, summary }));
  return shell.result({ usage: 'pawl COMMAND [OPTIONS]', commands }, () => helpOfAll(shell.look, all));
}

function showHelpOf(shell: Shell, spec: CommandSpec): number {
  const { load: _, ...data } = spec;
  return shell.result({ usage: usageOf(spec), ...data }, () => helpOf(shell.look, spec));
}

function commonFlags(words: readonly string[]): ParsedArgs {
  return new ParsedArgs(new Map(), new Map(), new Set(['json', 'no-color'].filter((name) => words.includes(`--${name}`))));
}

async function allCommands(): Promise<readonly CommandSpec[]> {
  return (await import('./catalogue.ts')).COMMANDS;
}

async function findCommand(name: string): Promise<CommandSpec> {
  const spec = commandNamed(DAILY, name) ?? commandNamed(await allCommands(), name);
  if (spec !== undefined) return spec;
  if (name.startsWith('-')) throw new EngineError('USAGE', `the command must come before "${name}"; "pawl --help" lists the commands`);
  const nearest = nearestName(
    name,
    (await allCommands()).map((command) => command.name),
  );
  const meant = nearest === undefined ? '' : ` (did you mean "pawl ${nearest}"?)`;
  throw new EngineError('USAGE', `unknown command "${name}"${meant}; "pawl --help" lists the commands`);
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  claimProcess();
  hideExperimentalWarnings();
  const opened = new Set<NodeJS.WriteStream>();
  const open = (stream: NodeJS.WriteStream): NodeJS.WriteStream => {
    // A closed pipe is not an error, and a full disk is reported at the end.
    if (!opened.has(stream)) stream.on('error', () => undefined);
    opened.add(stream);
    return stream;
  };
  const stdout = takeStdout();
  // Opening a stream makes Node load code, so each is opened on first use.
  const world = {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return open(stdout());
    },
    get stderr() {
      return open(process.stderr);
    },
    env: process.env,
    get cwd() {
      return currentFolder();
    },
  };
  const exit = await runCommandLine(world, process.argv.slice(2));
  // A workflow's module may keep a timer or a connection open; the command still ends.
  await Promise.all([...opened].map((stream) => new Promise((resolve) => stream.write('', resolve))));
  process.exit(exit);
}

/**
 * Reserves stdout for the command, because programs read it: what the code of a workflow prints goes to stderr. Returns a
 * function that opens the stream.
 */
function takeStdout(): () => NodeJS.WriteStream {
  const { get, value } = Object.getOwnPropertyDescriptor(process, 'stdout') ?? {};
  Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => process.stderr });
  return () => (get === undefined ? value : get.call(process)) as NodeJS.WriteStream;
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new EngineError('USAGE', 'the current folder no longer exists; change to another one', { cause });
  }
}

/** Hides Node's warning that its SQLite module is experimental, because users can do nothing about it. */
function hideExperimentalWarnings(): void {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const [type] = rest as [string | { readonly type?: string } | undefined];
    const kind = typeof type === 'string' ? type : type?.type;
    if (kind !== 'ExperimentalWarning') (emit as (...args: unknown[]) => void)(warning, ...rest);
  }) as typeof process.emitWarning;
}

const EXIT_BUG = 70;

interface FailureFlags {
  readonly json: boolean;
  readonly noColor: boolean;
  readonly named: Shell['named'];
}

/**
 * Reports a failure in one line, with its position in the source, the message and the error code; JSON for programs. Returns
 * the exit code of the catalogue.
 */
function reportFailure(world: World, error: unknown, flags: FailureFlags): number {
  const look = lookOf(world.stderr, world.env, { noColor: flags.noColor });
  if (!isEngineError(error)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
    world.stderr.write(`pawl: this is a bug in Pawl; everything recorded so far is safe on disk:\n${logText(stack, world.env)}\n`);
    return EXIT_BUG;
  }
  const message = pasteableIn({ env: world.env, named: flags.named }, error.message);
  if (flags.json) world.stdout.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, error: failureOf(error, message) }, null, 2)}\n`);
  const { position } = error;
  const where =
    position === undefined ? '' : `${position.file === undefined ? '' : `${position.file}:`}${position.line}:${position.column}: `;
  world.stderr.write(`${styled(look, 'red', 'pawl:')} ${logText(where + message, world.env)} ${styled(look, 'dim', `[${error.code}]`)}\n`);
  return ERROR_CODES[error.code].exit;
}

function failureOf({ code, position, details }: EngineError, message: string): object {
  return { code, message, retry: ERROR_CODES[code].retry, ...(position ?? {}), details };
}
