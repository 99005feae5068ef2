// Owns what `approve` and `reject` mean at a gate whose options its author named. Guessing wrong would record a
// decision that nobody made, so what is not clear is refused with the options there are.
//
// An option lets pass when its outcome is ok and it leads on. It turns down when its outcome is reject or fail, or it
// ends the run rejected or failed. It sends back when it leads to the gate's own step or one before it in the
// definition; sending back is a rejection only where nothing turns down. Among several, one that is labelled with the
// very word wins.

import { EngineError } from '../../base/error.ts';
import type { Definition, GateOptionModel } from '../../definition/model.ts';
import type { OpenGate } from '../../engine/gates.ts';

/** The commands that decide without naming an option. */
export type Verdict = 'approve' | 'reject';

/** The option that a verdict means at a gate. */
export function optionFor(verdict: Verdict, gate: OpenGate, definition: Definition): GateOptionModel {
  const { options } = gate.gate;
  const of = (meaning: Meaning): GateOptionModel[] => options.filter((option) => meaningOf(option, gate, definition) === meaning);
  const turning = of('turns down');
  const fitting = verdict === 'approve' ? of('lets pass') : turning.length > 0 ? turning : of('sends back');
  const labelled = fitting.filter(({ label }) => label.toLowerCase() === verdict);
  const [found, ...others] = labelled.length === 1 ? labelled : fitting;
  if (found !== undefined && others.length === 0) return found;
  const what = fitting.length === 0 ? `has no option that means "${verdict}"` : `has several options that mean "${verdict}"`;
  const labels = options.map(({ label }) => `"${label}"`).join(', ');
  throw new EngineError('OPTION_INVALID', `gate "${gate.step}" ${what}; name one with "pawl decide RUN --option LABEL": ${labels}`, {
    details: { gate: gate.path, options: options.map(({ label }) => label) },
  });
}

type Meaning = 'lets pass' | 'turns down' | 'sends back' | 'something else';

function meaningOf({ to, outcome }: GateOptionModel, { step }: OpenGate, { steps }: Definition): Meaning {
  if (outcome === 'reject' || outcome === 'fail') return 'turns down';
  if (to !== undefined && 'end' in to) {
    if (to.end === 'reject' || to.end === 'fail') return 'turns down';
    return to.end === 'complete' && outcome === 'ok' ? 'lets pass' : 'something else';
  }
  const place = (id: string): number => steps.findIndex((candidate) => candidate.id === id.split('/')[0]);
  if (to !== undefined && place(to.step) <= place(step)) return 'sends back';
  return outcome === 'ok' ? 'lets pass' : 'something else';
}
