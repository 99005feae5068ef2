// Owns the warning about successes without a transition: a run that gets there stops and asks a person, and no author
// plans that. What fails may be left to the engine, which escalates it, and a rejection ends the run as rejected.

import type { KindRegistry } from '../kind.ts';
import type { StepModel } from '../model.ts';
import { Outcome } from '../outcome.ts';
import type { Problem } from './problem.ts';

/** Returns a warning for each answer, and each outcome of successful work, that leads nowhere. */
export function uncoveredAdvice(step: StepModel, registry: KindRegistry): Problem[] {
  const { next, question, side, id } = step;
  if (side === true || next[Outcome.DEFAULT] !== undefined) return [];
  const isCovered = (outcome: string): boolean => outcome === Outcome.REJECT || next[outcome] !== undefined;
  if (question === undefined)
    return successesOf(step, registry)
      .filter((outcome) => !isCovered(outcome))
      .map((outcome) => problem(id, `\`next\` has no transition for outcome "${outcome}"`, `add \`${outcome}\` to \`next\``));
  return question.options
    .filter(({ to, outcome }) => to === undefined && !isCovered(outcome))
    .map(({ label, outcome }) =>
      problem(
        id,
        `\`next\` has no transition for the answer "${label}"${outcome === label ? '' : `, whose outcome is "${outcome}"`}`,
        `add \`${label}\` to \`next\`, or lead the answer to a step`,
      ),
    );
}

function successesOf(step: StepModel, { kinds }: KindRegistry): readonly string[] {
  const { outcomes } = kinds[step.kind];
  // Those of a built-in kind are what went wrong; those of an application's kind are listed by its author.
  return [Outcome.OK, ...(step.routes ?? []), ...(typeof outcomes === 'function' ? outcomes(step) : [])];
}

function problem(step: string, message: string, hint: string): Problem {
  return { step, code: 'OUTCOME_UNCOVERED', message: `${message}, so the run would stop and ask a person`, hint };
}
