// Owns the reactions of open runs to forge events: which event, under which conditions, and what the run does. Unlike a
// trigger, a reaction is part of the definition: a run keeps the reactions it was started with.

import { isJsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Definition } from '../model.ts';
import type { ProblemList } from '../validation/problem.ts';
import { eventProblem } from './event.ts';
import { mismatchOf, type TriggerEvent, type TriggerModel } from './trigger.ts';

/** What a run can do in reaction to an event. */
export const REACTIONS = ['reevaluate_gates', 'invalidate_and_restart', 'cancel', 'notify', 'wake_agent'] as const;

/** One kind of reaction. */
export type ReactionKind = (typeof REACTIONS)[number];

/** The states of a review that a condition can name. */
export const REVIEW_STATES = ['approved', 'changes_requested', 'commented', 'dismissed'] as const;

/** One reaction of a workflow. */
export interface ReactionModel extends TriggerModel {
  readonly do: ReactionKind;
  readonly reviewState?: (typeof REVIEW_STATES)[number] | undefined;
  /** The step that a run goes back to: needed to restart, optional to wake an agent. */
  readonly step?: string | undefined;
  /** How often a run goes back because of it; after that it escalates. */
  readonly max?: number | undefined;
  /** notify: the group or the person, and the message. */
  readonly notify?: string | undefined;
  readonly message?: string | undefined;
}

/** How often a run goes back to a step because of one reaction, unless the workflow says otherwise. */
export const RESTARTS_MAX = 3;

/** The step that a run goes back to because of a reaction, and how often it does. */
export interface ReturnTarget {
  readonly step: string;
  readonly rule: number;
  readonly max: number;
}

/** A reaction that happened, as the log of a run has it. */
export interface ReactionRecord {
  /** The position of the reaction in its workflow, from 0. */
  readonly rule: number;
  readonly do: ReactionKind;
  readonly event: string;
  /** The id of the event at its source. */
  readonly eventId: string;
}

/** Returns why an event does not match a reaction, as the end of a sentence, or undefined if it does. */
export function reactionMismatch(reaction: ReactionModel, triggerEvent: TriggerEvent): string | undefined {
  const mismatch = mismatchOf(reaction, triggerEvent);
  if (mismatch !== undefined || reaction.reviewState === undefined) return mismatch;
  const { review } = triggerEvent.payload;
  const state = isJsonObject(review) ? review.state : undefined;
  const found = typeof state === 'string' ? state.toLowerCase() : 'unknown';
  return found === reaction.reviewState ? undefined : `the review must be "${reaction.reviewState}", but it is "${found}"`;
}

/** Adds what is wrong with the reactions of a definition. */
export function checkReactions(
  { onEvents = [], steps, form }: Pick<Definition, 'onEvents' | 'steps' | 'form'>,
  problems: ProblemList,
): void {
  const ids = steps.filter(({ side }) => side !== true).map(({ id }) => id);
  onEvents.forEach((reaction, index) => {
    for (const { code, message, hint } of faultsOf(reaction, { ids, form, problems }))
      problems.add({ reaction: index, code, message: `on_events, "${String(reaction.event)}": ${message}`, hint });
  });
}

interface Fault {
  readonly code: 'EVENT_UNKNOWN' | 'FIELD_INVALID' | 'FIELD_MISSING' | 'TARGET_UNKNOWN' | 'NUMBER_INVALID';
  readonly message: string;
  readonly hint: string;
}

interface KnownSteps {
  readonly ids: readonly string[];
  readonly form: Definition['form'];
  readonly problems: ProblemList;
}

function* faultsOf(reaction: ReactionModel, { ids, form, problems }: KnownSteps): Generator<Fault> {
  const { event, step, max, do: what, notify, reviewState } = reaction;
  const unknown = eventProblem(String(event));
  if (unknown !== undefined) yield { code: 'EVENT_UNKNOWN', ...unknown };
  if (!REACTIONS.includes(what)) {
    const hint = `write one of ${REACTIONS.join(', ')}`;
    yield { code: 'FIELD_INVALID', message: `there is no reaction "${String(what)}"${didYouMean(String(what), REACTIONS)}`, hint };
  }
  if (reviewState !== undefined && !event.startsWith('pull_request_review'))
    yield {
      code: 'FIELD_INVALID',
      message: '`review_state` applies only to pull_request_review events',
      hint: 'remove it, or change the event',
    };
  const takesStep = what === 'invalidate_and_restart' || what === 'wake_agent';
  if (what === 'invalidate_and_restart' && step === undefined)
    yield { code: 'FIELD_MISSING', message: '`step` must name the step to go back to', hint: 'for example `step: review`' };
  if (what === 'notify' && (typeof notify !== 'string' || notify.trim() === ''))
    yield { code: 'FIELD_MISSING', message: '`notify` must name a group or a person', hint: 'for example `notify: maintainers`' };
  if (what !== 'notify' && (notify ?? reaction.message) !== undefined)
    yield {
      code: 'FIELD_INVALID',
      message: `\`do: ${what}\` does not notify anyone`,
      hint: 'remove `notify` and `message`, or write `do: notify`',
    };
  if (!takesStep && (step ?? max) !== undefined)
    yield { code: 'FIELD_INVALID', message: `\`do: ${what}\` does not go back to a step`, hint: 'remove `step` and `max`' };
  if (takesStep && step !== undefined && form === 'flow')
    yield { code: 'FIELD_INVALID', message: 'a flow cannot go back to a step', hint: 'remove `step`, or write the workflow as a graph' };
  else if (takesStep && step !== undefined && !ids.includes(step))
    yield {
      code: 'TARGET_UNKNOWN',
      message: `there is no step "${step}"${problems.suggest(step, ids)}`,
      hint: 'name a step to go back to',
    };
  if (max !== undefined && !(Number.isSafeInteger(max) && max >= 1))
    yield {
      code: 'NUMBER_INVALID',
      message: `\`max\` must be a positive integer, not ${String(max)}`,
      hint: 'write how often the run may go back',
    };
}
