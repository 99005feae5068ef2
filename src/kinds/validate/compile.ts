// Owns how a `validate` step is written: the stages that are checked, and the step that repairs what they find.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import { checkMember, type StepParts } from '../../authoring/flow/model.ts';
import { STEP_PART } from '../../authoring/graph/shape.ts';
import { codesOf, type KindCompiler } from '../../authoring/graph/work.ts';
import { eitherShape, isFields, objectShape, plainShape, wordShape } from '../../authoring/spec/shape.ts';
import type { Targets } from '../../authoring/spec/step.ts';
import { markUsed } from '../../programs/flow-step.ts';
import { validate as declaration, parseValidation } from './declare.ts';
import type { ValidateStep } from './spec.ts';

const REPAIRS = 3;

/** The kind `validate`. */
export const validate: KindCompiler = {
  ...declaration,
  field: 'validate',
  flow: {
    validate: {
      most: 1,
      first: plainShape('an object such as { stages: ["lint"] }', (value): value is object => value === undefined || isFields(value)),
      build,
    },
  },
  shapes: { validate: eitherShape(wordShape(true), objectShape<object>({ onFailure: STEP_PART }, { example: '{ stages: ["lint"] }' })) },
  read({ validate: given }, { step, readMember }) {
    if (typeof given === 'object') step.knownFields(given, ['stages', 'retry', 'onFailure'], 'a validation');
    const { stages = null, retry = REPAIRS, onFailure } = given === true || given === undefined ? {} : given;
    const fields = step.parse({ stages, repairs: retry }, 'its validation', parseValidation);
    const work = { kind: 'validate' as const, ...fields };
    if (onFailure === undefined) return { work };
    const member = readMember(onFailure, 'on-failure');
    return { work: { ...work, onFailure: member.model }, code: { members: codesOf([member]) } };
  },
};

/** Stages that are checked, with a step that repairs between rounds. */
function build(name: string, [spec = {}]: MethodArguments<ValidateStep<never, never, Targets>, 'validate'>): StepParts {
  const { stages, retry = REPAIRS, onFailure, ...options } = spec;
  const named = typeof stages === 'object' ? [...stages] : (stages ?? null);
  const work = { kind: 'validate' as const, stages: named, repairs: retry };
  const fields = ['stages', 'retry', 'onFailure'];
  if (onFailure === undefined) return { name, work, options, fields };
  markUsed(onFailure);
  checkMember(`the validation "${name}"`, onFailure.bound);
  return { name, work: { ...work, onFailure: onFailure.bound.model }, code: { members: codesOf([onFailure.bound]) }, options, fields };
}
