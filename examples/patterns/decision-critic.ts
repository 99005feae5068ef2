// The workflow example of seed 000: a decision is taken apart, its claims are sorted, and questions are put to them.

import { Outcome, StepDef, Workflow } from '../../src/index.ts';

const stepHandler = () => [Outcome.OK, {}];

export const WORKFLOW = new Workflow(
  'decision-critic',
  StepDef({
    id: 'extract_structure',
    title: 'Extract Structure',
    actions: ['List the claims, the assumptions and the constraints of the decision.'],
    handler: stepHandler,
    next: { [Outcome.OK]: 'classify_verifiability' },
  }),
  StepDef({
    id: 'classify_verifiability',
    title: 'Classify Verifiability',
    actions: ['Mark each claim: verifiable, a judgement, or a constraint.'],
    handler: stepHandler,
    next: { [Outcome.OK]: 'generate_questions' },
  }),
  StepDef({
    id: 'generate_questions',
    title: 'Generate Questions',
    actions: ['Write one question per verifiable claim whose answer could prove it wrong.'],
    handler: stepHandler,
    next: { [Outcome.OK]: null },
  }),
  { description: 'Structured decision criticism workflow' },
);
