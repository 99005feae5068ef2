// Owns `pawl answer RUN --assumption ID`: a person answers what an agent assumed instead of asking. It needs the same right
// as a decision. For a run that has ended, the answer is recorded and the command prints how to fork the run with it.

import type { Engine } from '../../api/engine.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { shellWord } from '../../base/shell-word.ts';
import { rootOf } from '../../control/approvals.ts';
import { reportAssumptions } from '../../control/assumption-report.ts';
import type { AssumptionReport } from '../../control/schema/run.ts';
import { isSameAnswer } from '../../definition/question/assumption.ts';
import { isFinal } from '../../definition/run-status.ts';
import { isDriven } from '../../process/owner.ts';
import { assumptionLines } from '../assumptions.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { signingOf } from '../identity/signing.ts';
import { withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { EXIT_WAITING } from '../status.ts';
import { oneLine } from '../terminal.ts';
import type { DecidingCommand, DecisionRight } from './decide-by-command.ts';
import { confirm, openPrompt } from './prompt.ts';

/** Answers an assumption, drives the run on, and returns the exit code. */
export function answer(shell: Shell, args: ParsedArgs, right: DecisionRight): Promise<number> {
  return withRun(shell, async ({ setup, store, id }) => {
    const assumption = findAssumption(id, await reportAssumptions(store, (await store.load(id)).state), args.option('assumption'));
    const text = await readAnswer(shell, args, { assumption, right });
    if (text === undefined) {
      shell.print(`Nothing was answered; "${shell.pasteable(assumption.command ?? '')}" asks again.`);
      return EXIT_WAITING;
    }
    const root = await rootOf(store, id);
    const frozen = await store.load(root);
    // Without its code, a run that no process drives could not continue, so it is loaded before anything is recorded.
    const isDue = !isFinal(frozen.state.status) && !isDriven(frozen.owner);
    const workflows = isDue ? [(await (await import('../load.ts')).loadWorkflowOf(shell, setup.project, frozen)).workflow] : [];
    return record({ shell, args, setup, store, right }, { id, root, assumption, text, workflows });
  });
}

function findAssumption(run: string, all: readonly AssumptionReport[], id: string | undefined): AssumptionReport {
  const open = all.filter(({ state }) => state === 'open');
  const assumption = id === undefined ? open[0] : all.find((one) => one.id === id);
  const names = open.map((one) => one.id).join(', ');
  if (id === undefined && open.length > 1)
    throw usageError(`run ${run} has ${open.length} open assumptions; name one with --assumption: ${names}`);
  if (assumption === undefined)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${run} has ${id === undefined ? 'no open assumption' : `no assumption "${id}"`}; "pawl assumptions ${run}" lists them`,
    );
  if (assumption.answer !== null)
    throw new EngineError(
      'ALREADY_DECIDED',
      `assumption ${assumption.id} of run ${run} was already answered by ${assumption.answer.actor}; the first answer counts`,
    );
  return assumption;
}

interface OpenQuestion {
  readonly assumption: AssumptionReport;
  readonly right: DecisionRight;
}

/** The person's answer; undefined if they decide later. */
async function readAnswer(shell: Shell, args: ParsedArgs, { assumption, right }: OpenQuestion): Promise<string | undefined> {
  const words = args.allWords('ANSWER');
  if (words.length > 1) throw usageError('an assumption has one ANSWER; put an answer of several words in quotes');
  const typed = args.has('agree') ? assumption.assumed : words[0];
  if (typed === undefined && !shell.isInteractive)
    throw usageError(`the answer is missing: give an ANSWER, or --agree to confirm "${oneLine(assumption.assumed)}"`);
  const text = typed === undefined ? undefined : optionOrText(assumption, typed);
  if (text !== undefined && (!shell.isInteractive || right.digest !== undefined || args.has('yes'))) return text;
  for (const line of [...assumptionLines(shell, [assumption]), '']) shell.print(line);
  if (text !== undefined) {
    const effect = isSameAnswer(assumption.assumed, text)
      ? 'confirm it'
      : `answer "${oneLine(text)}", so that ${oneLine(assumption.step)} runs again,`;
    return (await confirm(shell, `Do you ${effect} as ${right.actor}?`)) ? text : undefined;
  }
  using prompt = openPrompt(shell);
  const line = (await prompt.ask('Your answer, or "agree" (Enter: later)'))?.trim();
  return line === undefined || line === ''
    ? undefined
    : line.toLowerCase() === 'agree'
      ? assumption.assumed
      : optionOrText(assumption, line);
}

/** The option whose number was typed, or the typed text itself. */
function optionOrText({ options }: AssumptionReport, typed: string): string {
  return (/^\d$/.test(typed) ? options[Number(typed) - 1] : undefined) ?? typed;
}

interface ReadyAnswer {
  readonly id: string;
  readonly root: string;
  readonly assumption: AssumptionReport;
  readonly text: string;
  readonly workflows: readonly AnyWorkflow[];
}

async function record(parts: DecidingCommand, { id, root, assumption, text, workflows }: ReadyAnswer): Promise<number> {
  const { shell, setup, store, right } = parts;
  const { driveRun, driveWithEngine } = await import('../drive.ts');
  const { actor, sign } = signingOf(shell, { isSigned: assumption.signed });
  const use = async (engine: Engine): Promise<number> => {
    const result = await engine
      .run(id)
      .answerAssumption({ answer: text, actor, assumption: assumption.id, ...omitUndefined({ digest: right.digest, sign }) });
    shell.print(`${shell.symbol('done')} ${result.agrees ? 'confirmed' : 'answered'} ${result.assumption} of run ${id}, as ${actor}.`);
    if (result.again !== undefined)
      shell.print(`Step ${oneLine(result.again.step)} of run ${result.again.run} runs again, and so does everything after it.`);
    if (result.fork !== undefined)
      shell.print(
        `The run has ended, so none of its steps run again. A fork follows the answer: ${shell.pasteable(`pawl fork ${id} --from ${shellWord(result.fork)}`)}`,
      );
    return isFinal((await store.load(root)).state.status) ? 0 : driveRun(shell, { engine, run: root, wait: false });
  };
  return driveWithEngine(shell, setup, { store, workflows, use });
}
