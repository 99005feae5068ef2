// LangGraph's functional API: a task per step. Durability: `synchronous = FULL`, `durability: 'sync'`, and the next
// task is called when the writes of the last one are on disk; LangGraph by itself would call it a moment earlier.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { entrypoint, task } from '@langchain/langgraph';
import { CountingSaver } from './langgraph-saver.js';

/** Opens the peer in a folder. */
export async function open(folder) {
  const saver = new CountingSaver(join(folder, 'langgraph.db'));
  const step = task('step', async () => null);
  const chain = entrypoint({ name: 'chain', checkpointer: saver }, async ({ thread, steps }) => {
    for (let n = 1; n <= steps; n += 1) {
      await step();
      await saver.written(thread, n);
    }
    return null;
  });
  const fan = entrypoint({ name: 'fan', checkpointer: saver }, async ({ count }) => {
    await Promise.all(Array.from({ length: count }, () => step()));
    return null;
  });
  const configOf = (thread) => ({ configurable: { thread_id: thread }, durability: 'sync' });
  return {
    sequential: (steps) => {
      const thread = randomUUID();
      return chain.invoke({ thread, steps }, configOf(thread));
    },
    branches: (count) => fan.invoke({ count }, configOf(randomUUID())),
    close: async () => saver.close(),
  };
}
