// Owns reading from a run's log how people decided at a step. The result of a step is no record of that: at a step that
// does work and then asks, it is what the worker wrote.

import { withoutVisits } from '../definition/address.ts';
import type { Vote } from '../definition/question/asked-question.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RecordedDecision } from '../steps/attempt.ts';
import type { Store } from '../store/store.ts';
import { pathOf } from './event-facts.ts';

/** The decision that ended the last visit of a step; undefined if it ended without one. */
export async function readDecision(store: Store, run: string, step: string): Promise<RecordedDecision | undefined> {
  let chosen: Vote | undefined;
  let last: RecordedDecision | undefined;
  for (const event of (await store.events(run, 0)).flatMap(({ events }) => events)) {
    if (event.type === 'run.changed') {
      if (event.change === 'decided' && event.decision.step === step) chosen = event.decision;
      continue;
    }
    const path = pathOf(event);
    if (path === undefined || withoutVisits(path) !== step) continue;
    if (event.type === 'step.settled') last = chosen && { option: chosen.option, actor: chosen.actor, outcome: event.outcome };
    // Otherwise the choice was one vote of several, or it was void.
    if (!isVerifying(event)) chosen = undefined;
  }
  return last;
}

/** Whether a step only verifies its result after the decision. */
function isVerifying(event: RunEvent): boolean {
  return event.type === 'step.changed' && event.activation.state === 'verifying';
}
