// Owns how a replay recognises what a flow yields. The digest covers what a step is asked to do (name, kind, config
// with its arguments, question, members). It leaves out the names of functions and the limits, so that renaming a
// function or raising a timeout, which a person accepted on resume, is not mistaken for another step.

import { digestJson } from '../base/digest.ts';
import { type JsonObject, toPlain } from '../base/json.ts';
import type { StepModel } from '../definition/model.ts';
import type { FlowYield } from './flow-step.ts';

/** The digest by which a replay tells whether a flow yields what it yielded before. */
export function digestOfYield(yielded: FlowYield): string {
  if (yielded.yields === 'step') return digestJson(askedOf(yielded.bound.model));
  return digestJson({ [yielded.yields]: yielded.steps.map(({ bound }) => askedOf(bound.model)) });
}

/** What a step is asked to do, as data. */
export function askedOf(model: StepModel): JsonObject {
  return {
    name: model.id,
    kind: model.kind,
    config: model.config,
    ...(model.gate === undefined ? {} : { gate: toPlain(model.gate, 'the question') }),
    ...(model.members.length === 0 ? {} : { members: model.members.map(askedOf) }),
  };
}
