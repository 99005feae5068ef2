// The command line: finds the command, loads it alone, runs it, and ends with its exit code. `bin/pawl.js` loads this
// file under a Node that is new enough.

import { EngineError } from '../base/error.ts';
import { nearestName } from '../base/suggest.ts';
import { COMMANDS } from './catalogue.ts';
import { Given } from './command.ts';
import { reportFailure } from './failure.ts';
import { helpOf, helpOfAll } from './help.ts';
import { versionOf } from './package.ts';
import { parseCommand } from './parse.ts';
import { Shell, type World } from './shell.ts';

const NOTHING = new Given(new Map(), new Map(), new Set());

/** Runs one command line and gives its exit code. */
export async function runCommandLine(world: World, argv: readonly string[]): Promise<number> {
  const wants = { json: argv.includes('--json'), noColor: argv.includes('--no-color') };
  try {
    return await dispatch(world, argv);
  } catch (error) {
    return reportFailure(world, error, wants);
  }
}

async function dispatch(world: World, argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return showHelp(world, rest[0]);
  if (name === '--version' || name === '-V') {
    world.stdout.write(`${versionOf()}\n`);
    return 0;
  }
  const spec = findCommand(name);
  const given = parseCommand(spec, rest);
  const shell = new Shell(world, given);
  if (given.has('help')) {
    for (const line of helpOf(shell.look, spec)) shell.write(`${line}\n`);
    return 0;
  }
  const { run } = await spec.load();
  return run(shell, given);
}

function showHelp(world: World, about: string | undefined): number {
  const shell = new Shell(world, NOTHING);
  const lines = about === undefined || about.startsWith('-') ? helpOfAll(shell.look, COMMANDS) : helpOf(shell.look, findCommand(about));
  for (const line of lines) shell.write(`${line}\n`);
  return 0;
}

function findCommand(name: string): (typeof COMMANDS)[number] {
  const spec = COMMANDS.find((command) => command.name === name);
  if (spec !== undefined) return spec;
  if (name.startsWith('-'))
    throw new EngineError('USAGE', `pawl: the command comes first, then "${name}"; "pawl --help" lists the commands`);
  const nearest = nearestName(
    name,
    COMMANDS.map((command) => command.name),
  );
  const meant = nearest === undefined ? '' : ` (did you mean "pawl ${nearest}"?)`;
  throw new EngineError('USAGE', `there is no command "${name}"${meant}; "pawl --help" lists them`);
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  quietExperiments();
  const { stdin, stdout, stderr, env } = process;
  const exit = await runCommandLine({ stdin, stdout, stderr, env, cwd: process.cwd() }, process.argv.slice(2));
  process.exitCode = exit;
}

/** Node says of its SQLite that it may change; users of this program cannot do anything about it. */
function quietExperiments(): void {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const [type] = rest as [string | { readonly type?: string } | undefined];
    const kind = typeof type === 'string' ? type : type?.type;
    if (kind !== 'ExperimentalWarning') (emit as (...args: unknown[]) => void)(warning, ...rest);
  }) as typeof process.emitWarning;
}
