// Declares the kind `workflow`: another workflow, run as a child.

import { isText, type KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** The fault of a step that names no workflow, with its hint. */
export const UNNAMED = ['`workflow` must name the workflow to start', 'write its name, or give it as a value'] as const;

/** A child run. */
export const workflow: KindDeclaration = {
  kind: 'workflow',
  pipeline: 'child',
  joinsData: true,
  effects: 'passing',
  again: 'another child run; effects may repeat',
  outcomes: [],
  recovery: 'rerun',
  validate(step: StepOf<'workflow'>, report) {
    if (!isText(step.workflow)) report.fault(...UNNAMED);
  },
};
