// Owns `pawl answer RUN --assumption ID`: a person answers what an agent assumed instead of asking. It needs the same right
// as a decision. A run that is over takes the answer, too; then the command says how a fork follows it.

import type { Engine } from '../../api/engine.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { shellWord } from '../../base/shell-word.ts';
import { rootOf } from '../../control/approvals.ts';
import { type AssumptionReport, reportAssumptions } from '../../control/assumption-report.ts';
import { isSameAnswer } from '../../definition/question/assumption.ts';
import { isFinal } from '../../definition/run-status.ts';
import { isDriven } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import { assumptionLines } from '../assumptions.ts';
import { pasteable } from '../caller.ts';
import type { ParsedArgs } from '../command.ts';
import { asksToSign, identityFor } from '../identity/identity.ts';
import { signFor } from '../identity/signing.ts';
import { type Place, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { EXIT_WAITING } from '../status.ts';
import { oneLine } from '../terminal.ts';
import { confirm, openPrompt } from './prompt.ts';
import type { DecidingCommand, DecisionRight } from './right.ts';

/** Answers an assumption, drives the run on, and returns the exit code. */
export function answer(shell: Shell, given: ParsedArgs, right: DecisionRight): Promise<number> {
  return withRun(shell, async ({ place, store, id }) => {
    const found = pick(id, await reportAssumptions(store, (await store.load(id)).state), given.option('assumption'));
    const text = await textOf(shell, given, { found, right });
    if (text === undefined) {
      shell.print(`Nothing was answered; "${pasteable(shell, found.command ?? '')}" asks again.`);
      return EXIT_WAITING;
    }
    const root = await rootOf(store, id);
    const workflows = isFinal((await store.load(root)).state.status) ? [] : await workflowsFor(shell, place, { store, root });
    return record({ shell, given, place, store, right }, { id, root, found, text, workflows });
  });
}

function pick(run: string, all: readonly AssumptionReport[], id: string | undefined): AssumptionReport {
  const open = all.filter(({ state }) => state === 'open');
  const found = id === undefined ? open[0] : all.find((one) => one.id === id);
  const names = open.map((one) => one.id).join(', ');
  if (id === undefined && open.length > 1)
    throw new EngineError('USAGE', `run ${run} has ${open.length} open assumptions; name one with --assumption: ${names}`);
  if (found === undefined)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${run} has ${id === undefined ? 'no open assumption' : `no assumption "${id}"`}; "pawl assumptions ${run}" lists them`,
    );
  if (found.answer !== null)
    throw new EngineError(
      'ALREADY_DECIDED',
      `assumption ${found.id} of run ${run} was already answered by ${found.answer.actor}; the first answer counts`,
    );
  return found;
}

/** The code of a run that no process drives. Without it the run could not continue, so nothing is recorded. */
async function workflowsFor(
  shell: Shell,
  place: Place,
  { store, root }: { readonly store: Store; readonly root: string },
): Promise<readonly AnyWorkflow[]> {
  const frozen = await store.load(root);
  if (isDriven(frozen.owner)) return [];
  const { loadWorkflowOf } = await import('../load.ts');
  return [(await loadWorkflowOf(shell, place.project, frozen)).workflow];
}

interface AssumptionQuestion {
  readonly found: AssumptionReport;
  readonly right: DecisionRight;
}

/** What the person answers; undefined when they leave it for later. */
async function textOf(shell: Shell, given: ParsedArgs, { found, right }: AssumptionQuestion): Promise<string | undefined> {
  const words = given.allWords('ANSWER');
  if (words.length > 1) throw new EngineError('USAGE', 'an assumption has one ANSWER; put an answer of several words in quotes');
  const typed = given.has('agree') ? found.assumed : words[0];
  if (typed !== undefined) {
    const text = choiceOf(found, typed);
    if (!shell.isInteractive || right.digest !== undefined || given.has('yes')) return text;
    for (const line of [...assumptionLines(shell, [found]), '']) shell.print(line);
    const effect = isSameAnswer(found.assumed, text)
      ? 'confirm it'
      : `answer "${oneLine(text)}", so that ${oneLine(found.step)} runs again,`;
    return (await confirm(shell, `Do you ${effect} as ${right.actor}?`)) ? text : undefined;
  }
  if (!shell.isInteractive)
    throw new EngineError('USAGE', `the answer is missing: give an ANSWER, or --agree to confirm "${oneLine(found.assumed)}"`);
  for (const line of [...assumptionLines(shell, [found]), '']) shell.print(line);
  using prompt = openPrompt(shell);
  const line = (await prompt.ask('Your answer, or "agree" (Enter: later)'))?.trim();
  return line === undefined || line === '' ? undefined : line.toLowerCase() === 'agree' ? found.assumed : choiceOf(found, line);
}

/** What was typed: the number of an option, or any text. */
function choiceOf({ options }: AssumptionReport, typed: string): string {
  return (/^\d$/.test(typed) ? options[Number(typed) - 1] : undefined) ?? typed;
}

interface ReadyAnswer {
  readonly id: string;
  readonly root: string;
  readonly found: AssumptionReport;
  readonly text: string;
  readonly workflows: readonly AnyWorkflow[];
}

async function record(parts: DecidingCommand, { id, root, found, text, workflows }: ReadyAnswer): Promise<number> {
  const { shell, given, place, store, right } = parts;
  const { driveRun, driveWithEngine } = await import('../drive.ts');
  const isSigned = found.signed || asksToSign(shell);
  const actor = isSigned ? identityFor(shell, given).name : right.actor;
  const sign = isSigned ? (statement: Parameters<typeof signFor>[2]) => signFor(shell, given, statement) : undefined;
  const use = async (engine: Engine): Promise<number> => {
    const taken = await engine
      .run(id)
      .answerAssumption({ answer: text, actor, assumption: found.id, ...present({ digest: right.digest, sign }) });
    shell.print(`${shell.symbol('done')} ${taken.agrees ? 'confirmed' : 'answered'} ${taken.assumption} of run ${id}, as ${actor}.`);
    if (taken.again !== undefined)
      shell.print(`Step ${oneLine(taken.again.step)} of run ${taken.again.run} runs again, and so does everything after it.`);
    if (taken.fork !== undefined)
      shell.print(
        `The run has ended, so none of its steps run again. A fork follows the answer: ${pasteable(shell, `pawl fork ${id} --from ${shellWord(taken.fork)}`)}`,
      );
    return isFinal((await store.load(root)).state.status) ? 0 : driveRun(shell, { engine, run: root, wait: false });
  };
  return driveWithEngine(shell, place, { store, workflows, use });
}
