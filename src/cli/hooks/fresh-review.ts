// Owns denying an agent the review of its own work. Claude Code passes the id of a sub-agent to a hook, and none for the main
// agent, so a call of the main agent with the token of a review is denied. Other programs do not identify the caller, so
// nothing is denied there.

import { readAttendedRun, sourceOfFile } from '../../attended/attended-run.ts';
import { workIn } from '../../attended/submission.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { SessionRun } from '../agent-session.ts';
import type { Shell } from '../shell.ts';
import { withSessionStore } from './session-run.ts';
import type { ShellCall } from './shell-commands.ts';

/** Why a call is denied, if the main agent would start a review with it. */
export async function ownReviewDenial(
  { env }: Pick<Shell, 'env'>,
  input: JsonObject,
  { calls, runs }: { readonly calls: readonly ShellCall[]; readonly runs: readonly SessionRun[] },
): Promise<string | undefined> {
  if (input.hook_event_name !== 'PreToolUse' || input.agent_id !== undefined || env.PAWL_AGENT !== undefined) return undefined;
  const tokens = tokensIn(input, calls);
  if (tokens.length === 0) return undefined;
  for (const entry of runs) {
    const open = await withSessionStore(entry, async (store) => workIn(await readAttendedRun(sourceOfFile(store, entry.db), entry.run)));
    const review = open?.find(({ token, dispatch }) => dispatch?.fresh === true && tokens.includes(token));
    if (review !== undefined)
      return (
        `step "${review.step}" reviews work of this session, so an agent that did none of that work must do it: start a new sub-agent with the prompt ` +
        `that "pawl next ${entry.run}" (or pawl_next) prints, and have it run this command.`
      );
  }
  return undefined;
}

function tokensIn({ tool_input: args }: JsonObject, calls: readonly ShellCall[]): string[] {
  const given = args !== undefined && isJsonObject(args) && typeof args.token === 'string' ? [args.token] : [];
  const typed = calls.flatMap(({ words }) =>
    words.flatMap((word, index) =>
      word.startsWith('--token=') ? [word.slice('--token='.length)] : word === '--token' ? [words[index + 1] ?? ''] : [],
    ),
  );
  return [...given, ...typed].filter((token) => token !== '');
}
