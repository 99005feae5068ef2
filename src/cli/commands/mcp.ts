// `pawl mcp`: serves runs to one agent over its stdin and stdout, until it goes.

import type { Readable } from 'node:stream';
import { callingSession, readSession } from '../agent-session.ts';
import { type CommandRun, ParsedArgs } from '../command.ts';
import { ProjectHost } from '../mcp-host.ts';
import { versionOf } from '../package.ts';
import { findPlace, type Place } from '../session.ts';
import { Shell } from '../shell.ts';

/** How long what is under way may take when a signal ends the server. */
const PATIENCE_MS = 10_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the command. */
export const run: CommandRun = async (terminal, given) => {
  const shell = asProgram(terminal, given);
  if (terminal.isInteractive) shell.warn('this speaks MCP on stdin and stdout, and is started by an agent; Ctrl-D ends it');
  const place = await findPlace(shell, given);
  const host = new ProjectHost(shell, place);
  // An agent that is itself the worker of a run serves that run only: it can start no others.
  const only = given.option('run') ?? shell.env.PAWL_RUN;
  const [{ Desk }, { serve }, { serverOf }] = await Promise.all([
    import('../../mcp/desk.ts'),
    import('../../mcp/server.ts'),
    import('../../mcp/tools.ts'),
  ]);
  const runs = only === undefined ? await host.existing(earlierRuns(shell, place)) : [await host.find(only)];
  if (only !== undefined) for (const id of runs) host.keep(id);
  const served = serverOf(new Desk(host, { runs }), { version: versionOf(), mayStart: only === undefined });
  const out = takeStdout(shell);
  const stopped = untilSignal(host);
  try {
    await Promise.race([serve(served, shell.world.stdin as Readable, out.write), stopped.happened]);
    await host.close();
  } finally {
    stopped.release();
    out.giveBack();
  }
  return 0;
};

/** The shell of a program: nobody is asked anything, since stdin and stdout are for messages. */
function asProgram(shell: Shell, given: ParsedArgs): Shell {
  const named = ['db', 'project'].map((name): [string, readonly string[]] => [name, given.options(name)]);
  return new Shell(shell.world, new ParsedArgs(new Map(), new Map(named), new Set(['json'])));
}

/** The runs of the session that starts the server again: a session that was resumed goes on with them. */
function earlierRuns(shell: Shell, { file }: Place): readonly string[] {
  const session = callingSession(shell);
  return session === undefined ? [] : readSession(shell, session).runs.flatMap(({ run: id, db }) => (db === file ? [id] : []));
}

/** Keeps stdout for messages: what a workflow's own code prints goes to stderr. */
function takeStdout({ world: { stdout, stderr } }: Shell): { write(line: string): void; giveBack(): void } {
  const write = stdout.write;
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (line) => {
      write.call(stdout, line);
    },
    giveBack: () => {
      stdout.write = write;
    },
  };
}

/** Ends the server on a signal: what is under way may end, and is cut off when it takes too long or is asked for twice. */
function untilSignal(host: ProjectHost): { readonly happened: Promise<void>; release(): void } {
  let timer: NodeJS.Timeout | undefined;
  let ring: () => void = () => undefined;
  const abort = (): void => {
    host.close({ abort: true }).catch(() => undefined);
  };
  const onSignal = (): void => {
    if (timer !== undefined) return abort();
    timer = setTimeout(abort, PATIENCE_MS);
    ring();
  };
  const happened = new Promise<void>((resolve) => {
    ring = resolve;
  });
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    happened,
    release: () => {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
