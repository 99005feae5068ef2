// Pattern 2 of seed 000: a step that repeats itself until it is sure, or has tried often enough.

import { arg, type GraphContext, Outcome, StepDef, Workflow } from '../../src/index.ts';

const MAX_ITERATIONS = 5;

export function stepInvestigate(ctx: Pick<GraphContext, 'workflowParams' | 'stepState'>): readonly [Outcome, object] {
  const iteration = Number(ctx.stepState.iteration ?? 1);
  const confidence = ctx.workflowParams.confidence ?? 'exploring';

  if (confidence === 'high') return [Outcome.OK, { confidence }];
  if (iteration >= MAX_ITERATIONS) return [Outcome.OK, { confidence: 'capped' }];
  return [Outcome.ITERATE, { iteration: iteration + 1 }];
}

export const investigation = new Workflow(
  'investigation',
  StepDef({
    id: 'investigate',
    handler: stepInvestigate,
    next: {
      [Outcome.OK]: 'formulate', // exit loop
      [Outcome.ITERATE]: 'investigate', // continue loop
    },
  }),
  StepDef({ id: 'formulate', handler: ({ stepState }) => ({ answer: `confidence: ${stepState.confidence}` }), next: null }),
  { params: { confidence: arg({ choices: ['exploring', 'low', 'high'], default: 'exploring' }) } },
);
