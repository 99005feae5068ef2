// Selects the workflows that an event starts: those whose trigger it matches. A workflow that overrides triggers takes
// precedence over the triggers of roles that match the same event.

import { parseEvent } from '../../definition/trigger/event.ts';
import type { WrittenStart } from '../../definition/trigger/start-command.ts';
import { allTriggers, matchingTrigger, mismatchOf, type TriggerModel } from '../../definition/trigger/trigger.ts';
import type { TriggeredWorkflow } from '../services.ts';
import type { ReceivedEvent } from './received-event.ts';

/** A workflow that an event starts, with the trigger that it matches. */
export interface SelectedWorkflow {
  readonly workflow: string;
  readonly trigger?: TriggerModel;
  /** The command in a comment that asks for it. */
  readonly start?: WrittenStart;
}

/** The workflows that an event starts; a string says why there is none. */
export function selectTriggered(
  all: readonly TriggeredWorkflow[],
  { event: { event }, payload }: ReceivedEvent,
): readonly SelectedWorkflow[] | string {
  const triggerEvent = { event, payload };
  const found = all.flatMap(({ workflow, trigger }) => {
    const matching = matchingTrigger(trigger, triggerEvent);
    return matching === undefined ? [] : [{ workflow, trigger: matching }];
  });
  const overrides = found.some(({ trigger }) => trigger.overrides === true);
  if (found.length > 0) return overrides ? found.filter(({ trigger }) => trigger.isOfRole !== true) : found;
  const { kind } = parseEvent(event);
  const reasons = all
    .filter(({ trigger }) => allTriggers(trigger).some((candidate) => parseEvent(candidate.event).kind === kind))
    .map(({ workflow, trigger }) => `"${workflow}": ${mismatchOf(trigger, triggerEvent)}`);
  return reasons.length === 0 ? `no workflow starts on ${event}` : reasons.join('; ');
}
