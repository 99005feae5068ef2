// The command for skills.

import type { ListedCommand } from '../command.ts';

/** The commands of this group. */
export const SKILL: readonly ListedCommand[] = [
  {
    name: 'skill',
    summary: 'list, show, check, write and print skills: step by step instructions for agents',
    about:
      'A skill is a folder in .pawl/skills with a module (skill.ts or skill.mjs) that exports defineSkill({ … }), and a SKILL.md. "list" runs no code. "show" lists the steps, or prints one for people. "lint" ends with 1 if it finds something. "new" writes a first skill. "step" prints one step for an agent: always the same bytes for the same command, and no database is opened. All but "list" and "new" load the skill, so it must be trusted (see "pawl trust").',
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ['list', 'show', 'lint', 'new', 'step'] },
      { name: 'NAME', about: 'the name of a skill', completes: 'skill' },
    ],
    options: [
      { name: 'step', value: 'N', about: 'the number of the step, from 1' },
      { name: 'total-steps', value: 'N', about: 'how many steps the caller expects; another number is an error' },
      { name: 'param', short: 'p', value: 'NAME=VALUE', about: 'a parameter of the skill', many: true },
      { name: 'mode', value: 'MODE', about: 'the parameter "mode" of the skill' },
      { name: 'decision', value: 'TEXT', about: 'the parameter "decision" of the skill' },
      { name: 'confidence', value: 'WORD', about: 'how sure the agent is: exploring, low, medium, high or certain' },
      { name: 'iteration', value: 'N', about: 'the visit of a step that is repeated, from 1' },
      { name: 'qr-iteration', value: 'N', about: 'the round of a review loop, from 1' },
      {
        name: 'qr-fail',
        value: 'BOOL',
        alone: 'true',
        about: 'the step is entered to fix what a review found',
        choices: ['true', 'false'],
      },
      { name: 'qr-status', value: 'STATUS', about: 'how the review ended', choices: ['pass', 'fail'] },
      { name: 'format', value: 'FORMAT', about: 'the output format of "step" (default: xml)', choices: ['xml', 'text', 'json'] },
    ],
    examples: [
      { line: 'pawl skill new commit-message', about: 'write a first skill into .pawl/skills/commit-message' },
      { line: 'pawl skill list', about: 'what there is' },
      { line: 'pawl skill lint', about: 'check all skills of this project' },
      { line: 'pawl skill step commit-message --step 1 --total-steps 2', about: 'what an agent reads first' },
      { line: 'pawl skill show commit-message --step 2', about: 'the same for people' },
    ],
    load: () => import('../commands/skill.ts'),
  },
];
