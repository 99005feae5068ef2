// Compiles a `validate` step: the stages to run, and the step that repairs what they find.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import { checkMember, type FlowSpec } from '../../authoring/flow/model.ts';
import { STEP_PART } from '../../authoring/graph/shape.ts';
import { codesOf, type KindCompiler } from '../../authoring/graph/work.ts';
import { anyShape, eitherShape, isFields, objectShape, plainShape, wordShape } from '../../authoring/spec/shape.ts';
import type { Targets } from '../../authoring/spec/step.ts';
import { markUsed } from '../../programs/flow-step.ts';
import { validate as declaration, parseValidation } from './declare.ts';
import type { ValidateStep } from './spec.ts';

const REPAIRS = 3;

/** Compiles `validate` steps. */
export const validate: KindCompiler = {
  ...declaration,
  field: 'validate',
  flow: {
    validate: {
      most: 1,
      first: plainShape('an object such as { stages: ["lint"] }', (value): value is object => value === undefined || isFields(value)),
      own: ['stages', 'retry', 'onFailure'],
      write: validationOf,
    },
  },
  shapes: {
    validate: eitherShape(
      wordShape(true),
      objectShape<object>(
        { stages: anyShape(), retry: anyShape(), onFailure: STEP_PART },
        { example: '{ stages: ["lint"] }', label: 'a validation' },
      ),
    ),
  },
  read({ validate: spec }, { step, readMember }) {
    const { stages = null, retry = REPAIRS, onFailure } = spec === true || spec === undefined ? {} : spec;
    const fields = step.parse({ stages, repairs: retry }, '`validate`', parseValidation);
    const work = { kind: 'validate' as const, ...fields };
    if (onFailure === undefined) return { work };
    const member = readMember(onFailure, 'on-failure');
    return { work: { ...work, onFailure: member.model }, code: { members: codesOf([member]) } };
  },
};

function validationOf([spec]: MethodArguments<ValidateStep<never, never, Targets>, 'validate'>, name: string): FlowSpec {
  if (spec === undefined) return { fields: { validate: true } };
  const { stages, retry, onFailure, ...options } = spec;
  if (onFailure === undefined) return { fields: { validate: { stages, retry } }, options };
  markUsed(onFailure);
  checkMember(`the validation "${name}"`, onFailure.bound);
  return { fields: { validate: { stages, retry, onFailure: onFailure.bound } }, options };
}
