// `pawl mcp`: serves runs to one agent over stdin and stdout, until the agent closes them.

import type { Readable } from 'node:stream';
import { AttendedSession } from '../../attended/session.ts';
import { findAutomatedParent, readAncestors } from '../../authority/ancestry.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { FormRight } from '../../mcp/elicitation.ts';
import { serve } from '../../mcp/server.ts';
import { serverOf } from '../../mcp/tools.ts';
import { userActor } from '../actor.ts';
import { callingSession, readSession } from '../agent-session.ts';
import { ProjectHost } from '../attended/project-host.ts';
import { resourcesOf } from '../attended/resources.ts';
import { type CommandRun, ParsedArgs } from '../command.ts';
import { catchInterrupts } from '../interrupt.ts';
import { versionOf } from '../package.ts';
import { findPlace, type Place } from '../session.ts';
import { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (terminal, given) => {
  const shell = nonInteractive(terminal, given);
  if (terminal.isInteractive) shell.warn('this is an MCP server on stdin and stdout, to be started by an agent; Ctrl-D ends it');
  const place = await findPlace(shell, given);
  const host = new ProjectHost(shell, place);
  // An agent inside a run gets only that run and can start no others.
  const only = given.option('run') ?? shell.env.PAWL_RUN ?? (await runAbove(shell, host));
  const runs = only === undefined ? await host.existing(sessionRuns(shell, place)) : [await host.find(only)];
  if (only !== undefined) for (const id of runs) host.remember(id, 'served');
  const session = new AttendedSession(host, { runs, mayAdopt: only === undefined });
  const forms = only === undefined ? formRight(shell, place) : undefined;
  const resources = resourcesOf({ shell, place, session, store: () => host.database() });
  const server = serverOf(session, { version: versionOf(), mayStart: only === undefined, resources, ...omitUndefined({ forms }) });
  const interrupt = catchInterrupts(host, (text) => shell.warn(text), { isProgram: true });
  try {
    await Promise.race([serve(server, shell.world.stdin as Readable, (line) => shell.write(line)), interrupt.stopped]);
    if (!interrupt.isStopping) await host.close();
  } finally {
    interrupt.release();
  }
  return 0;
};

/** The run of this project for which a parent process works, also if the agent removed the variable that names it. */
async function runAbove(shell: Shell, host: ProjectHost): Promise<string | undefined> {
  const above = findAutomatedParent({}, shell.world.ancestors?.() ?? readAncestors());
  if (above?.is !== 'run' || above.run === undefined) return undefined;
  return (await host.existing([above.run]))[0];
}

/** A shell that never asks, because stdin and stdout carry messages. */
function nonInteractive(shell: Shell, given: ParsedArgs): Shell {
  const named = ['db', 'project'].map((name): [string, readonly string[]] => [name, given.options(name)]);
  return new Shell(shell.world, new ParsedArgs(new Map(), new Map(named), new Set(['json'])));
}

/** The runs of the agent's session, which a resumed session continues. */
function sessionRuns(shell: Shell, { file }: Place): readonly string[] {
  const session = callingSession(shell);
  return session === undefined ? [] : readSession(shell, session).runs.flatMap(({ run: id, db }) => (db === file ? [id] : []));
}

/** The right of forms in a project, if they are enabled. */
export function formRight(shell: Shell, { settings }: Pick<Place, 'settings'>): FormRight | undefined {
  if (settings.mcp?.elicit !== 'questions' || settings.decisions === 'signed') return undefined;
  return { actorFor: ({ name }) => `${userActor(shell)} via elicitation${name === undefined ? '' : ` in ${oneLine(name)}`}` };
}
