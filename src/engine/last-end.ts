// Owns looking up in a log how a step last ended, with everything needed to reopen it.

import { present } from '../base/fields.ts';
import type { Path } from '../kernel/activation.ts';
import { apply, createRun, type Draft, draftOf } from '../kernel/apply.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { HaltedStep } from '../kernel/run-state.ts';

/** Returns how the step that was opened at a path last ended, at that path or a later one; undefined if it never did. */
export function lastEndOf(log: readonly RunEvent[], opened: Path): HaltedStep | undefined {
  const [first, ...rest] = log;
  if (first?.type !== 'run.started') return undefined;
  const draft: Draft = draftOf(createRun(first));
  let step: string | undefined;
  let last: HaltedStep | undefined;
  for (const event of rest) {
    if (event.type === 'step.opened' && event.activation.path === opened) step = event.activation.step;
    const ended = event.type === 'step.settled' ? draft.live[event.path] : undefined;
    if (event.type === 'step.settled' && ended?.member === undefined && ended?.step === step && ended !== undefined) {
      const { path, attempt, input } = ended;
      last = { path, step: ended.step, outcome: event.outcome, attempt, ...present({ input, group: draft.groups[path] }) };
    }
    apply(draft, event);
  }
  return last;
}
