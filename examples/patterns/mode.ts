// Pattern 3: one of two paths, chosen by a parameter. The handler returns an outcome; where it leads is data.

import { arg, defineWorkflow, type StepContext } from '../../src/index.ts';

export function stepPlanning(ctx: Pick<StepContext, 'params'>): readonly ['ok' | 'skip', object] {
  const mode = ctx.params.mode ?? 'full';
  if (mode === 'quick') return ['skip', {}];
  return ['ok', {}];
}

export const branching = defineWorkflow({
  name: 'mode-branching',
  params: { mode: arg({ description: 'Workflow mode', choices: ['quick', 'full'], default: 'full' }) },
  steps: {
    planning: {
      handler: stepPlanning,
      next: {
        ok: 'subagent_design', // full mode
        skip: 'initial_synthesis', // quick mode
      },
    },
    subagent_design: { handler: () => ({ designed: true }), next: { ok: 'initial_synthesis' } },
    initial_synthesis: { handler: ({ checkpoint }) => ({ designed: checkpoint.designed ?? false }), next: null },
  },
});
