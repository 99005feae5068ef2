// Owns the workflows that the tests of the server run.

import { defineWorkflow } from '../../src/compat/index.ts';
import { arg } from '../../src/definition/param/arg.ts';

/** Drafts a text, asks a person about it, and publishes it. */
export const REVIEW = defineWorkflow({
  name: 'review',
  title: 'Review a text',
  params: { text: arg({ default: 'hello' }), round: arg({ type: 'integer', default: 1 }) },
  steps: [
    { id: 'draft', handler: (ctx) => ({ text: ctx.workflowParams.text }), next: 'ask' },
    {
      id: 'ask',
      human: {
        prompt: 'Publish?',
        context: ['text'],
        options: [
          { label: 'yes', nextStep: 'publish' },
          { label: 'no', nextStep: null },
          { label: 'rework', nextStep: 'draft', requiresInput: true },
        ],
      },
    },
    { id: 'publish', handler: () => ({ published: true }), next: null },
  ],
});

/** Waits for a signal. */
export const PARKED = defineWorkflow({
  name: 'parked',
  params: { label: arg({ default: '' }) },
  steps: [{ id: 'wait', signal: 'go', next: null }],
});

let failures = 0;

/** Fails until it is told not to, and then halts the run. */
export const FAILING = defineWorkflow({
  name: 'failing',
  steps: [
    {
      id: 'work',
      retry: { max: 0 },
      handler: () => {
        failures += 1;
        if (!isMended) throw new Error('the disk is full');
        return { ok: failures };
      },
      next: null,
    },
  ],
});

let isMended = false;

/** Says whether `FAILING` succeeds from now on. */
export function mend(is: boolean): void {
  isMended = is;
}
