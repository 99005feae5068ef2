// Pattern 1: steps one after the other. The last one has no handler: it only has instructions.

import { defineWorkflow } from '../../src/index.ts';

const stepHandler = () => ['ok', {}] as const;

export const linear = defineWorkflow({
  name: 'skill-name',
  steps: {
    step1: { title: 'Gather', actions: ['Read the sources.'], handler: stepHandler, next: { ok: 'step2' } },
    step2: { title: 'Compare', actions: ['Compare them.'], handler: stepHandler, next: { ok: 'step3' } },
    step3: { title: 'Conclude', actions: ['Write the conclusion.'], next: { ok: null } },
  },
});
