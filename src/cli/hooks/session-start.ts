// Owns `pawl hook session-start`: called by Claude Code when a session begins, is resumed, cleared or compacted. It tells
// the agent, which has lost its context, which run it works on and how to continue.
//
// - After "/clear" the session has a new id. It takes over the runs of the previous session of the same process, but not
//   those of other processes.
// - A new session is told which runs of the project have no agent, but does not take one over: the person may want
//   something else.

import { type AttendedRun, stepNames } from '../../attended/attended-run.ts';
import { moveSessions, readSession } from '../agent-session.ts';
import { readProjectRuns } from '../attended/session-runs.ts';
import type { HookInput } from '../commands/hook.ts';
import { closing, findSetup, openExisting } from '../session.ts';
import type { Shell } from '../shell.ts';
import { firstNames, oneLine } from '../terminal.ts';
import { readSessionRun } from './session-run.ts';

/** The warning if the hook fails. */
export const failureText = 'the agent is not told about open runs, because they could not be read';

interface StartAnswer {
  readonly hookSpecificOutput: { readonly hookEventName: 'SessionStart'; readonly additionalContext: string };
}

const RUNS_SHOWN = 5;
const STEPS_SHOWN = 3;

/** Answers the hook. */
export async function answer(shell: Shell, { session_id: id, source }: HookInput): Promise<StartAnswer | undefined> {
  // An agent that a run started gets its instructions from that run.
  if ((shell.env.PAWL_RUN ?? '') !== '') return undefined;
  if (source === 'clear') moveSessions(shell, id);
  const runs = await Promise.all(readSession(shell, id).runs.map(readSessionRun));
  const lines = runs.filter((run) => run !== undefined).map(sessionRunLine);
  const context = lines.length > 0 ? lines : await unclaimedRunLines(shell, id);
  if (context.length === 0) return undefined;
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context.slice(0, RUNS_SHOWN).join('\n') } };
}

function sessionRunLine(run: AttendedRun): string {
  const about = `You are working on run ${run.id} of the Pawl workflow "${oneLine(run.workflow)}": ${stateText(run)}.`;
  return run.kind === 'waiting' || run.kind === 'halted'
    ? `${about} pawl_next with "run": "${run.id}" (or "pawl next ${run.id}") says what it waits for.`
    : `${about} Call pawl_next with "run": "${run.id}" (or run "pawl next ${run.id}") for the instructions, do the work, and report it.`;
}

async function unclaimedRunLines(shell: Shell, session: string): Promise<readonly string[]> {
  const setup = await findSetup(shell, shell.args);
  const opened = await openExisting(setup);
  if (opened === undefined) return [];
  const open = await closing(opened, (store) => readProjectRuns(shell, setup, { store, session }));
  return open
    .filter(({ holder }) => holder === undefined)
    .map(
      ({ run }) =>
        `Run ${run.id} of the Pawl workflow "${oneLine(run.workflow)}" is open in this project, and no session works on it: ${stateText(run)}. If the person wants it continued, call pawl_next with "run": "${run.id}" (or run "pawl next ${run.id}").`,
    );
}

function stateText(run: AttendedRun): string {
  if (run.kind === 'waiting') return 'it is waiting for someone else';
  if (run.kind !== 'work')
    return run.kind === 'halted' ? 'it stopped, and a person must decide how it continues' : 'the engine is executing it';
  const names = stepNames(run.work).map((name) => `"${oneLine(name)}"`);
  return `${names.length === 1 ? 'step' : 'steps'} ${firstNames(names, STEPS_SHOWN)} ${names.length === 1 ? 'is' : 'are'} open`;
}
