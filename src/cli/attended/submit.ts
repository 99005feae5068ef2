// Owns the commands with which an agent reports or asks: they parse the arguments, find the run, open an engine for it, submit
// the report or question, and print the reply.

import { text } from 'node:stream/consumers';
import type { Engine } from '../../api/engine.ts';
import { onlyOwnStep, type Reply, type Submission, submit } from '../../attended/submission.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { rootOf } from '../../control/approvals.ts';
import { isSettled } from '../../definition/run-status.ts';
import type { Store } from '../../store/store.ts';
import type { ParsedArgs } from '../command.ts';
import { driveWithEngine } from '../drive.ts';
import { catchInterrupts, EXIT_INTERRUPTED } from '../interrupt.ts';
import { loadWorkflowOf } from '../load.ts';
import { readJson, requiredOption } from '../params.ts';
import { type Setup, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { tokenOption } from './rendering.ts';
import { printReply } from './reply.ts';
import { bindToCaller } from './session-runs.ts';

/** The token of the attempt that the agent reports. */
export function requiredToken(args: ParsedArgs): string {
  return requiredOption(args, 'token', 'it names the attempt that is reported, and "pawl next RUN" prints it');
}

/** Reads JSON given as text, as `@file`, or as `-` for standard input. */
export async function readJsonInput(shell: Shell, value: string, label: string): Promise<Json> {
  // An @ at the start of the input is text, not the name of a file.
  if (value === '-') return readJson(shell, (await text(shell.context.stdin)).replace(/^@/, '@@'), label);
  return readJson(shell, value, label);
}

/** Runs a command with which an agent reports or asks. */
export function submitByCommand(shell: Shell, submission: Submission): Promise<number> {
  return withRun(shell, async ({ setup, store, id: run }) => {
    const root = await rootOf(store, run);
    if (!shell.args.has('only')) await bindToCaller(shell, setup, { store, run, isNamed: false });
    return submitToRun(shell, setup, { store, run, root, submission });
  });
}

interface SubmissionTarget {
  readonly store: Store;
  readonly run: string;
  /** The topmost parent run. */
  readonly root: string;
  readonly submission: Submission;
}

async function submitToRun(shell: Shell, setup: Setup, { store, ...target }: SubmissionTarget): Promise<number> {
  const { root, run, submission } = target;
  // Also if another process drives the run: it may release the run before it reads the submission.
  const frozen = await store.load(root);
  const workflows = isSettled(frozen.state.status) ? [] : [(await loadWorkflowOf(shell, setup.project, frozen)).workflow];
  const use = (engine: Engine): Promise<number> =>
    replyUntilSignal(shell, { engine, run: root }, (stopped) =>
      submit(engine, { ...target, stopped }).then(
        (reply) => (shell.args.has('only') ? onlyOwnStep(reply) : reply),
        (error: unknown) => {
          throw withRetryHint(shell, error, { run, submission });
        },
      ),
    );
  return driveWithEngine(shell, setup, { store, workflows, use });
}

/** Prints the reply to an agent and returns the exit code; a signal before the reply stops the run. */
export async function replyUntilSignal(
  shell: Shell,
  { engine, run }: { readonly engine: Engine; readonly run: string },
  work: (stopped: Promise<void>) => Promise<Reply>,
): Promise<number> {
  const interrupt = catchInterrupts(engine, (text) => shell.warn(text));
  const { stopped } = interrupt;
  const reply = await Promise.race([work(stopped), stopped.then(() => undefined)]).catch((error: unknown) => {
    if (!interrupt.isStopping) throw error;
    return undefined;
  });
  if (reply !== undefined && !interrupt.isStopping) return printReply(shell, engine.store, reply);
  await stopped;
  shell.warn(`run ${run} was stopped; "${shell.pasteable(`pawl resume ${run}`)}" continues it`);
  return EXIT_INTERRUPTED;
}

const COMMANDS: Readonly<Record<Submission['kind'], (run: string) => string>> = {
  assumptions: (run) => `pawl assume ${run} --question TEXT --assumed TEXT`,
  questions: (run) => `pawl ask ${run} --questions @questions.json`,
  result: (run) => `pawl done ${run} --result @result.json`,
  failure: (run) => `pawl done ${run} --result @result.json`,
};

/** The error of an invalid submission with the command to send it again, because the token is still valid. */
function withRetryHint(shell: Shell, error: unknown, { run, submission }: Pick<SubmissionTarget, 'run' | 'submission'>): unknown {
  if (!isEngineError(error) || error.code !== 'REPORT_INVALID') return error;
  const line = shell.pasteable(`${COMMANDS[submission.kind](run)} ${tokenOption(submission.token)}`);
  return new EngineError(error.code, `${error.message}; nothing is recorded and the token is still valid, so send it again: ${line}`, {
    cause: error,
    details: error.details,
  });
}
