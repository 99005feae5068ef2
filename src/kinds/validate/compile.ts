// Owns how a `validate` step is written: the stages that are checked, and the step that repairs what they find.

import { checkMember, type StepOptions, type StepParts } from '../../authoring/flow-model.ts';
import type { KindCompiler } from '../../authoring/graph-work.ts';
import type { Json } from '../../base/json.ts';
import type { FlowStep } from '../../kernel/flow-step.ts';
import { validate as declaration } from './declare.ts';

/** Stages by name, by a key of the configuration, or the default set; `retry` counts the rounds of repair. */
export interface ValidateSpec extends Omit<StepOptions, 'retry'> {
  readonly stages?: readonly string[] | string;
  readonly retry?: number;
  /** Runs after a failed round, before the next; its own result does not decide. */
  readonly onFailure?: FlowStep;
}

/** The stages of a validation that passed; one that did not fails its step. */
export interface ValidateResult {
  readonly success: true;
  readonly stages: Json;
}

const REPAIRS = 3;

/** The kind `validate`. */
export const validate: KindCompiler = {
  ...declaration,
  field: 'validate',
  read({ validate: given }, { step, readMember }) {
    const { stages = null, retry = REPAIRS, onFailure } = given === true || given === undefined ? {} : given;
    const members = onFailure === undefined ? [] : [readMember(onFailure, 'on-failure')];
    return { kind: 'validate', config: step.plainObject({ stages, retry }, 'its validation'), code: {}, members };
  },
};

/** Stages that are checked, with a step that repairs between rounds. */
export function buildValidate(name: string, spec: ValidateSpec): StepParts {
  const { stages, retry = REPAIRS, onFailure, ...options } = spec;
  const config = { stages: typeof stages === 'object' ? [...stages] : (stages ?? null), retry };
  if (onFailure !== undefined) checkMember(`the validation "${name}"`, onFailure.bound);
  return { name, kind: 'validate', config, members: onFailure === undefined ? [] : [onFailure.bound], options };
}
