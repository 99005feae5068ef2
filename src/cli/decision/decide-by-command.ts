// Owns a decision on the command line: finds the approval, asks for confirmation, records the decision and drives the run.
// The commands `decide`, `approve` and `reject` differ only in how they choose the option.
//
// A live process that owns the run reads the decision from the run's mail, and this process does not need the code. Without
// one the run would not continue, so its code is loaded first; if that fails, nothing is recorded.

import type { Engine } from '../../api/engine.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import { EngineError, failureOf, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { invariant } from '../../base/invariant.ts';
import { type Json, jsonText } from '../../base/json.ts';
import { changeSince, type ShownChange } from '../../control/approval-change.ts';
import { type PendingApproval, rootOf } from '../../control/approvals.ts';
import { findApproval, noApproval, TOO_LATE, tooLate } from '../../control/decision.ts';
import type { ApprovalOptionModel, Definition } from '../../definition/model.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import { isDriven } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { identityFor } from '../identity/identity.ts';
import { isSignedBy, signDecision } from '../identity/signing.ts';
import { type Setup, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { EXIT_WAITING } from '../status.ts';
import { oneLine, plain } from '../terminal.ts';
import { type Answer, answerOnTerminal, askInput, DIGEST_SHOWN, decisionOf, showApproval } from './decision.ts';
import { confirm, openPrompt } from './prompt.ts';

/** The name to record with the decision, and the value of --digest. */
export interface DecisionRight {
  readonly actor: string;
  readonly digest: string | undefined;
}

/** A command that decides or answers. */
export interface DecidingCommand {
  readonly shell: Shell;
  readonly args: ParsedArgs;
  readonly setup: Setup;
  readonly store: Store;
  readonly right: DecisionRight;
}

/** The right that was checked when the command started, with the digest. */
export function rightToDecide(shell: Shell, args: ParsedArgs): DecisionRight {
  const digest = digestOf(args);
  const { right } = shell;
  invariant(right !== undefined, 'a command that decides has a scope in the table of rights');
  if (digest === undefined && !shell.isInteractive)
    throw new EngineError(
      'NOT_ALLOWED',
      `--digest is required without a terminal: it must name what ${right.actor} saw; "pawl inbox ${args.word('RUN')}" shows the digest`,
    );
  return { actor: right.actor, digest };
}

function digestOf(args: ParsedArgs): string | undefined {
  const digest = args.option('digest')?.toLowerCase();
  if (digest === undefined || new RegExp(`^[0-9a-f]{${DIGEST_SHOWN},64}$`).test(digest)) return digest;
  throw usageError(
    `--digest must be at least the first ${DIGEST_SHOWN} characters of the digest that "pawl inbox RUN" shows, not "${digest}"`,
  );
}

/** Chooses the option; if undefined, the person at the terminal is asked. */
type ChooseOption = ((approval: OpenApproval, definition: Definition) => ApprovalOptionModel) | undefined;

/** Runs a command that decides. */
export async function decideByCommand(shell: Shell, args: ParsedArgs, choose: ChooseOption): Promise<number> {
  const right = rightToDecide(shell, args);
  return withRun(shell, async ({ setup, store, id }) => {
    const command = { shell, args, setup, store, right };
    const pending = await approvalFor(command, id);
    const asked = pending.approval.subjects === undefined ? pending : await withCurrentSubjects(command, pending, id);
    // If a signature is required, the decision is made in the name of the signer, not of the account.
    const actor = isSignedBy(shell, asked) ? identityFor(shell, args).name : right.actor;
    const deciding = { ...command, right: { ...right, actor } };
    const root = await rootOf(store, asked.run);
    const loaded = (await isRunDriven(store, asked.run)) ? undefined : await loadWorkflows(deciding, root);
    const answer = await answerFor(deciding, asked, choose);
    if (answer === undefined) {
      shell.print(`Nothing was decided; "pawl decide ${asked.run}" asks again.`);
      return EXIT_WAITING;
    }
    return record(deciding, { asked, answer, root, loaded });
  });
}

/** The approval to decide; if its content changed since the person saw it, prints the changes and throws. */
async function approvalFor({ shell, args, store, right }: DecidingCommand, run: string): Promise<PendingApproval> {
  return findApproval(store, run, { approval: args.option('approval'), digest: right.digest }).catch((error: unknown) => {
    throw printChanges(shell, error);
  });
}

/**
 * The approval with its subjects checked again, so that the person sees the current state and what changed since the question
 * was asked. If that fails, the approval is shown as it was; its subjects are checked again before the decision counts.
 */
async function withCurrentSubjects(deciding: DecidingCommand, asked: PendingApproval, run: string): Promise<PendingApproval> {
  const { shell, store, setup } = deciding;
  await failureOf(async () => {
    const workflows = (await isRunDriven(store, asked.run)) ? [] : await loadWorkflows(deciding, await rootOf(store, asked.run));
    const { withEngine } = await import('../drive.ts');
    await withEngine(shell, setup, { store, workflows, use: (engine) => engine.run(asked.run).approvals({ fresh: true }) });
  });
  const now = await approvalFor(deciding, run);
  if (now.approval.digest === asked.approval.digest) return now;
  const { changes, note } = await changeSince(store, now.run, { approval: now.approval, digest: asked.approval.digest });
  const lines = [...(note === undefined ? [] : [`Asked again: ${oneLine(note)}`]), ...changes.flatMap(changeLines)];
  for (const line of lines) shell.context.stderr.write(`${line}\n`);
  return now;
}

/** Prints the changes that an error lists to stderr, and returns the error. */
function printChanges<E>(shell: Shell, error: E): E {
  const changes = isEngineError(error) && error.code === 'CONTENT_CHANGED' ? (error.details.changes as readonly ShownChange[]) : [];
  for (const line of changes.flatMap(changeLines)) shell.context.stderr.write(`${line}\n`);
  return error;
}

async function answerFor(deciding: DecidingCommand, asked: PendingApproval, choose: ChooseOption): Promise<Answer | undefined> {
  const { shell, store, setup } = deciding;
  if (choose !== undefined) return confirmedAnswer(deciding, asked, choose(asked.approval, (await store.load(asked.run)).definition));
  const answer = await answerOnTerminal({ shell, setup, store, asked });
  if (answer === 'superseded') throw printChanges(shell, await tooLate(store, asked)) ?? noApproval(asked.run, asked.approval.path);
  return answer === 'later' ? undefined : answer;
}

/** The chosen option; shows the approval and asks for confirmation first, unless the person has already seen it. */
async function confirmedAnswer(
  { shell, args, right, setup, store }: DecidingCommand,
  asked: PendingApproval,
  option: ApprovalOptionModel,
): Promise<Answer | undefined> {
  const input = args.option('input');
  const lacksInput = option.requiresInput && (input ?? '').trim() === '';
  const chosen: Answer = { option, ...omitUndefined({ input }) };
  if (!shell.isInteractive || (right.digest !== undefined && !lacksInput)) return chosen;
  await showApproval({ shell, setup, store, asked });
  const answer = lacksInput ? await askMissingInput(shell, option) : chosen;
  if (answer === undefined || right.digest !== undefined || args.has('yes')) return answer;
  return (await confirm(shell, `Decide "${oneLine(option.label)}" as ${right.actor}?`)) ? answer : undefined;
}

async function askMissingInput(shell: Shell, option: ApprovalOptionModel): Promise<Answer | undefined> {
  using prompt = openPrompt(shell);
  return await askInput(prompt, option);
}

async function isRunDriven(store: Store, run: string): Promise<boolean> {
  return isDriven((await store.load(run)).owner);
}

interface ReadyDecision {
  readonly asked: PendingApproval;
  readonly answer: Answer;
  readonly root: string;
  /** The loaded code; undefined if another process drove the run when this command started. */
  readonly loaded: readonly AnyWorkflow[] | undefined;
}

async function record(deciding: DecidingCommand, { asked, answer, root, loaded }: ReadyDecision): Promise<number> {
  const { shell, args, store, right, setup } = deciding;
  // The process that owned the run may have ended while the person was deciding.
  const driven = await isRunDriven(store, asked.run);
  const workflows = loaded ?? (driven ? [] : await loadWorkflows(deciding, root));
  const { driveRun, driveWithEngine } = await import('../drive.ts');
  const { actor } = right;
  const signature = isSignedBy(shell, asked) ? { signature: await signDecision(shell, args, { asked, answer, actor }) } : {};
  const use = async (engine: Engine): Promise<number> => {
    await engine
      .run(asked.run)
      .decide({ ...decisionOf(asked, answer, actor), ...signature })
      .catch(async (error: unknown) => {
        throw (isEngineError(error) && TOO_LATE.has(error.code) ? printChanges(shell, await tooLate(store, asked)) : undefined) ?? error;
      });
    const decision = `"${oneLine(answer.option.label)}" at ${oneLine(asked.approval.path)} of run ${asked.run}`;
    shell.print(`${shell.symbol('done')} ${decision}, as ${right.actor}.`);
    return driven ? reportDriven(deciding, root) : driveRun(shell, { engine, run: root, wait: false });
  };
  return driveWithEngine(shell, setup, { store, workflows, use });
}

async function loadWorkflows({ shell, setup, store }: DecidingCommand, root: string): Promise<readonly AnyWorkflow[]> {
  const frozen = await store.load(root);
  const { state, codeHash } = frozen;
  const [{ loadWorkflowOf }, { checkUnchanged }] = await Promise.all([import('../load.ts'), import('../../engine/programs.ts')]);
  try {
    const { workflow } = await loadWorkflowOf(shell, setup.project, frozen);
    checkUnchanged({ state, codeHash }, workflow);
    return [workflow];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { code, details, position } = error;
    throw new EngineError(code, `nothing was decided: no process drives run ${root}, and it cannot continue here: ${error.message}`, {
      cause: error,
      details,
      ...omitUndefined({ position }),
    });
  }
}

async function reportDriven({ shell, store }: DecidingCommand, root: string): Promise<number> {
  const { readRunReport } = await import('../../control/run/report.ts');
  return shell.result(await readRunReport(store, root), () => [
    `Another process drives the run and continues it; "pawl watch ${root}" follows it.`,
  ]);
}

const LINES_SHOWN = 20;

/** The removed and the added lines, without the common lines before and after them. */
function changeLines({ name, before, after }: ShownChange): string[] {
  const [old, current] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < current.length && old[head] === current[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < current.length - head && old.at(-1 - tail) === current.at(-1 - tail)) tail += 1;
  return [
    `${oneLine(name)}, line ${head + 1}:`,
    ...markedLines('-', old.slice(head, old.length - tail)),
    ...markedLines('+', current.slice(head, current.length - tail)),
  ];
}

function linesOf(value: Json | undefined): string[] {
  return value === undefined ? [] : plain(jsonText(value, 2)).split('\n');
}

function markedLines(mark: string, lines: readonly string[]): string[] {
  const more = lines.length - LINES_SHOWN;
  return [...lines.slice(0, LINES_SHOWN).map((line) => `  ${mark} ${line}`), ...(more > 0 ? [`  ${mark} (${more} more lines)`] : [])];
}
