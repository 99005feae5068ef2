// Declares the kind `validate`: the validation stages of a project, with a step that repairs what they find.

import { countFrom, fieldReader } from '../../definition/field-reader.ts';
import { isText, type KindDeclaration, type KindReport } from '../../definition/kind.ts';
import type { StepOf, ValidateWork } from '../../definition/model.ts';

/** Stages, and how often they are run again after a repair. */
export const validate: KindDeclaration = {
  kind: 'validate',
  checksWork: true,
  writesFiles: 'any',
  effects: 'lasting',
  again: 'its checks run again',
  outcomes: [],
  recovery: 'rerun',
  validate(step: StepOf<'validate'>, report) {
    parseValidation(step, report);
  },
};

/** Parses the stages and the number of repairs. */
export function parseValidation(given: unknown, report: KindReport): Pick<ValidateWork, 'stages' | 'repairs'> {
  const { optional } = fieldReader(given, report);
  return {
    stages:
      optional('stages', isStages, ['`stages` must be names of stages', 'write a name, a list of names, or nothing for all of them']) ??
      null,
    repairs:
      optional('repairs', countFrom(0), ['`retry` must be 0 or a positive integer', 'write how many repairs are allowed, such as 3']) ?? 0,
  };
}

function isStages(value: unknown): value is ValidateWork['stages'] {
  return value === null || isText(value) || (Array.isArray(value) && value.every(isText));
}
