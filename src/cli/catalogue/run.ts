// The commands that start runs and steer them.

import { type CommandSpec, type OptionSpec, RUN_ARGUMENT, SIGNING_OPTIONS, TOKEN_FILE } from '../command.ts';
import { AGENT_FORMAT } from './attend.ts';

const WAIT: OptionSpec = { name: 'wait', about: 'stay until the run has ended, whatever it waits for' };
const NOTE: OptionSpec = { name: 'note', value: 'TEXT', about: 'what whoever tries again should know; kept with the choice' };
const ACCEPT_CHANGES: OptionSpec = {
  name: 'accept-changes',
  about: 'go on although the code of the workflow is not what the run began with',
};

/** The commands of this group. */
export const RUN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    group: 'Run',
    summary: 'start a run of a workflow and drive it until it ends or waits',
    about:
      'On a terminal the steps are shown as they go; in a pipe there is one line per event. A run that waits for something within ' +
      'a minute is waited for; for anything longer the command ends with 3 and says what comes next. Ctrl-C stops after the steps ' +
      'under way, twice kills them; either way the run can be resumed.',
    args: [{ name: 'WORKFLOW', about: 'the name of a workflow, or its file', required: true, completes: 'workflow' }],
    options: [
      {
        name: 'param',
        short: 'p',
        value: 'NAME=VALUE',
        about: 'a parameter, read by its declared type; VALUE may be @file, and @@ stands for an @ of its own',
        many: true,
      },
      { name: 'params', value: 'JSON', about: 'all parameters as a JSON object, or @file' },
      { name: 'from', value: 'STEP', about: 'begin at this step instead of the first', completes: 'step' },
      { name: 'output', value: 'STEP=JSON', about: 'with --from: what a step before it gave, or @file', many: true },
      { name: 'issue', value: 'N', about: 'the issue it is about, as if an event of it had started the run' },
      { name: 'pr', value: 'N', about: 'the pull request it is about, likewise' },
      { name: 'event', value: 'NAME', about: 'the event it is started by, such as issues.labeled' },
      { name: 'payload', value: 'JSON', about: 'with --event: what came with it, as the forge sends it, or @file' },
      { name: 'id', value: 'ID', about: 'the id of the run; starting it twice is refused' },
      { name: 'detach', about: 'drive the run in a process of its own and return at once' },
      WAIT,
      { name: 'attended', about: 'the agent that calls does the work: prints its first step and ends; "pawl done" reports it' },
      AGENT_FORMAT,
      TOKEN_FILE,
      ...SIGNING_OPTIONS,
    ],
    examples: [
      { line: 'pawl run release -p version=1.4.0 -p dryRun=true', about: 'with two parameters' },
      { line: 'pawl run .pawl/workflows/fix.ts --params @params.json', about: 'a file, with its parameters from another' },
      { line: `pawl run release --from publish --output build='{"ok":true}'`, about: 'only the end of it' },
      { line: 'pawl run fix-bug --issue 42', about: 'for an issue' },
      { line: 'pawl run feature --event issues.labeled --payload @event.json', about: 'as an event would start it' },
      { line: 'pawl run nightly --detach', about: 'in the background' },
      { line: 'pawl run fix-bug --issue 42 --attended', about: 'an agent does the work, one step at a time' },
    ],
    load: () => import('../commands/run.ts'),
  },
  {
    name: 'resume',
    group: 'Run',
    summary: 'drive a run on: after a crash, a pause or Ctrl-C as it is, after an escalation with a choice',
    about:
      'A run that stopped goes on when a person says how: --retry, --accept or --to. Without a choice they are asked on a terminal; ' +
      'in a pipe the choices are printed and nothing changes. A step that may have run and has no record is settled with --rerun, ' +
      '--done or --failed; the path of a fan-out or of parallel branches settles all such steps of it. When another process drives the run the command ends with 7, or follows that process with --wait.',
    args: [RUN_ARGUMENT],
    options: [
      { name: 'retry', about: 'try again what failed, and only that' },
      { name: 'accept', about: 'take the step it stopped at as done, in your name' },
      { name: 'to', value: 'STEP', about: 'go on at another step', completes: 'step' },
      { name: 'rerun', value: 'PATH', about: 'a step whose end is unknown: run it again' },
      { name: 'done', value: 'PATH', about: 'a step whose end is unknown: it took effect' },
      { name: 'failed', value: 'PATH', about: 'a step whose end is unknown: it failed' },
      { name: 'output', value: 'JSON', about: 'with --accept or --done: what the step gave, or @file' },
      { name: 'extend', value: 'N', about: 'with --retry: allow N more iterations of a loop that is used up' },
      { name: 'budget', value: 'NAME=N', about: 'let agents use so much more: tokens, cost_usd, turns or time', many: true },
      NOTE,
      ACCEPT_CHANGES,
      WAIT,
      TOKEN_FILE,
      ...SIGNING_OPTIONS,
    ],
    examples: [
      { line: 'pawl resume 7kq2', about: 'after a crash or Ctrl-C: nothing that was recorded runs again' },
      { line: 'pawl resume 7kq2 --retry --note "the port is 8081 now"', about: 'after an escalation, with a hint' },
      { line: 'pawl resume 7kq2 --budget cost_usd=5', about: 'a run that waits for budget: five dollars more' },
      { line: 'pawl resume 7kq2 --wait', about: 'stay with it until it ends' },
    ],
    load: () => import('../commands/resume.ts'),
  },
  {
    name: 'retry',
    group: 'Run',
    summary: 'run again what failed, and only that',
    about: 'The same as "pawl resume RUN --retry". Of a failed fan-out only the members that did not succeed run again.',
    args: [RUN_ARGUMENT, { name: 'STEP', about: 'the step it stopped at, to be sure that it is the one', completes: 'step' }],
    options: [
      { name: 'extend', value: 'N', about: 'allow N more iterations of a loop that is used up' },
      NOTE,
      ACCEPT_CHANGES,
      WAIT,
      TOKEN_FILE,
      ...SIGNING_OPTIONS,
    ],
    examples: [{ line: 'pawl retry 7kq2', about: 'the failed step, or the failed members of a fan-out' }],
    load: () => import('../commands/retry.ts'),
  },
  {
    name: 'cancel',
    group: 'Run',
    summary: 'end a run for good, and the runs it started',
    about:
      'What is under way is stopped, in whichever process it runs. The code of the workflow is not needed. A run that somebody ' +
      'else started takes a terminal of your own, or a token with the scope "override".',
    args: [RUN_ARGUMENT],
    options: [{ name: 'reason', value: 'TEXT', about: 'why; kept with the run' }, TOKEN_FILE, ...SIGNING_OPTIONS],
    examples: [{ line: 'pawl cancel 7kq2 --reason "superseded"', about: 'with a reason' }],
    load: () => import('../commands/cancel.ts'),
  },
  {
    name: 'pause',
    group: 'Run',
    summary: 'let a run begin nothing new until it is resumed',
    about:
      'What is under way ends first, in whichever process it runs. A run that somebody else started takes a terminal of your own, ' +
      'or a token with the scope "override".',
    args: [RUN_ARGUMENT],
    options: [TOKEN_FILE, ...SIGNING_OPTIONS],
    examples: [{ line: 'pawl pause 7kq2', about: 'until "pawl resume 7kq2"' }],
    load: () => import('../commands/pause.ts'),
  },
  {
    name: 'fork',
    group: 'Run',
    summary: 'start a new run that reuses what another did before a step',
    about:
      'The original stays as it is. Approvals and budgets are not taken over, and preconditions are checked again. On a terminal the ' +
      'table of --dry-run is shown first and you are asked; in a pipe the fork starts at once.',
    args: [RUN_ARGUMENT],
    options: [
      { name: 'from', value: 'STEP', about: 'the step the fork begins with; the original must have come to it', completes: 'step' },
      { name: 'param', short: 'p', value: 'NAME=VALUE', about: 'replaces a parameter of the original', many: true },
      { name: 'params', value: 'JSON', about: 'replaces several parameters: a JSON object, or @file' },
      { name: 'output', value: 'STEP=JSON', about: 'replaces what a step before it gave, or @file', many: true },
      { name: 'dry-run', about: 'only show what is reused, what runs again, and which effects outside may repeat' },
      { name: 'yes', short: 'y', about: 'do not ask on a terminal' },
      TOKEN_FILE,
      ...SIGNING_OPTIONS,
    ],
    examples: [
      { line: 'pawl fork 7kq2 --from publish --dry-run', about: 'what would be reused and what would run again' },
      { line: 'pawl fork 7kq2 --from write -p tone=warm', about: 'the same beginning, another ending' },
    ],
    load: () => import('../commands/fork.ts'),
  },
];
