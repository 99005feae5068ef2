// Owns the progress texts of a run: the activity of a step, its end, and the line that is printed to a pipe for an event.
// The wording is stable, because programs read it.

import { stepWaits } from '../../attended/wait-words.ts';
import { formatDuration } from '../../base/duration.ts';
import { dueText } from '../../control/time-text.ts';
import { type ActivationIn, startTimeOf, waitOf } from '../../kernel/activation.ts';
import type { EventOf, RunEvent } from '../../kernel/event.ts';
import { UNDO_STEP } from '../../programs/undo.ts';
import { counted, oneLine } from '../terminal.ts';
import type { RunProgress, StepProgress } from './progress.ts';

/** The activity of a live step, or what it waits for. */
export function activityText({ activation, members }: StepProgress): string {
  const { state, attempt } = activation;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  switch (state) {
    case 'queued':
      return activation.slots === undefined ? 'queued' : 'waits for capacity';
    case 'preparing':
    case 'running':
      return `running${again}`;
    case 'verifying':
    case 'reconciling':
      return `verifying${again}`;
    case 'unknown':
      return 'unknown: interrupted, and there is no record of how it ended';
    case 'waiting':
      if (activation.wait.kind !== 'members') return waitText(activation);
      return members === undefined ? 'running' : `running ${counted(members.total, 'member')}`;
  }
}

function waitText({ wait, due, deadline, attempt, startedAt, openedAt }: ActivationIn<'waiting'>): string {
  const since = startedAt ?? openedAt;
  const until = due ?? deadline;
  const limit = until === undefined ? '' : ` until ${dueText(until, since)}`;
  switch (wait.kind) {
    case 'retry':
      return `waits${limit} for attempt ${attempt}`;
    case 'delay':
      return `waits${limit}`;
    case 'checks':
      return `${stepWaits(wait)}, checks again${until === undefined ? '' : ` at ${dueText(until, since)}`}`;
    case 'child':
      return stepWaits(wait);
    case 'human':
    case 'answer':
    case 'report':
    case 'signal':
      return `${oneLine(stepWaits(wait))}${limit}`;
    default:
      return 'running';
  }
}

/** How many members of a group have ended, how many failed, and how many reviewers among them reject the work. */
export function countText({ members, rejecting = 0 }: Pick<StepProgress, 'members' | 'rejecting'>): string {
  if (members === undefined) return '';
  const { total, ok, reject, fail, skip } = members;
  const failed = fail + reject;
  const ended = `${ok + reject + fail + skip}/${total}`;
  return `${ended}${failed === 0 ? '' : `, ${failed} failed`}${rejecting === 0 ? '' : `, ${rejecting} rejected`}`;
}

/** The duration of a step, or the time since it started. */
export function stepDurationMs({ activation, endedAt }: StepProgress, now: number): number {
  return Math.max(0, (endedAt ?? now) - (startTimeOf(activation) ?? activation.openedAt));
}

/** How a settled step ended: `completed`, `failed (timeout)`. */
export function endText({ status, outcome = '' }: StepProgress): string {
  return ['ok', 'fail', 'skip', 'cancelled', 'error'].includes(outcome) ? status : `${status} (${oneLine(outcome)})`;
}

/** The lines of an event, without its time; none for events that a reader does not need. */
export function eventTexts(progress: RunProgress, event: RunEvent): string[] {
  switch (event.type) {
    case 'run.started':
      return [`run ${event.run.id} of ${oneLine(event.run.workflow)} started`];
    case 'run.changed':
      return optional(assumedText(progress.state?.id ?? '', event) ?? runText(event));
    case 'step.opened':
    case 'step.reopened':
      return optional(stepText(progress, event.activation.path));
    case 'step.changed':
      return changedTexts(progress, event);
    case 'step.settled':
      return optional(settledText(progress.steps.get(event.path)));
    case 'edge.taken':
      return event.exhausted === true ? [`${oneLine(event.from ?? 'the run')} has no iterations left; next is ${oneLine(event.to)}`] : [];
    default:
      return [];
  }
}

/** The line about new assumptions with severity MUST; the inbox shows the others. */
export function assumedText(run: string, event: RunEvent): string | undefined {
  if (event.type !== 'run.changed' || event.change !== 'assumed') return undefined;
  const required = event.assumptions.filter(({ severity }) => severity === 'MUST').map(({ id, path }) => `${id} at ${oneLine(path)}`);
  return required.length === 0 ? undefined : `assumed without asking (MUST): ${required.join(', ')}; "pawl assumptions ${run}" shows it`;
}

function optional(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

function changedTexts(progress: RunProgress, { activation, group, failed }: Extract<RunEvent, { type: 'step.changed' }>): string[] {
  const { path } = activation;
  const now = progress.steps.get(path)?.moved === true || group !== undefined ? stepText(progress, path) : undefined;
  const before = failed === undefined ? undefined : `${oneLine(path)} attempt ${failed.attempt} failed: ${oneLine(failed.error.message)}`;
  return [...optional(before), ...optional(now)];
}

/** The line about a step's activity; undefined while it is being prepared. */
function stepText(progress: RunProgress, path: string): string | undefined {
  const step = progress.steps.get(path);
  if (step === undefined || step.activation.state === 'queued' || step.activation.state === 'preparing') return undefined;
  // It is only known at the end whether there was anything to undo.
  if (step.activation.step === UNDO_STEP && step.activation.state === 'running') return undefined;
  // A group is opened without members; the line with their count follows at once.
  if (waitOf(step.activation)?.kind === 'members' && step.members === undefined) return undefined;
  return `${oneLine(path)} ${activityText(step)}`;
}

function settledText(step: StepProgress | undefined): string | undefined {
  if (step === undefined) return undefined;
  const count = step.members === undefined ? '' : ` (${countText(step)})`;
  const error = step.error === undefined ? '' : `: ${oneLine(step.error)}`;
  return `${oneLine(step.activation.path)} ${endText(step)} in ${formatDuration(stepDurationMs(step, step.endedAt ?? 0))}${count}${error}`;
}

function runText(event: EventOf<'run.changed'>): string | undefined {
  const who = event.actor === undefined ? '' : ` by ${oneLine(event.actor)}`;
  switch (event.change) {
    case 'decided': {
      const { step, option, actor } = event.decision;
      return `${oneLine(step)} was decided: "${oneLine(option)}" by ${oneLine(actor)}`;
    }
    case 'paused':
      return `run paused${who}`;
    case 'unpaused':
    case 'resumed':
      return `run continues${who}`;
    case 'cancelling':
      return `run is being cancelled${who}`;
    case 'undoing':
      return `run ends ${event.ending.status}${who}; its work is undone first`;
    case 'halted':
      return `run ${event.status}: ${oneLine(event.halt.message)}`;
    case 'ended':
      return `run ${event.status}${who}`;
    default:
      return undefined;
  }
}
