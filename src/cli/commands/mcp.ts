// `pawl mcp`: serves runs to one agent over stdin and stdout, until the agent closes them.

import type { Readable } from 'node:stream';
import { AttendedSession } from '../../attended/session.ts';
import { findAutomatedParent, readAncestors } from '../../authority/ancestry.ts';
import { present } from '../../base/fields.ts';
import { serve } from '../../mcp/server.ts';
import { serverOf } from '../../mcp/tools.ts';
import { callingSession, readSession } from '../agent-session.ts';
import { formRight } from '../attended/form-right.ts';
import { ProjectHost } from '../attended/project-host.ts';
import { resourcesOf } from '../attended/resources.ts';
import { type CommandRun, ParsedArgs } from '../command.ts';
import { versionOf } from '../package.ts';
import { findPlace, type Place } from '../session.ts';
import { Shell } from '../shell.ts';

/** How long executing steps may take when a signal ends the server. */
const PATIENCE_MS = 10_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the command. */
export const run: CommandRun = async (terminal, given) => {
  const shell = asProgram(terminal, given);
  if (terminal.isInteractive) shell.warn('this is an MCP server on stdin and stdout, to be started by an agent; Ctrl-D ends it');
  const place = await findPlace(shell, given);
  const host = new ProjectHost(shell, place);
  // An agent that was started by a run gets only that run and can start no others.
  const only = given.option('run') ?? shell.env.PAWL_RUN ?? (await runAbove(shell, host));
  const runs = only === undefined ? await host.existing(earlierRuns(shell, place)) : [await host.find(only)];
  if (only !== undefined) for (const id of runs) host.remember(id, 'served');
  const session = new AttendedSession(host, { runs, mayAdopt: only === undefined });
  const forms = only === undefined ? formRight(shell, place) : undefined;
  const resources = resourcesOf({ shell, place, session, store: () => host.database() });
  const server = serverOf(session, { version: versionOf(), mayStart: only === undefined, resources, ...present({ forms }) });
  const signal = closeOnSignal(host);
  try {
    await Promise.race([serve(server, shell.world.stdin as Readable, (line) => shell.write(line)), signal.received]);
    await host.close();
  } finally {
    signal.release();
  }
  return 0;
};

/** The run of this project that a parent process works for, though the variable that says so was taken away. */
async function runAbove(shell: Shell, host: ProjectHost): Promise<string | undefined> {
  const above = findAutomatedParent({}, shell.world.ancestors?.() ?? readAncestors());
  if (above?.what !== 'run' || above.run === undefined) return undefined;
  return (await host.existing([above.run]))[0];
}

/** A shell that asks nothing, since stdin and stdout are for messages. */
function asProgram(shell: Shell, given: ParsedArgs): Shell {
  const named = ['db', 'project'].map((name): [string, readonly string[]] => [name, given.options(name)]);
  return new Shell(shell.world, new ParsedArgs(new Map(), new Map(named), new Set(['json'])));
}

/** The runs of the agent's session from before, so that a resumed session continues them. */
function earlierRuns(shell: Shell, { file }: Place): readonly string[] {
  const session = callingSession(shell);
  return session === undefined ? [] : readSession(shell, session).runs.flatMap(({ run: id, db }) => (db === file ? [id] : []));
}

/** Ends the server on a signal: executing steps may finish, and are killed after a time or by a second signal. */
function closeOnSignal(host: ProjectHost): { readonly received: Promise<void>; release(): void } {
  let timer: NodeJS.Timeout | undefined;
  const { promise: received, resolve } = Promise.withResolvers<void>();
  const abort = (): void => {
    host.close({ abort: true }).catch(() => undefined);
  };
  const onSignal = (): void => {
    if (timer !== undefined) return abort();
    timer = setTimeout(abort, PATIENCE_MS);
    resolve();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    received,
    release: () => {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
