// The commands that show runs.

import { type CommandSpec, inGroup, LAST_RUN_ARGUMENT, QUIET, RUN_ARGUMENT, STATUS_OPTION } from '../command.ts';

/** The commands that show runs. */
export const INSPECT: readonly CommandSpec[] = inGroup('Inspect', [
  {
    name: 'runs',
    summary: 'list runs, newest first',
    options: [
      { ...STATUS_OPTION, about: 'only runs with this status; can be repeated' },
      { name: 'workflow', value: 'NAME', about: 'only runs of this workflow', completes: 'workflow' },
      { name: 'attended', about: 'only open attended runs, which "pawl next" can continue' },
      { name: 'limit', value: 'N', about: 'list at most N runs (default: 20)' },
      { name: 'all', about: 'list all runs' },
    ],
    examples: [
      { line: 'pawl runs', about: 'the latest runs of this project' },
      { line: 'pawl runs --status waiting --status escalated', about: 'runs that are waiting or have stopped' },
    ],
    load: () => import('../commands/runs.ts'),
  },
  {
    name: 'show',
    aliases: ['status'],
    summary: 'show a run: its steps, evidence, decisions and what it waits for',
    about:
      'Steps are listed in the order of the definition. A successful attempt takes one line; others come with their evidence. ' +
      "The --json object has run, plan (the definition's steps and how far each is), steps (every attempt), groups, waits " +
      '(each with the command that ends it) and decisions.',
    args: [LAST_RUN_ARGUMENT],
    options: [
      { name: 'steps', about: 'show every attempt in full, with its output and evidence' },
      { name: 'output', about: "print only the run's output, as JSON" },
    ],
    examples: [
      { line: 'pawl show', about: 'the last run of this project' },
      { line: 'pawl show 0198', about: 'the run whose id begins with 0198' },
      { line: 'pawl show 0198 --steps', about: 'with everything recorded about each attempt' },
      { line: 'pawl show 0198 --output', about: 'its output, for another program' },
    ],
    load: () => import('../commands/show.ts'),
  },
  {
    name: 'logs',
    summary: "print a run's event log, or the attempts of one step",
    about:
      'Prints one line per event: its number, the time, the step and what happened. With a STEP (or a path, such as review#2) ' +
      'prints the attempts of that step in full, with the output of their programs. With -f, what steps print while they run comes ' +
      'as "STEP | text" between the events, whichever process drives the run. With -f and --json each event, and each line of output ' +
      '(type "output"), is one JSON object per line, with its own schemaVersion.',
    args: [LAST_RUN_ARGUMENT, { name: 'STEP', about: 'a step of the run, or the path of one visit', completes: 'step' }],
    options: [
      { name: 'follow', short: 'f', about: 'print new events until the run ends' },
      { name: 'since', value: 'SEQ', about: 'only events after this number' },
      QUIET,
    ],
    examples: [
      { line: 'pawl logs 0198', about: 'everything that happened' },
      { line: 'pawl logs 0198 -f', about: 'and everything that happens from now on, with what steps print' },
      { line: 'pawl logs 0198 test -f', about: 'the step "test" while it runs' },
      { line: 'pawl logs 0198 test', about: 'the output of each attempt of the step "test"' },
    ],
    load: () => import('../commands/logs.ts'),
  },
  {
    name: 'diff',
    summary: 'show what a run, or one of its steps, changed in the files',
    about:
      'Compares the snapshots of the workspace that were taken before and after each step that may write files. A terminal shows the ' +
      'steps, the files and the difference in colour; a pipe gets the difference as git prints it. Secrets from the settings are masked; ' +
      'binary files are listed by name only.',
    args: [LAST_RUN_ARGUMENT, { name: 'STEP', about: 'a step of the run, or the path of one visit, such as build#2', completes: 'step' }],
    options: [
      { name: 'stat', about: 'only the steps and the files, with the number of lines' },
      { name: 'name-only', about: 'only the names of the files' },
    ],
    examples: [
      { line: 'pawl diff 7kq2', about: 'everything that changed since the run began' },
      { line: 'pawl diff 7kq2 implement', about: 'what the step "implement" changed' },
      { line: 'pawl diff 7kq2 --stat', about: 'which steps changed which files' },
    ],
    load: () => import('../commands/diff.ts'),
  },
  {
    name: 'watch',
    summary: 'follow a run that another process drives, or all open runs',
    about: "Only reads: it never drives a run, and Ctrl-C changes nothing. With RUN it ends when the run ends, with the run's exit code.",
    args: [{ ...RUN_ARGUMENT, required: false }],
    options: [QUIET],
    examples: [
      { line: 'pawl watch 7kq2', about: 'one run, step by step' },
      { line: 'pawl watch', about: 'every open run of this project, one line each' },
    ],
    load: () => import('../commands/watch.ts'),
  },
  {
    name: 'debug',
    summary: 'write everything about a run to one file, without secrets',
    about:
      'The file has versions, the checks of "pawl doctor", the settings, the definition, the event log, all steps with their evidence, and the transcripts of agents, as JSON. Values of the secrets in the settings, of variables whose names suggest a secret, and tokens of known services are masked, also in encoded form. The file is meant for a bug report; read it before you share it.',
    args: [RUN_ARGUMENT],
    options: [{ name: 'out', value: 'FILE', about: 'the file to write (default: pawl-debug-RUN.json)' }],
    examples: [{ line: 'pawl debug 0198 --out report.json', about: 'a file for a bug report' }],
    load: () => import('../commands/debug.ts'),
  },
]);
