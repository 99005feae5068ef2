// Owns the digest by which a replay recognises a step that a flow yields. It covers what the step is asked to do (name,
// kind, config with its arguments, question, members). It leaves out the names of functions and the limits, so that
// renaming a function or raising a timeout, which a person accepted on resume, is not mistaken for another step.

import { digestJson } from '../base/digest.ts';
import { type JsonObject, toPlain } from '../base/json.ts';
import { membersOf, type StepModel } from '../definition/model.ts';
import type { FlowYield } from './flow-step.ts';

/** The digest by which a replay tells whether a flow yields the same step as before. */
export function digestOfYield(yielded: FlowYield): string {
  if (yielded.yields === 'step') return digestJson(askedOf(yielded.bound.model));
  return digestJson({ [yielded.yields]: yielded.steps.map(({ bound }) => askedOf(bound.model)) });
}

/** What a step is asked to do, as data. */
export function askedOf(model: StepModel): JsonObject {
  const members = membersOf(model);
  return {
    name: model.id,
    kind: model.kind,
    ...askedWork(model),
    ...(model.question === undefined ? {} : { question: toPlain(model.question, 'the question') }),
    ...(members.length === 0 ? {} : { members: members.map(askedOf) }),
  };
}

function askedWork(model: StepModel): JsonObject {
  switch (model.kind) {
    case 'human':
    case 'parallel':
      return {};
    case 'each':
      return { items: model.items };
    case 'delay':
      return { durationMs: model.durationMs, ...(model.poll === undefined ? {} : { poll: model.poll as JsonObject }) };
    case 'workflow':
      return { workflow: model.workflow, input: model.input };
    case 'signal':
      return { signal: model.signal };
    case 'validate':
      return { stages: model.stages, repairs: model.repairs };
    default:
      return { config: model.config as JsonObject };
  }
}
