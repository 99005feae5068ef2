// Mastra, a chain of different steps, the usual form of its workflows. Durability: see mastra-store.js. It saves the whole
// snapshot before and after each step and awaits it, so a step costs more the longer the chain is. The branches of a `foreach`
// that run at the same time are saved together, as in the floor.

import { createWorkflow } from '@mastra/core/workflows';
import { any, openMastra, stepOf } from './mastra-store.js';

function chainOf(steps) {
  const chain = createWorkflow({ id: `chain-${steps}`, inputSchema: any, outputSchema: any });
  for (let n = 0; n < steps; n += 1) chain.then(stepOf(`step-${n}`, () => null));
  return chain.commit();
}

/** Opens the peer in a folder. */
export async function open(folder) {
  const fan = createWorkflow({ id: 'fan', inputSchema: any, outputSchema: any });
  const workflows = {
    fan: fan
      .foreach(
        stepOf('branch', () => null),
        { concurrency: 1000 },
      )
      .commit(),
  };
  for (const steps of [1, 10, 100, 1000]) workflows[`chain-${steps}`] = chainOf(steps);
  const { run, close } = await openMastra(folder, workflows);
  return {
    sequential: (steps) => run(`chain-${steps}`, {}),
    branches: (count) =>
      run(
        'fan',
        Array.from({ length: count }, () => ({})),
      ),
    close,
  };
}
