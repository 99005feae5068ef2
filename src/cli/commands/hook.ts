// `pawl hook EVENT`: called by Claude Code and, with --agent, by other programs. Each hook is a file of `src/cli/hooks`; the command
// reads its input and prints its answer. A hook that fails never blocks the agent.

import { text } from 'node:stream/consumers';
import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { agentProcessSession, isSessionId } from '../agent-session.ts';
import { type CommandRun, usageError } from '../command.ts';
import type { Shell } from '../shell.ts';

/** The input of a hook. */
export type HookInput = JsonObject & { readonly session_id: string };

/** A hook: its answer, and the warning if it fails. */
interface Hook {
  readonly failureText: string;
  answer(shell: Shell, input: HookInput): Promise<object | undefined>;
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
    const input: unknown = JSON.parse(await text(shell.context.stdin));
    const answer = await hook.answer(
      shell,
      parseInput(input as Json, { event, session: agentProcessSession(shell, args.option('agent')) }),
    );
    if (answer !== undefined) shell.write(`${JSON.stringify(answer)}\n`);
    return 0;
  } catch (error) {
    shell.warn(`${hook.failureText}: ${messageOf(error)}`);
    return EXIT_NOT_BLOCKING;
  }
};

/** The input with its session id; for programs that pass none, that is the session of the agent's MCP server. */
function parseInput(input: Json, { event, session }: { readonly event: string; readonly session: string | undefined }): HookInput {
  const id = isJsonObject(input) ? (session ?? input.session_id) : undefined;
  if (isJsonObject(input) && isSessionId(id)) return { ...input, session_id: id };
  throw usageError(`stdin must be the input of the hook "${event}", with a "session_id"`);
}
