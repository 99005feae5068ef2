// `pawl hook EVENT`: called by Claude Code and, with --agent, by other programs. Each hook is a file of `src/cli/hooks`; the command
// reads its input and prints its answer. A hook that fails never blocks the agent.

import { text } from 'node:stream/consumers';
import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { agentProcessSession } from '../agent-session.ts';
import type { CommandRun } from '../command.ts';
import type { Shell } from '../shell.ts';

/** A hook: its answer, and the warning if it fails. */
interface Hook {
  readonly failureText: string;
  answer(shell: Shell, asked: Json): Promise<object | undefined>;
}

const HOOKS: Readonly<Record<string, () => Promise<Hook>>> = {
  'session-start': () => import('../hooks/session-start.ts'),
  'pre-tool-use': () => import('../hooks/pre-tool-use.ts'),
  stop: () => import('../hooks/stop.ts'),
};

/** With this code, Claude Code shows the error to the person and ignores the hook. */
const EXIT_NOT_BLOCKING = 1;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const event = args.word('EVENT');
  const hook = await (HOOKS[event] as () => Promise<Hook>)();
  try {
    const answer = await hook.answer(shell, withSession(shell, JSON.parse(await text(shell.context.stdin)) as Json, args.option('agent')));
    if (answer !== undefined) shell.write(`${JSON.stringify(answer)}\n`);
    return 0;
  } catch (error) {
    shell.warn(`${hook.failureText}: ${messageOf(error)}`);
    return EXIT_NOT_BLOCKING;
  }
};

/** The input with the session id that the agent's MCP server uses, for programs that pass none. */
function withSession(shell: Shell, asked: Json, agent: string | undefined): Json {
  const session = agentProcessSession(shell, agent);
  return session === undefined || !isJsonObject(asked) ? asked : { ...asked, session_id: session };
}
