// Owns the rules for side steps, which the engine runs beside a run and which no transition may touch.

import { transitionsOf } from '../../definition/analysis.ts';
import type { Definition } from '../../definition/model.ts';
import type { GraphReading } from './reading.ts';

/** Reports steps that run beside a run but are not side steps, and transitions into or out of side steps. */
export function checkSides({ steps, onError, entry }: Definition, { problems }: GraphReading): void {
  // A side step that could not be read only seems to be missing.
  if (problems.mistyped.size > 0) return;
  const sides = new Set(steps.filter(({ side }) => side === true).map(({ id }) => id));
  const hint = 'write `side: true` on that step, or name a step that has it';
  const named = (what: string, id: string | undefined, step?: string) => {
    if (id === undefined || sides.has(id)) return;
    const message = `${what} is "${id}", which is not a side step${problems.suggest(id, sides)}`;
    problems.add({ code: 'TARGET_UNKNOWN', message, hint, ...(step === undefined ? {} : { step }) });
  };
  named('`onError`', onError);
  if (sides.has(entry)) problems.add({ code: 'ENTRY_UNKNOWN', message: `it begins at the side step "${entry}"`, hint: 'begin at another' });
  for (const step of steps) {
    named('`extend.onExtend`', step.extension?.onExtend, step.id);
    const wrong = transitionsOf(step).flatMap(({ to }) => ('step' in to && sides.has(to.step) !== sides.has(step.id) ? [to.step] : []));
    for (const id of new Set(wrong))
      problems.add({
        code: 'TARGET_UNKNOWN',
        step: step.id,
        message: sides.has(id) ? `it leads to the side step "${id}"` : `it is a side step and leads to "${id}", which is not`,
        hint: 'lead to another step, or remove the transition: the engine runs side steps by itself',
      });
  }
}
