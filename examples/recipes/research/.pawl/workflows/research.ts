// Three agents look for an answer at the same time. Two good answers are enough; a fourth agent puts them together.

import { arg, defineWorkflow } from 'pawl';

// A reply that does not fit is not accepted: the agent is told why and answers again.
const FINDING = {
  type: 'object',
  required: ['claim', 'source'],
  properties: { claim: { type: 'string' }, source: { type: 'string', minLength: 1 } },
};

const ask = (where: string) =>
  ({
    agent: 'researcher',
    prompt: `Find the answer in the ${where}. Give the claim and the address of its source.`,
    context: ({ params }: { readonly params: object }) => ({ ...params, where }),
    schema: FINDING,
    writes: [], // it only reads, so all of them work in the same folder
  }) as const;

export default defineWorkflow({
  name: 'research',
  title: 'Ask three, believe two',
  params: { question: arg({ type: 'string', required: true }) },
  steps: {
    ask: {
      parallel: { branches: { papers: ask('papers'), forum: ask('forum'), manual: ask('manual') }, join: 2 },
      next: { ok: 'synthesize', fail: 'escalate' },
    },
    synthesize: {
      agent: 'editor',
      prompt: 'Answer the question in ANSWER.md from the findings. Give the source of each claim.',
      context: ({ results, params }) => ({ ...params, findings: results.ask?.output ?? null }),
      outputs: [{ name: 'answer', type: 'file', pattern: 'ANSWER.md', required: true }],
      next: 'check',
    },
    check: { gate: { checks: ['grep -q https:// ANSWER.md'] }, next: { ok: null, fail: 'escalate' } },
  },
});
