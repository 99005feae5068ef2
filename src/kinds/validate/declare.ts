// Owns what the kind `validate` declares: the validation stages of a project, with a step that mends what they find.

import { isCount, isText, type KindDeclaration } from '../../definition/kind.ts';

/** Stages: `{ stages: list | name | null for all, retry }`; its member, if any, runs after a failure. */
export const validate: KindDeclaration = {
  kind: 'validate',
  outcomes: [],
  recovery: 'rerun',
  validate(step, report) {
    const { stages, retry } = step.config;
    const known = stages === null || isText(stages) || (Array.isArray(stages) && stages.every(isText));
    if (!known) report.fault('its stages are no names', 'write a name, a list of names, or nothing for all of them');
    if (!isCount(retry, 0)) report.fault('its retry is no number of times', 'write a whole number from 0 up');
    if (step.members.length > 1) report.fault(`it has ${step.members.length} steps for a failure`, 'give it one');
  },
};
