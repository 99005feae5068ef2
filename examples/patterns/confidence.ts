// Pattern 2 of seed 000: a step that repeats itself until it is sure, or has tried often enough.

import { arg, defineWorkflow, type StepContext } from '../../src/index.ts';

const MAX_ITERATIONS = 5;

export function stepInvestigate(ctx: Pick<StepContext, 'workflowParams' | 'stepState'>): readonly ['ok' | 'iterate', object] {
  const iteration = Number(ctx.stepState.iteration ?? 1);
  const confidence = ctx.workflowParams.confidence ?? 'exploring';

  if (confidence === 'high') return ['ok', { confidence }];
  if (iteration >= MAX_ITERATIONS) return ['ok', { confidence: 'capped' }];
  return ['iterate', { iteration: iteration + 1 }];
}

export const investigation = defineWorkflow({
  name: 'investigation',
  params: { confidence: arg({ choices: ['exploring', 'low', 'high'], default: 'exploring' }) },
  steps: {
    investigate: {
      handler: stepInvestigate,
      next: {
        ok: 'formulate', // exit loop
        iterate: 'investigate', // continue loop
      },
    },
    formulate: { handler: ({ stepState }) => ({ answer: `confidence: ${stepState.confidence}` }), next: null },
  },
});
