// Pattern 2: a step that repeats until its confidence is high enough, or a limit is reached.

import { arg, defineWorkflow } from '../../src/index.ts';

const MAX_ITERATIONS = 5;

/** What the step reads: the parameters and the results of earlier visits. */
interface Context {
  readonly params: Readonly<Record<string, unknown>>;
  readonly checkpoint: Readonly<Record<string, unknown>>;
}

export function stepInvestigate(ctx: Context): readonly ['ok' | 'iterate', object] {
  const iteration = Number(ctx.checkpoint.iteration ?? 1);
  const confidence = ctx.params.confidence ?? 'exploring';

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
    formulate: { handler: ({ checkpoint }) => ({ answer: `confidence: ${checkpoint.confidence}` }), next: null },
  },
});
