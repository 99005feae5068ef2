// The commands that look at runs.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const LOOK: readonly CommandSpec[] = [
  {
    name: 'runs',
    group: 'Look',
    summary: 'list runs, newest first',
    options: [
      {
        name: 'status',
        value: 'STATUS',
        about: 'only runs in this state; may be given several times',
        many: true,
        choices: ['pending', 'running', 'waiting', 'completed', 'failed', 'escalated', 'rejected', 'cancelled'],
      },
      { name: 'workflow', value: 'NAME', about: 'only runs of this workflow', completes: 'workflow' },
      { name: 'limit', value: 'N', about: 'at most so many (20)' },
      { name: 'all', about: 'all of them' },
    ],
    examples: [
      { line: 'pawl runs', about: 'the latest runs of this project' },
      { line: 'pawl runs --status waiting --status escalated', about: 'what needs somebody' },
    ],
    load: () => import('../commands/runs.ts'),
  },
];
