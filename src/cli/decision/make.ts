// Owns a decision made on the command line: the right to decide, which approval, the confirmation, the recording, and
// driving the run afterwards. The commands `decide`, `approve` and `reject` differ only in how they choose the option.
//
// If a live process owns the run, it reads the decision from the run's mail, and this process needs none of the code. If
// no process does, the run would not continue: its code is loaded first, and if that fails nothing is recorded.

import type { Engine } from '../../api/engine.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { changeSince, type ShownChange } from '../../control/approval-change.ts';
import { type PendingApproval, rootOf } from '../../control/approvals.ts';
import { findApproval, noApproval, TOO_LATE, tooLate } from '../../control/decision.ts';
import type { ApprovalOptionModel, Definition } from '../../definition/model.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import { isDriven } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import type { ParsedArgs } from '../command.ts';
import { identityFor } from '../identity/identity.ts';
import { isSignedBy, signDecision } from '../identity/signing.ts';
import { withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { EXIT_WAITING } from '../status.ts';
import { oneLine } from '../terminal.ts';
import { changeLines } from './change-lines.ts';
import { type Answer, answerOnTerminal, askInput, decisionOf, showApproval } from './decision.ts';
import { confirm, openPrompt } from './prompt.ts';
import { type DecidingCommand, rightToDecide } from './right.ts';

/** Chooses the option; if undefined, the person at the terminal is asked. */
type Choose = ((gate: OpenApproval, definition: Definition) => ApprovalOptionModel) | undefined;

/** Runs a command that decides. */
export async function decideByCommand(shell: Shell, given: ParsedArgs, choose: Choose): Promise<number> {
  const right = rightToDecide(shell, given);
  return withRun(shell, async ({ place, store, id }) => {
    const found = await approvalFor({ shell, given, place, store, right }, id);
    const looked = { shell, given, place, store, right };
    const asked = found.gate.subjects === undefined ? found : await lookedAt(looked, found, id);
    // If a signature is required, the decision is made in the name of the signer, not of the account.
    const actor = isSignedBy(shell, asked) ? identityFor(shell, given).name : right.actor;
    const deciding = { shell, given, place, store, right: { ...right, actor } };
    const root = await rootOf(store, asked.run);
    const known = (await isRunDriven(store, asked.run)) ? undefined : await workflowsOf(deciding, root);
    const answer = await answerTo(deciding, asked, choose);
    if (answer === undefined) {
      shell.print(`Nothing was decided; "pawl decide ${asked.run}" asks again.`);
      return EXIT_WAITING;
    }
    return record(deciding, { asked, answer, root, known });
  });
}

/** The approval that is meant; if its content changed since the person saw it, what changed is printed. */
async function approvalFor({ shell, given, store, right }: DecidingCommand, run: string): Promise<PendingApproval> {
  return findApproval(store, run, { gate: given.option('approval'), digest: right.digest }).catch((error: unknown) => {
    throw withChanges(shell, error);
  });
}

/**
 * The approval after checking its subjects again: a person sees the current state, and what changed since it was asked. If
 * that is not possible, it is shown as it was asked, and checked before the decision counts.
 */
async function lookedAt(deciding: DecidingCommand, asked: PendingApproval, run: string): Promise<PendingApproval> {
  const { shell, store, place } = deciding;
  try {
    const workflows = (await isRunDriven(store, asked.run)) ? [] : await workflowsOf(deciding, await rootOf(store, asked.run));
    const { withEngine } = await import('../drive.ts');
    await withEngine(shell, place, { store, workflows, use: (engine) => engine.run(asked.run).approvals({ fresh: true }) });
  } catch (error) {
    if (!isEngineError(error)) throw error;
  }
  const now = await approvalFor(deciding, run);
  if (now.gate.digest === asked.gate.digest) return now;
  const { changes, note } = await changeSince(store, now.run, { gate: now.gate, digest: asked.gate.digest });
  const lines = [...(note === undefined ? [] : [`Asked again: ${oneLine(note)}`]), ...changes.flatMap(changeLines)];
  for (const line of lines) shell.world.stderr.write(`${line}\n`);
  return now;
}

/** Prints to stderr what changed since the person looked, if that is what an error is about. */
function withChanges<E>(shell: Shell, error: E): E {
  const changes = isEngineError(error) && error.code === 'CONTENT_CHANGED' ? (error.details.changes as readonly ShownChange[]) : [];
  for (const line of changes.flatMap(changeLines)) shell.world.stderr.write(`${line}\n`);
  return error;
}

async function answerTo(deciding: DecidingCommand, asked: PendingApproval, choose: Choose): Promise<Answer | undefined> {
  const { shell, store, place } = deciding;
  if (choose !== undefined) {
    const { definition } = await store.load(asked.run);
    return confirmedAnswer(deciding, asked, choose(asked.gate, definition));
  }
  const answer = await answerOnTerminal({ shell, place, store, asked });
  if (answer === 'gone') throw withChanges(shell, await tooLate(store, asked)) ?? noApproval(asked.run, asked.gate.path);
  return answer === 'later' ? undefined : answer;
}

/** Shows the approval and asks for confirmation, unless the person has already seen it. */
async function confirmedAnswer(
  { shell, given, right, place, store }: DecidingCommand,
  asked: PendingApproval,
  option: ApprovalOptionModel,
): Promise<Answer | undefined> {
  const input = given.option('input');
  const lacksInput = option.requiresInput && (input ?? '').trim() === '';
  const chosen: Answer = { option, ...present({ input }) };
  if (!shell.isInteractive || (right.digest !== undefined && !lacksInput)) return chosen;
  await showApproval({ shell, place, store, asked });
  const answer = lacksInput ? await askedInput(shell, option) : chosen;
  if (answer === undefined || right.digest !== undefined || given.has('yes')) return answer;
  return (await confirm(shell, `Decide "${oneLine(option.label)}" as ${right.actor}?`)) ? answer : undefined;
}

async function askedInput(shell: Shell, option: ApprovalOptionModel): Promise<Answer | undefined> {
  using prompt = openPrompt(shell);
  return await askInput(prompt, option);
}

async function isRunDriven(store: Store, run: string): Promise<boolean> {
  return isDriven((await store.load(run)).owner);
}

interface ChosenAnswer {
  readonly asked: PendingApproval;
  readonly answer: Answer;
  readonly root: string;
  /** The loaded code; undefined if another process drove the run when this command started. */
  readonly known: readonly AnyWorkflow[] | undefined;
}

async function record(deciding: DecidingCommand, { asked, answer, root, known }: ChosenAnswer): Promise<number> {
  const { shell, given, store, right, place } = deciding;
  // The process that owned the run may have ended while the person was deciding.
  const driven = await isRunDriven(store, asked.run);
  const workflows = known ?? (driven ? [] : await workflowsOf(deciding, root));
  const { driveRun, driveWithEngine } = await import('../drive.ts');
  const { actor } = right;
  const signature = isSignedBy(shell, asked) ? { signature: await signDecision(shell, given, { asked, answer, actor }) } : {};
  const use = async (engine: Engine): Promise<number> => {
    await engine
      .run(asked.run)
      .decide({ ...decisionOf(asked, answer, actor), ...signature })
      .catch(async (error: unknown) => {
        throw (isEngineError(error) && TOO_LATE.has(error.code) ? withChanges(shell, await tooLate(store, asked)) : undefined) ?? error;
      });
    const what = `"${oneLine(answer.option.label)}" at ${oneLine(asked.gate.path)} of run ${asked.run}`;
    shell.print(`${shell.symbol('done')} ${what}, as ${right.actor}.`);
    return driven ? reportDriven(deciding, root) : driveRun(shell, { engine, run: root, wait: false });
  };
  return driveWithEngine(shell, place, { store, workflows, use });
}

/** The code of a run that no process drives. Without it the run could not continue, so nothing is recorded. */
async function workflowsOf({ shell, place, store }: DecidingCommand, root: string): Promise<readonly AnyWorkflow[]> {
  const frozen = await store.load(root);
  const { state, codeHash } = frozen;
  const [{ loadWorkflowOf }, { checkUnchanged }] = await Promise.all([import('../load.ts'), import('../../engine/programs.ts')]);
  try {
    const { workflow } = await loadWorkflowOf(shell, place.project, frozen);
    checkUnchanged({ state, codeHash }, workflow);
    return [workflow];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { code, details, position } = error;
    throw new EngineError(code, `nothing was decided: no process drives run ${root}, and it cannot continue here: ${error.message}`, {
      cause: error,
      details,
      ...present({ position }),
    });
  }
}

async function reportDriven({ shell, store }: DecidingCommand, root: string): Promise<number> {
  const { readRunReport } = await import('../../control/run-report.ts');
  return shell.result(await readRunReport(store, root), () => [
    `Another process drives the run and continues it; "pawl watch ${root}" follows it.`,
  ]);
}
