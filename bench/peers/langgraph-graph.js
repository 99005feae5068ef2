// LangGraph's graph: one node in a loop. This is its fastest form, since each checkpoint lists every node that
// has run. Durability: `synchronous = FULL`, and `durability: 'sync'`, which waits for a step's checkpoint before the
// next begins.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { CountingSaver } from './langgraph-saver.js';

/** Opens the peer in a folder. */
export async function open(folder) {
  const saver = new CountingSaver(join(folder, 'langgraph.db'));
  const state = Annotation.Root({ n: Annotation(), steps: Annotation() });
  const chain = new StateGraph(state)
    .addNode('step', ({ n }) => ({ n: n + 1 }))
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ n, steps }) => (n < steps ? 'step' : END), ['step', END])
    .compile({ checkpointer: saver });
  const fan = new StateGraph(Annotation.Root({ count: Annotation() }))
    .addNode('branch', () => ({}))
    .addNode('join', () => ({}))
    .addConditionalEdges(START, ({ count }) => Array.from({ length: count }, (_, n) => new Send('branch', { n })), ['branch'])
    .addEdge('branch', 'join')
    .addEdge('join', END)
    .compile({ checkpointer: saver });
  const configOf = (steps) => ({ configurable: { thread_id: randomUUID() }, durability: 'sync', recursionLimit: steps + 5 });
  return {
    sequential: (steps) => chain.invoke({ n: 0, steps }, configOf(steps)),
    branches: (count) => fan.invoke({ count }, configOf(2)),
    close: async () => saver.close(),
  };
}
