// A workflow that examines a decision: it lists the claims, sorts them, and asks questions about them.

import { defineWorkflow } from '../../src/index.ts';

const stepHandler = () => ['ok', {}] as const;

export const WORKFLOW = defineWorkflow({
  name: 'decision-critic',
  description: 'Structured decision criticism workflow',
  steps: {
    extract_structure: {
      title: 'Extract Structure',
      actions: ['List the claims, the assumptions and the constraints of the decision.'],
      handler: stepHandler,
      next: { ok: 'classify_verifiability' },
    },
    classify_verifiability: {
      title: 'Classify Verifiability',
      actions: ['Mark each claim: verifiable, a judgement, or a constraint.'],
      handler: stepHandler,
      next: { ok: 'generate_questions' },
    },
    generate_questions: {
      title: 'Generate Questions',
      actions: ['Write one question per verifiable claim whose answer could prove it wrong.'],
      handler: stepHandler,
      next: { ok: null },
    },
  },
});
