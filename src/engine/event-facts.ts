// Answers the questions of a log's readers about an event: its activation, its path, its override.

import type { Group } from '../definition/group/join.ts';
import type { Override } from '../definition/passage.ts';
import type { Activation, Path } from '../kernel/activation.ts';
import type { EventOf, RunEvent } from '../kernel/event.ts';

/** The activation that an event opens or changes, as it is afterwards. */
export function activationIn(event: RunEvent): Activation | undefined {
  return 'activation' in event ? event.activation : undefined;
}

/** Whether an event opens a new group, as opposed to a reopened one, which keeps the results of its other members. */
export function opensGroup(event: RunEvent): event is EventOf<'step.changed'> & { readonly group: Group } {
  return event.type === 'step.changed' && event.group !== undefined && event.group.queued === event.group.total;
}

/** The override that an event records, if any. */
export function overrideIn(event: RunEvent): Override | undefined {
  return 'override' in event ? event.override : undefined;
}

/** The path of the activation that an event is about. */
export function pathOf(event: RunEvent | undefined): Path | undefined {
  if (event === undefined) return undefined;
  return event.type === 'step.settled' ? event.path : activationIn(event)?.path;
}
