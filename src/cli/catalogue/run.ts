// The commands that start and control runs.

import { type CommandSpec, inGroup, type OptionSpec, QUIET, RIGHT_OPTIONS, RUN_ARGUMENT } from '../command.ts';
import { AGENT_FORMAT } from './attend.ts';

const WAIT: OptionSpec = { name: 'wait', about: 'wait until the run has ended, however long that takes' };
const NOTE: OptionSpec = { name: 'note', value: 'TEXT', about: 'a hint for the next attempt; recorded with the choice' };
const ACCEPT_CHANGES: OptionSpec = {
  name: 'accept-changes',
  about: "continue even if the workflow's code has changed since the run started",
};
const OTHERS_RUN = 'For a run that someone else started you need a terminal of your own, or a token with the scope "override".';

/** The commands that start and control runs. */
export const RUN: readonly CommandSpec[] = inGroup('Run', [
  {
    name: 'run',
    summary: 'start a run of a workflow and drive it until it ends or waits',
    about:
      'A terminal shows the steps as they progress, with the last lines that each prints; a pipe gets one line per event and per line of output. If the run waits for something that is due within ' +
      'a minute, the command waits too; otherwise it exits with 3 and prints what to do next. Ctrl-C stops after the running steps, ' +
      'pressed twice it kills them; either way the run can be resumed.',
    args: [{ name: 'WORKFLOW', about: 'the name or file of a workflow', required: true, completes: 'workflow' }],
    options: [
      {
        name: 'param',
        short: 'p',
        value: 'NAME=VALUE',
        about: 'a parameter, parsed by its declared type; @file reads VALUE from a file, @@ is a literal @',
        many: true,
      },
      { name: 'params', value: 'JSON', about: 'all parameters as a JSON object, or @file' },
      { name: 'from', value: 'STEP', about: 'start at this step instead of the first', completes: 'step' },
      { name: 'output', value: 'STEP=JSON', about: 'with --from: the output of an earlier step, or @file', many: true },
      { name: 'issue', value: 'N', about: 'run as if an event of this issue had started it' },
      { name: 'pr', value: 'N', about: 'run as if an event of this pull request had started it' },
      { name: 'event', value: 'NAME', about: 'run as if this event had started it, such as issues.labeled' },
      { name: 'payload', value: 'JSON', about: "with --event: the event's payload as the forge sends it, or @file" },
      { name: 'id', value: 'ID', about: 'the id of the new run; an id that exists already is an error' },
      {
        name: 'priority',
        value: 'N',
        about: 'when steps wait for a limit, those of the run with the highest number go first (default: 0)',
      },
      { name: 'detach', about: 'drive the run in a background process and return immediately' },
      WAIT,
      QUIET,
      { name: 'locked', about: 'start the workflow only if it has not changed since "pawl lock"' },
      { name: 'attended', about: 'the calling agent does the work: print the first step and exit; "pawl done" reports it' },
      AGENT_FORMAT,
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl run release -p version=1.4.0 -p dryRun=true', about: 'with two parameters' },
      { line: 'pawl run .pawl/workflows/fix.ts --params @params.json', about: 'a workflow file, with parameters from another file' },
      { line: `pawl run release --from publish --output build='{"ok":true}'`, about: 'only the last part' },
      { line: 'pawl run fix-bug --issue 42', about: 'for an issue' },
      { line: 'pawl run feature --event issues.labeled --payload @event.json', about: 'as an event would start it' },
      { line: 'pawl run nightly --detach', about: 'in the background' },
      { line: 'pawl run fix-bug --issue 42 --attended', about: 'an agent does the work, one step at a time' },
    ],
    load: () => import('../commands/run.ts'),
  },
  {
    name: 'serve',
    summary: 'drive every run of the project and serve the dashboard and the HTTP API',
    about:
      'As long as it runs, it takes over every run that no process drives and starts runs of trusted workflows. Several servers on one database share the work. It stops on Ctrl-C or SIGTERM: running steps get 10 seconds to finish, and the next process continues the rest. Everything needs a login: at a terminal it prints a login link that works once (see "pawl access").',
    options: [
      { name: 'port', value: 'N', about: 'the port to listen on (default: 7411; 0 for any free one)' },
      { name: 'host', value: 'ADDRESS', about: 'the address to listen on (default: 127.0.0.1)' },
      { name: 'tls-cert', value: 'FILE', about: 'the certificate, as PEM; other machines need it, or a trusted proxy', completes: 'file' },
      { name: 'tls-key', value: 'FILE', about: 'the key of the certificate, as PEM', completes: 'file' },
      { name: 'open', about: 'open the dashboard in a browser' },
      { name: 'locked', about: 'start only workflows that have not changed since "pawl lock"' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl serve', about: 'on http://localhost:7411; prints a link to log in' },
      { line: 'pawl serve --host 10.0.0.5 --tls-cert cert.pem --tls-key key.pem', about: 'for other machines' },
      { line: 'pawl serve --port 0 --json', about: 'on any free port, which the JSON contains' },
    ],
    load: () => import('../commands/serve.ts'),
  },
  {
    name: 'schedules',
    summary: 'list, pause, resume, run or backfill scheduled workflows',
    about:
      'A workflow with "trigger: { schedule: ... }" starts on schedule while "pawl serve" runs. The list shows the next time of each and the result of the last one. "run" starts the workflow now, "backfill" starts a run for each past time that has none, and both drive their runs until they end or wait.',
    args: [
      { name: 'ACTION', about: 'what to do (default: list)', choices: ['list', 'pause', 'resume', 'run', 'backfill'] },
      { name: 'WORKFLOW', about: 'the workflow', completes: 'workflow' },
    ],
    options: [
      { name: 'from', value: 'TIME', about: 'backfill: the first time, such as 2026-01-31' },
      { name: 'until', value: 'TIME', about: 'backfill: the last time (default: now)' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl schedules', about: 'what starts when?' },
      { line: 'pawl schedules pause nightly', about: 'until "pawl schedules resume nightly"' },
      { line: 'pawl schedules backfill nightly --from 2026-01-31', about: 'start the runs that were missed' },
    ],
    load: () => import('../commands/schedules.ts'),
  },
  {
    name: 'trigger',
    summary: 'replay an event of the forge',
    about:
      'Does what the event would do if it came from the forge now: it starts the workflows whose trigger matches, or the one that a label "workflow:NAME" or a command names. Each run is driven until it ends or waits. Unlike a real event, it does not check the permission of the sender. "pawl deliveries" shows the result.',
    options: [
      { name: 'event', value: 'NAME', about: 'the event, such as issues.labeled' },
      { name: 'payload', value: 'JSON', about: "the event's payload as the forge sends it, or @file" },
      { name: 'id', value: 'ID', about: 'the id of the delivery; an id that was already received is an error' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl trigger --event issues.labeled --payload @event.json', about: 'a payload that was saved from the forge' },
      { line: 'pawl trigger --event push --payload @push.json --json', about: 'what did it start, or why nothing?' },
    ],
    load: () => import('../commands/trigger.ts'),
  },
  {
    name: 'deliveries',
    summary: 'list, show or resend events of the forge and deliveries to /hooks',
    about:
      'Lists events of the forge and deliveries to the hooks in the settings, newest first: what each started, or why it did nothing. They are kept for 30 days. "resend" handles one again with the current hooks; a run that it already started is not started again.',
    args: [
      { name: 'ACTION', about: 'what to do (default: list)', choices: ['list', 'show', 'resend'] },
      { name: 'NUMBER', about: 'the number of the delivery' },
    ],
    options: RIGHT_OPTIONS,
    examples: [
      { line: 'pawl deliveries', about: 'what arrived, and what did it do?' },
      { line: 'pawl deliveries resend 7', about: 'after the hook was fixed' },
    ],
    load: () => import('../commands/deliveries.ts'),
  },
  {
    name: 'resume',
    summary: 'continue a run after a crash, a pause, Ctrl-C or an escalation',
    about:
      'After an escalation a person chooses how the run continues: --retry, --accept or --to. Without a choice a terminal asks; ' +
      'a pipe gets the list of choices, and nothing changes. If a crash left no record of how a step ended, settle it with --rerun, ' +
      '--done or --failed; the path of a fan-out or of parallel branches settles all such steps in it. If another process drives the ' +
      'run, the command exits with 7; with --wait it follows that process.',
    args: [RUN_ARGUMENT],
    options: [
      { name: 'retry', about: 'rerun only what failed' },
      { name: 'accept', about: 'accept the step where the run stopped as done, in your name' },
      { name: 'to', value: 'STEP', about: 'continue at another step', completes: 'step' },
      { name: 'rerun', value: 'PATH', many: true, about: 'a step whose outcome is unknown: run it again' },
      { name: 'done', value: 'PATH', many: true, about: 'a step whose outcome is unknown: it succeeded' },
      { name: 'failed', value: 'PATH', many: true, about: 'a step whose outcome is unknown: it failed' },
      { name: 'output', value: 'JSON', about: "with --accept or --done: the step's output, or @file" },
      { name: 'extend', value: 'N', about: 'with --retry: allow N more iterations of a loop that reached its limit' },
      {
        name: 'budget',
        value: 'NAME=N',
        about: 'add N to a budget of the agents: tokens, cost_usd, turns or time; unknown=count continues although some usage is unknown',
        many: true,
      },
      NOTE,
      ACCEPT_CHANGES,
      WAIT,
      QUIET,
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl resume 7kq2', about: 'after a crash or Ctrl-C; recorded steps do not run again' },
      { line: 'pawl resume 7kq2 --retry --note "the port is 8081 now"', about: 'after an escalation, with a hint' },
      { line: 'pawl resume 7kq2 --budget cost_usd=5', about: 'a run that used up its budget: five dollars more' },
      { line: 'pawl resume 7kq2 --wait', about: 'wait until it ends' },
    ],
    load: () => import('../commands/resume.ts'),
  },
  {
    name: 'retry',
    summary: 'rerun only what failed',
    about: 'The same as "pawl resume RUN --retry". In a fan-out only the items that did not succeed run again.',
    args: [RUN_ARGUMENT, { name: 'STEP', about: 'the step where the run stopped, as a safeguard', completes: 'step' }],
    options: [
      { name: 'extend', value: 'N', about: 'allow N more iterations of a loop that reached its limit' },
      NOTE,
      ACCEPT_CHANGES,
      WAIT,
      QUIET,
      ...RIGHT_OPTIONS,
    ],
    examples: [{ line: 'pawl retry 7kq2', about: 'the failed step, or the failed items of a fan-out' }],
    load: async () => ({ run: (await import('../commands/resume.ts')).retry }),
  },
  {
    name: 'cancel',
    summary: 'end a run for good, together with its child runs',
    about: `Stops running steps, in whichever process they run. Then it undoes the finished steps that have an "undo", newest first; an undo that fails is retried and then left to you ("pawl resume"). The workflow's code is needed only for that. ${OTHERS_RUN}`,
    args: [RUN_ARGUMENT],
    options: [
      { name: 'reason', value: 'TEXT', about: 'why; recorded with the run' },
      { name: 'dry-run', about: 'only show what would be undone, in which order, and what would remain' },
      { name: 'no-undo', about: 'undo nothing' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl cancel 7kq2 --dry-run', about: 'what would be undone?' },
      { line: 'pawl cancel 7kq2 --reason "superseded"', about: 'with a reason' },
    ],
    load: () => import('../commands/cancel.ts'),
  },
  {
    name: 'undo',
    summary: 'restore the files to their state before a step of a run',
    about:
      'Restores only files that the run changed. If someone else has changed one of them since, nothing is undone, unless ' +
      `--keep-changed leaves those unchanged. What steps did elsewhere (pushes, comments, requests, databases) is listed, but not undone. ${OTHERS_RUN}`,
    args: [RUN_ARGUMENT],
    options: [
      { name: 'to', value: 'STEP', about: 'the step, or the path of one visit, before which the files are restored', completes: 'step' },
      { name: 'dry-run', about: 'only show what would be restored, what would remain, and what cannot be undone' },
      { name: 'keep-changed', about: 'do not restore files that someone else changed' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl undo 7kq2 --to implement --dry-run', about: 'what would be restored?' },
      { line: 'pawl undo 7kq2 --to implement', about: 'restore the files as they were before "implement"' },
    ],
    load: () => import('../commands/undo.ts'),
  },
  {
    name: 'pause',
    summary: 'start no new steps of a run until it is resumed',
    about: `Running steps finish first, in whichever process they run. ${OTHERS_RUN}`,
    args: [RUN_ARGUMENT],
    options: RIGHT_OPTIONS,
    examples: [{ line: 'pawl pause 7kq2', about: 'until "pawl resume 7kq2"' }],
    load: async () => ({ run: (await import('../commands/cancel.ts')).pause }),
  },
  {
    name: 'signal',
    summary: 'send a named message to a run that waits for it',
    about: `A step that waits for the signal continues with the payload as its output. A signal that arrives before its step is kept, in order, and used once; with --id, the same delivery counts once however often it is sent. If no process drives the run, this command does, until it ends or waits again. ${OTHERS_RUN}`,
    args: [
      RUN_ARGUMENT,
      { name: 'NAME', about: 'the name of the signal that the step waits for', required: true },
      { name: 'JSON', about: 'the payload: JSON, or @file (default: null)' },
    ],
    options: [
      { name: 'payload', value: 'JSON', about: 'the payload, instead of the argument' },
      { name: 'id', value: 'ID', about: 'the id of this delivery; another delivery with the same id is ignored' },
      QUIET,
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl signal 7kq2 deployed \'{"url": "https://example.org"}\'', about: 'the deployment is done' },
      { line: 'pawl signal 7kq2 deployed --payload @result.json --id build-81', about: 'from a job that may be repeated' },
    ],
    load: () => import('../commands/signal.ts'),
  },
  {
    name: 'fork',
    summary: 'start a new run that reuses the earlier steps of another',
    about:
      'The original run does not change. Approvals and budgets are not copied, and preconditions are checked again. A terminal shows ' +
      'the table of --dry-run and asks for confirmation; in a pipe the fork starts immediately.',
    args: [RUN_ARGUMENT],
    options: [
      { name: 'from', value: 'STEP', about: 'the first step of the fork; the original must have reached it', completes: 'step' },
      { name: 'param', short: 'p', value: 'NAME=VALUE', about: 'replace a parameter of the original', many: true },
      { name: 'params', value: 'JSON', about: 'replace several parameters: a JSON object, or @file' },
      { name: 'output', value: 'STEP=JSON', about: 'replace the output of an earlier step, or @file', many: true },
      { name: 'dry-run', about: 'only show what is reused, what runs again, and which external effects may repeat' },
      { name: 'yes', short: 'y', about: 'do not ask for confirmation' },
      QUIET,
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl fork 7kq2 --from publish --dry-run', about: 'what would be reused and what would run again' },
      { line: 'pawl fork 7kq2 --from write -p tone=warm', about: 'from the step "write" on, with another parameter' },
    ],
    load: () => import('../commands/fork.ts'),
  },
]);
