// Owns what the kind `validate` declares: the validation stages of a project, with a step that repairs what they find.

import { isCount, isText, type KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** Stages, and how often they are run again after a repair. */
export const validate: KindDeclaration = {
  kind: 'validate',
  checksWork: true,
  writesFiles: 'any',
  effects: 'lasting',
  again: 'its checks run again',
  outcomes: [],
  recovery: 'rerun',
  validate({ stages, repairs }: StepOf<'validate'>, report) {
    const known = stages === null || isText(stages) || (Array.isArray(stages) && stages.every(isText));
    if (!known) report.fault('`stages` must be names of stages', 'write a name, a list of names, or nothing for all of them');
    if (!isCount(repairs, 0)) report.fault('`retry` must be a whole number', 'write one from 0 up');
  },
};
