// Owns the contexts in which a step can be rendered: that of a request, and all that a check must cover.

import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ArgModel } from '../definition/model.ts';
import { bindParams } from '../definition/param/arg.ts';
import { CONFIDENCES, type Confidence, ITERATIONS_MAX, type SkillContext } from './guidance.ts';
import { type QRState, qrState } from './qr-state.ts';
import type { Skill } from './skill.ts';

/** The request for a step, in addition to its number. */
export interface StepRequest {
  readonly step: number;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly confidence?: Confidence;
  readonly iteration?: number;
  readonly qr?: QRState;
}

/** The context of a request. Throws USAGE or PARAMS_INVALID if the request does not fit the skill. */
export function contextOf(skill: Skill, request: StepRequest): SkillContext {
  const { step, params = {}, confidence, iteration, qr } = request;
  if (!Number.isInteger(step) || step < 1 || step > skill.totalSteps)
    throw new EngineError('USAGE', `ERROR: Invalid step ${step}: the skill "${skill.name}" has steps 1 to ${skill.totalSteps}`);
  const iterates = skill.steps.some((candidate) => candidate.iterates === true);
  if (!iterates && (confidence !== undefined || iteration !== undefined))
    throw new EngineError('USAGE', `no step of "${skill.name}" iterates, so it does not accept --confidence or --iteration`);
  if (qr !== undefined && !skill.steps.some(({ gate }) => gate !== undefined))
    throw new EngineError(
      'USAGE',
      `the skill "${skill.name}" has no review loop, so it does not accept --qr-iteration, --qr-fail or --qr-status`,
    );
  return Object.freeze({
    step,
    totalSteps: skill.totalSteps,
    params: bindParams(skill.params, params, `the skill "${skill.name}"`),
    confidence: confidence ?? 'exploring',
    iteration: iteration ?? 1,
    qr: qr ?? qrState(),
  });
}

const CONTEXTS_MAX = 2_000;
/** A round of each kind: the first, a repetition, and those in which fewer findings block. */
const ROUNDS = [1, 2, 3, 5];

/** Every context that a step can distinguish: choices of parameters, confidence, and rounds of reviews. */
export function everyContext(skill: Skill, step: number): SkillContext[] {
  let found: SkillContext[] = [{ step, totalSteps: skill.totalSteps, params: {}, confidence: 'exploring', iteration: 1, qr: qrState() }];
  const times = <T>(values: readonly T[], change: (context: SkillContext, value: T) => SkillContext): void => {
    if (found.length * values.length <= CONTEXTS_MAX) found = found.flatMap((context) => values.map((value) => change(context, value)));
    else found = found.map((context) => change(context, values[0] as T));
  };
  for (const [name, model] of Object.entries(skill.params))
    times(valuesOf(name, model), (context, value) => ({ ...context, params: withValue(context.params, name, value) }));
  if (skill.steps.some(({ iterates }) => iterates === true)) {
    times(CONFIDENCES, (context, confidence) => ({ ...context, confidence }));
    times([1, 2, ITERATIONS_MAX], (context, iteration) => ({ ...context, iteration }));
  }
  if (skill.steps.some(({ gate }) => gate !== undefined)) {
    times(ROUNDS, (context, iteration) => ({ ...context, qr: qrState({ iteration, failed: iteration > 1 }) }));
    if (skill.steps[step - 1]?.gate !== undefined)
      times([undefined, 'pass', 'fail'] as const, (context, status) => ({
        ...context,
        qr: qrState({ iteration: context.qr.iteration, ...omitUndefined({ status }) }),
      }));
  }
  return found;
}

function withValue(params: JsonObject, name: string, value: Json | undefined): JsonObject {
  return value === undefined ? params : { ...params, [name]: value };
}

/** The values of a parameter to try: its choices, or one example. */
function valuesOf(name: string, { choices, default: fallback, type, required, min }: ArgModel): readonly (Json | undefined)[] {
  if (choices !== undefined) return choices;
  if (type === 'boolean') return [false, true];
  if (fallback !== undefined) return [fallback];
  if (!required) return [undefined];
  return [type === 'number' || type === 'integer' ? (min ?? 1) : name.toUpperCase()];
}
