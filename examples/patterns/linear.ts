// Pattern 1 of seed 000: steps one after the other. The last one has no handler: it only has instructions.

import { Outcome, StepDef, Workflow } from '../../src/index.ts';

const stepHandler = () => [Outcome.OK, {}];

export const linear = new Workflow(
  'skill-name',
  StepDef({ id: 'step1', title: 'Gather', actions: ['Read the sources.'], handler: stepHandler, next: { [Outcome.OK]: 'step2' } }),
  StepDef({ id: 'step2', title: 'Compare', actions: ['Compare them.'], handler: stepHandler, next: { [Outcome.OK]: 'step3' } }),
  StepDef({ id: 'step3', title: 'Conclude', actions: ['Write the conclusion.'], next: { [Outcome.OK]: null } }),
);
