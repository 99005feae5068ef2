// The commands that look at runs.

import { type CommandSpec, RUN_ARGUMENT } from '../command.ts';

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
        choices: ['pending', 'running', 'waiting', 'completed', 'overridden', 'failed', 'escalated', 'rejected', 'cancelled'],
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
  {
    name: 'show',
    group: 'Look',
    summary: 'tell the whole story of a run: steps, evidence, decisions, what it waits for',
    about:
      'Steps are listed in the order of the definition; attempts that went well are one line, the others come with what was seen. ' +
      "With --json the object has run, plan (the definition's steps and how far each is), steps (every attempt), groups, waits " +
      '(each with the command that moves the run on) and decisions.',
    args: [RUN_ARGUMENT],
    options: [
      { name: 'steps', about: 'every attempt in full, with its output and evidence' },
      { name: 'output', about: 'only what the run gave, as JSON' },
    ],
    examples: [
      { line: 'pawl show 0198', about: 'the run whose id begins with 0198' },
      { line: 'pawl show 0198 --steps', about: 'with everything that was kept of its attempts' },
      { line: 'pawl show 0198 --output', about: 'its result, for another program' },
    ],
    load: () => import('../commands/show.ts'),
  },
  {
    name: 'logs',
    group: 'Look',
    summary: 'print the log of a run, fact by fact, or the attempts of one step',
    about:
      'One line per fact: its number, the time, where, and what happened. With a STEP (or its path, such as review#2) the attempts ' +
      'of that step are printed in full, with what their programs wrote. With -f and --json every fact is a JSON object on a line ' +
      'of its own, each with schemaVersion.',
    args: [RUN_ARGUMENT, { name: 'STEP', about: 'a step of the run, or the path of one visit', completes: 'step' }],
    options: [
      { name: 'follow', short: 'f', about: 'go on until the run ends' },
      { name: 'since', value: 'SEQ', about: 'only what came after this number' },
    ],
    examples: [
      { line: 'pawl logs 0198', about: 'everything that happened' },
      { line: 'pawl logs 0198 -f', about: 'and what happens from now on' },
      { line: 'pawl logs 0198 test', about: 'what the step "test" printed, each time it was tried' },
    ],
    load: () => import('../commands/logs.ts'),
  },
  {
    name: 'watch',
    group: 'Look',
    summary: 'follow a run that another process drives, or all that are open',
    about: 'It only looks: it never takes a run, and leaving it with Ctrl-C changes nothing. It ends with the run, and with its exit code.',
    args: [{ ...RUN_ARGUMENT, required: false }],
    examples: [
      { line: 'pawl watch 7kq2', about: 'one run, step by step' },
      { line: 'pawl watch', about: 'every open run of this project, one line each' },
    ],
    load: () => import('../commands/watch.ts'),
  },
];
