// Pattern 3 of seed 000: one of two ways, chosen by a parameter. The handler says what happened; where that leads is data.

import { arg, type GraphContext, Outcome, StepDef, Workflow } from '../../src/index.ts';

export function stepPlanning(ctx: Pick<GraphContext, 'workflowParams'>): readonly [Outcome, object] {
  const mode = ctx.workflowParams.mode ?? 'full';
  if (mode === 'quick') return [Outcome.SKIP, {}];
  return [Outcome.OK, {}];
}

export const branching = new Workflow(
  'mode-branching',
  StepDef({
    id: 'planning',
    handler: stepPlanning,
    next: {
      [Outcome.OK]: 'subagent_design', // full mode
      [Outcome.SKIP]: 'initial_synthesis', // quick mode
    },
  }),
  StepDef({ id: 'subagent_design', handler: () => ({ designed: true }), next: { [Outcome.OK]: 'initial_synthesis' } }),
  StepDef({ id: 'initial_synthesis', handler: ({ stepState }) => ({ designed: stepState.designed ?? false }), next: null }),
  { params: { mode: arg({ description: 'Workflow mode', choices: ['quick', 'full'], default: 'full' }) } },
);
