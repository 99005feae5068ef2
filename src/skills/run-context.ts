// Owns the context of a step in a run: its iteration and its round, from the run's record. The stateless form has the same
// context in its flags, so both print the same.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ActionsContext, LoopPosition } from '../definition/code.ts';
import { blockingSeverities } from '../definition/review/review.ts';
import { openReview } from '../definition/review/review-loop.ts';
import { CONFIDENCES, type Confidence, ITERATIONS_MAX, type SkillContext } from './guidance.ts';
import { qrState } from './qr-state.ts';
import type { Skill, SkillGateStep, SkillStep } from './skill.ts';

/** The context of a step in a run. */
export function runContext(
  skill: Skill,
  number: number,
  { params, visit, results }: ActionsContext & { readonly params: JsonObject },
): SkillContext {
  const step = skill.steps[number - 1] as SkillStep;
  const gate = enclosingGate(skill, number);
  const rounds = gate === undefined ? 0 : (openReview(results[gate.id])?.state.round ?? 0);
  return {
    step: number,
    totalSteps: skill.totalSteps,
    params,
    confidence: step.iterates === true && visit > 1 ? confidenceIn(results[step.id]) : 'exploring',
    iteration: step.iterates === true ? visit : 1,
    qr: qrState({ iteration: rounds + 1, failed: rounds > 0 }),
  };
}

/** The items that were added to the review around a step after they were frozen, as a text for a reviewer. */
export function lateItems(skill: Skill, number: number, results: ActionsContext['results']): string {
  const gate = enclosingGate(skill, number);
  const items = gate === undefined ? [] : (openReview(results[gate.id])?.state.items ?? []);
  return items
    .filter(({ id }) => id.startsWith('late-'))
    .map(({ id, question }) => `${id}: ${question}`)
    .join('\n');
}

/** The gate of the innermost loop that contains a step. */
function enclosingGate({ steps }: Skill, number: number): SkillGateStep | undefined {
  const around = steps.flatMap((step, index) =>
    step.gate !== undefined && step.gate.workStep <= number && number <= index ? [{ step, span: index - step.gate.workStep }] : [],
  );
  return around.sort((one, other) => one.span - other.span)[0]?.step;
}

/** The confidence in an agent's result; `exploring` if there is none. */
export function confidenceIn(result: Json | undefined): Confidence {
  const confidence = result !== undefined && isJsonObject(result) ? result.confidence : undefined;
  return CONFIDENCES.find((word) => word === confidence) ?? 'exploring';
}

/** The position of a step in its loops, for the instructions. */
export function loopPosition(skill: Skill, { step, iteration, qr }: SkillContext): LoopPosition | undefined {
  const gate = enclosingGate(skill, step);
  const iterates = skill.steps[step - 1]?.iterates === true;
  if (gate === undefined && !iterates) return undefined;
  return {
    ...(iterates ? { iteration, iterationsMax: ITERATIONS_MAX } : {}),
    ...(gate === undefined ? {} : { round: qr.iteration, review: gate.gate.qrName, blocks: blockingSeverities(qr.iteration) }),
  };
}
