// Owns the workflows that are measured. Their steps do nothing, so that only the engine is measured.

import { compileGraph } from '../src/authoring/graph/graph.ts';
import type { CompiledWorkflow } from '../src/definition/code.ts';
import { REGISTRY } from '../src/kinds/registry.ts';

const noop = (): undefined => undefined;

/** A workflow of no-op steps, one after the other. */
export function linear(steps: number): CompiledWorkflow {
  return compileGraph(
    {
      name: `linear-${steps}`,
      steps: Array.from({ length: steps }, (_, n) => ({
        id: `step-${n}`,
        handler: noop,
        recovery: 'rerun' as const,
        next: n === steps - 1 ? null : `step-${n + 1}`,
      })),
    },
    REGISTRY,
  );
}

/** A workflow of no-op branches and a join. */
export function branches(count: number): CompiledWorkflow {
  return compileGraph(
    {
      name: `branches-${count}`,
      steps: [
        {
          id: 'fan',
          parallel: { branches: Array.from({ length: count }, (_, n) => ({ id: `branch-${n}`, handler: noop })), join: 'all' },
          next: null,
        },
      ],
    },
    REGISTRY,
  );
}

/** A workflow whose only step is an approval. */
export function parked(): CompiledWorkflow {
  return compileGraph(
    {
      name: 'parked',
      steps: [
        {
          id: 'ask',
          human: {
            prompt: 'Continue?',
            context: [],
            options: [
              { label: 'yes', nextStep: 'complete' },
              { label: 'no', nextStep: null },
            ],
          },
          next: null,
        },
      ],
    },
    REGISTRY,
  );
}
