// Mastra, one step in a loop: its fastest form, because the snapshot does not grow. Durability: see mastra-store.js. It saves
// a snapshot with the last result before each turn and awaits it, so there is one commit per step.

import { createWorkflow } from '@mastra/core/workflows';
import { any, openMastra, stepOf } from './mastra-store.js';

/** Opens the peer in a folder. */
export async function open(folder) {
  const loop = createWorkflow({ id: 'loop', inputSchema: any, outputSchema: any })
    .dountil(
      stepOf('step', ({ n, steps }) => ({ n: n + 1, steps })),
      async ({ inputData }) => inputData.n >= inputData.steps,
    )
    .commit();
  const { run, close } = await openMastra(folder, { loop });
  return { sequential: (steps) => run('loop', { n: 0, steps }), close };
}
