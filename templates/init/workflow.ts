// A workflow of five steps: run it as it is, then change it into your own.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineWorkflow } from 'pawl';

const notes = join(import.meta.dirname, '../../NOTES.md');

export default defineWorkflow({
  name: 'NAME',
  title: 'Write release notes',
  steps: {
    // A shell command. It runs in the folder of the project; if it exits with 0, the step is done.
    draft: {
      command: `printf '%s\\n' '# Notes' '' '- TODO: say what is new' > NOTES.md`,
      next: 'check',
    },
    // A gate: the engine runs the checks itself, whatever anybody claims about the notes.
    check: {
      gate: { checks: [{ check: 'command', run: '! grep TODO NOTES.md' }] },
      // Every loop has a bound. If the notes fail a fourth time, the run stops and asks a person.
      next: { ok: 'approve', fail: { to: 'revise', maxIterations: 3, onExhausted: 'escalate' } },
    },
    // A function. The text that the person enters at the approval below is part of the run, so it is available here.
    revise: {
      handler: ({ checkpoint }) => {
        const text = readFileSync(notes, 'utf8').replace(/^- TODO.*$/m, '- The first release.');
        const wish = checkpoint.lastDecision?.input;
        writeFileSync(notes, wish === undefined ? text : `${text}- ${wish}\n`);
        return { notes: readFileSync(notes, 'utf8') };
      },
      next: 'check',
    },
    // A person decides about what is shown. Meanwhile the run is only on disk and uses no memory.
    approve: {
      human: {
        prompt: 'Publish these notes?',
        show: ['notes'],
        options: [
          { label: 'publish', nextStep: 'publish' },
          { label: 'rework', nextStep: 'revise', requiresInput: true },
          { label: 'reject', nextStep: 'reject' },
        ],
      },
    },
    // A contract: the step is done when the postcondition holds, not when the command exits with 0.
    publish: {
      command: 'cp NOTES.md PUBLISHED.md',
      postconditions: [
        {
          name: 'what was approved is published',
          check: () => readFileSync(notes, 'utf8') === readFileSync(join(notes, '../PUBLISHED.md'), 'utf8'),
          error: 'PUBLISHED.md differs from NOTES.md',
        },
      ],
      next: null,
    },
  },
});
