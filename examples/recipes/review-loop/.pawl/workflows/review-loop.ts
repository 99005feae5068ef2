// A writer and a reviewer take turns, twice at most. What they cannot settle, a person decides.

import { defineWorkflow } from 'pawl';

export default defineWorkflow({
  name: 'review-loop',
  title: 'Write, review, and let a person settle it',
  steps: {
    write: {
      agent: 'writer',
      prompt: 'Write the announcement of version 2 into ANNOUNCEMENT.md. If a review is given, do what it asks.',
      seesContext: true,
      outputs: [{ name: 'text', type: 'artifact', pattern: 'ANNOUNCEMENT.md', required: true }],
      fresh: 'activation',
      next: 'review',
    },
    // A transition for `reject` makes this a review: a reply without a verdict does not count.
    review: {
      agent: 'reviewer',
      prompt: 'Review ANNOUNCEMENT.md. Reject it if a claim in it is not backed by CHANGES.md; say which in output.feedback.',
      writes: [],
      next: {
        ok: 'publish',
        reject: { to: 'write', context: { review: '{{ result.feedback }}' }, maxIterations: 2, onExhausted: 'settle' },
      },
    },
    settle: {
      human: {
        prompt: 'Writer and reviewer do not agree. What now?',
        show: ['text', 'feedback'],
        options: [
          { label: 'publish', nextStep: 'publish' },
          { label: 'rework', nextStep: 'write', requiresInput: true },
          { label: 'stop', nextStep: 'reject' },
        ],
      },
    },
    publish: { command: 'cp ANNOUNCEMENT.md PUBLISHED.md', recovery: 'rerun', next: null },
  },
});
