// Owns the reactions of a workflow in TypeScript: what a run does on an event of the forge.

import { omitUndefined } from '../../base/fields.ts';
import { unknownFields } from '../../base/suggest.ts';
import { RESTARTS_MAX, type REVIEW_STATES, type ReactionKind, type ReactionModel } from '../../definition/trigger/reaction.ts';

/** Further conditions for a reaction to an event. */
export interface ReactionConditions {
  /** The label that was just added or removed. */
  readonly label?: string;
  /** Labels that must all be present. */
  readonly labels?: readonly string[];
  readonly assigneeIsBot?: boolean;
  readonly milestone?: string;
  /** The branch that a pull request goes to, or one of several. */
  readonly baseBranch?: string | readonly string[];
  /** The state of a review that was submitted. */
  readonly reviewState?: (typeof REVIEW_STATES)[number];
}

/** What a run does when something happens at the forge. */
export interface ReactionSpec<Step = string> {
  /** GitHub's name of the event: `issues.closed`. Without an action, such as `issues`, every event of that kind. */
  readonly event: string;
  readonly conditions?: ReactionConditions;
  readonly do: ReactionKind;
  /** The step that a run goes back to: needed to restart, optional to wake an agent. */
  readonly step?: Step;
  /** How often a run goes back because of it; after that it escalates. Default: 3. */
  readonly max?: number;
  /** notify: the group or the person, and the message. */
  readonly notify?: string;
  readonly message?: string;
}

/** The same in a graph, where a reaction that goes back must name its step. */
export type GraphReaction<Step> = ReactionSpec<Step> &
  ({ readonly do: 'invalidate_and_restart'; readonly step: Step } | { readonly do: Exclude<ReactionKind, 'invalidate_and_restart'> });

const FIELDS = ['event', 'conditions', 'do', 'step', 'max', 'notify', 'message'];
const CONDITIONS = ['label', 'labels', 'assigneeIsBot', 'milestone', 'baseBranch', 'reviewState'];

/** The reactions of a workflow as data. They are validated with the definition. */
export function readReactions(specs: readonly ReactionSpec[] | undefined): readonly ReactionModel[] | undefined {
  return specs?.map(({ event, conditions = {}, do: reaction, step, max, notify, message }): ReactionModel => {
    const { label, labels = [], assigneeIsBot, milestone, baseBranch = [], reviewState } = conditions;
    const baseBranches = typeof baseBranch === 'string' ? [baseBranch] : [...baseBranch];
    const goesBack = step !== undefined && (reaction === 'invalidate_and_restart' || reaction === 'wake_agent');
    return {
      ...{ event, do: reaction, labels: [...labels], baseBranches },
      ...omitUndefined({
        label,
        assigneeIsBot,
        milestone,
        reviewState,
        step,
        notify,
        message,
        max: max ?? (goesBack ? RESTARTS_MAX : undefined),
      }),
    };
  });
}

/** A message for each field of the reactions that they do not have. */
export function unknownInReactions(specs: readonly ReactionSpec[] | undefined): string[] {
  return (specs ?? []).flatMap((spec) => [...unknownFields(spec, FIELDS), ...unknownFields(spec.conditions ?? {}, CONDITIONS)]);
}
