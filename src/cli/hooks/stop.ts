// Owns `pawl hook stop`: called by Claude Code before an agent stops. The agent must continue while a run of its session has
// an open step for it or is executing. It may stop when its runs wait for someone else, or it has none.
//
// - If the hook fails, the agent may stop: `pawl hook` never exits with the code that blocks.
// - An agent is reminded at most three times while its runs make no progress; then it may stop. Only a turn that no hook
//   prolonged resets the count, so that nothing loops without a person.

import { type AttendedRun, stepNames } from '../../attended/attended-run.ts';
import { omitUndefined } from '../../base/fields.ts';
import { type AgentSession, changeSession, isSameRun, readSession, type SessionRun } from '../agent-session.ts';
import type { HookInput } from '../commands/hook.ts';
import type { Shell } from '../shell.ts';
import { readSessionRun } from './session-run.ts';

const TIMES_MAX = 3;
type Answer = { readonly decision: 'block'; readonly reason: string } | { readonly systemMessage: string };

/** The warning if the hook fails. */
export const failureText = 'the agent may stop, because its run could not be read';

/** Answers the hook. */
export async function answer(shell: Shell, input: HookInput): Promise<Answer | undefined> {
  const session = readSession(shell, input.session_id);
  const progress = await Promise.all(session.runs.map(readProgress));
  const open = progress.flatMap((run) => (run?.todo === undefined ? [] : [run]));
  const at = open.map((run) => run.at).join(' ');
  const times = at === session.kept?.at && !isNewTurn(session, input) ? session.kept.times + 1 : 1;
  const ended = session.runs.filter((_, index) => progress[index] === undefined);
  const kept = open.length === 0 ? session.kept : { at, times: Math.min(times, TIMES_MAX + 1) };
  saveSession(shell, session, { ended, kept });
  if (open.length === 0) return undefined;
  const todo = open.map((run) => run.todo).join('\n');
  if (times > TIMES_MAX)
    return { systemMessage: `pawl: the agent stops although its work is not done, after ${TIMES_MAX} reminders. ${todo}` };
  return { decision: 'block', reason: todo };
}

/** Whether the agent was allowed to stop, and works again because it was asked to. */
function isNewTurn({ kept }: AgentSession, input: HookInput): boolean {
  return (kept?.times ?? 0) > TIMES_MAX && input.stop_hook_active === false;
}

/** Records the number of reminders and removes runs that have ended. Runs that were added in the meantime stay. */
function saveSession(
  shell: Shell,
  session: AgentSession,
  { ended, kept }: { readonly ended: readonly SessionRun[]; readonly kept: AgentSession['kept'] | undefined },
): void {
  if (ended.length === 0 && JSON.stringify(kept) === JSON.stringify(session.kept)) return;
  changeSession(shell, session.id, (now) => ({
    ...now,
    runs: now.runs.filter((run) => !ended.some((one) => isSameRun(one, run))),
    ...omitUndefined({ kept }),
  }));
}

interface RunProgress {
  readonly at: string;
  readonly todo: string | undefined;
}

async function readProgress(entry: SessionRun): Promise<RunProgress | undefined> {
  const found = await readSessionRun(entry);
  return found === undefined ? undefined : { at: `${entry.run}/${found.position}`, todo: todoOf(found) };
}

function todoOf(run: AttendedRun): string | undefined {
  const { id } = run;
  if (run.kind === 'work') {
    const steps = stepNames(run.work).map((name) => `"${name}"`);
    return `Run ${id} has ${run.work.length === 1 ? 'a step' : 'steps'} open for you: ${steps.join(', ')}. Call pawl_next (or "pawl next ${id}") for the instructions and the token, do the work, and report it with that token. If it cannot be done, report the failure; if only the person knows the answer, ask with pawl_ask.`;
  }
  return run.kind === 'executing' || run.kind === 'abandoned'
    ? `Run ${id} is executing. Call pawl_next (or "pawl next ${id}"); it waits until a step is open for you.`
    : undefined;
}
