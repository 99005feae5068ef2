// Owns `pawl hook session-start`: called by Claude Code when a session begins, is resumed, cleared or compacted. It tells
// the agent, which has lost its context, which run it works on and how to continue.
//
// - After "/clear" the session has a new id. The runs of the session that the same Claude Code process had before go
//   along; those of other processes stay where they are.
// - A new session learns which runs of the project no session works on, but adopts none: the person may want something else.

import { type AttendedRun, stepNames } from '../../attended/attended-run.ts';
import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { isSessionId, moveSessions, readSession } from '../agent-session.ts';
import { readProjectRuns } from '../attended/session-runs.ts';
import { closing, findPlace, openExisting } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { readSessionRun } from './session-run.ts';

/** What the hook failed to do, when it fails. */
export const failing = 'the agent is not told about open runs, because they could not be read';

interface StartAnswer {
  readonly hookSpecificOutput: { readonly hookEventName: 'SessionStart'; readonly additionalContext: string };
}

const RUNS_SHOWN = 5;
const STEPS_SHOWN = 3;

/** Answers the hook. */
export async function answer(shell: Shell, asked: Json): Promise<StartAnswer | undefined> {
  const { session_id: id, source } = isJsonObject(asked) ? asked : {};
  if (!isSessionId(id))
    throw new EngineError('USAGE', 'stdin must be the input of a SessionStart hook of Claude Code, with a "session_id"');
  // An agent that a run started gets its instructions from that run.
  if ((shell.env.PAWL_RUN ?? '') !== '') return undefined;
  if (source === 'clear') moveSessions(shell, id);
  const own = await Promise.all(readSession(shell, id).runs.map(readSessionRun));
  const lines = own.flatMap((run) => (run === undefined ? [] : [ownLine(run)]));
  const context = lines.length > 0 ? lines : await freeLines(shell, id);
  if (context.length === 0) return undefined;
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context.slice(0, RUNS_SHOWN).join('\n') } };
}

function ownLine(run: AttendedRun): string {
  const about = `You are working on run ${run.id} of the Pawl workflow "${oneLine(run.workflow)}": ${stateText(run)}.`;
  return run.kind === 'waiting' || run.kind === 'halted'
    ? `${about} pawl_next with "run": "${run.id}" (or "pawl next ${run.id}") says what it waits for.`
    : `${about} Call pawl_next with "run": "${run.id}" (or run "pawl next ${run.id}") for the instructions, do the work, and report it.`;
}

/** The open runs of the project that nobody works on. */
async function freeLines(shell: Shell, session: string): Promise<readonly string[]> {
  const place = await findPlace(shell, shell.given);
  const opened = await openExisting(place);
  if (opened === undefined) return [];
  const open = await closing(opened, (store) => readProjectRuns(shell, place, { store, session }));
  return open
    .filter(({ holder }) => holder === undefined)
    .map(
      ({ run }) =>
        `Run ${run.id} of the Pawl workflow "${oneLine(run.workflow)}" is open in this project, and nobody works on it: ${stateText(run)}. If the person wants it continued, call pawl_next with "run": "${run.id}" (or run "pawl next ${run.id}").`,
    );
}

function stateText(run: AttendedRun): string {
  if (run.kind === 'waiting') return 'it is waiting for somebody else';
  if (run.kind !== 'work')
    return run.kind === 'halted' ? 'it stopped, and a person must decide how it continues' : 'the engine is executing it';
  const names = stepNames(run.work).map((name) => `"${oneLine(name)}"`);
  const shown = [...names.slice(0, STEPS_SHOWN), ...(names.length > STEPS_SHOWN ? ['…'] : [])].join(', ');
  return `${names.length === 1 ? 'step' : 'steps'} ${shown} ${names.length === 1 ? 'is' : 'are'} open`;
}
