// `pawl answer RUN`: a person answers the questions of an agent. Like a decision, an answer needs a terminal or a personal
// token, and an agent's shell has neither.

import type { Engine } from '../../api/engine.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import { type Answer, parseAnswer, readQuestions, selectQuestions, type WaitingQuestions } from '../../attended/questions.ts';
import { omitUndefined } from '../../base/fields.ts';
import { rootOf } from '../../control/approvals.ts';
import { answersValue } from '../../engine/request/reports.ts';
import { askAnswers, questionLines } from '../attended/answer.ts';
import { type CommandRun, usageError } from '../command.ts';
import { type DecidingCommand, rightToDecide } from '../decision/decide-by-command.ts';
import { confirm } from '../decision/prompt.ts';
import { signingOf } from '../identity/signing.ts';
import { workflowsToDrive } from '../load.ts';
import { withRun } from '../session.ts';
import { EXIT_WAITING } from '../status.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const right = rightToDecide(shell, args);
  if (args.option('assumption') !== undefined || args.has('agree'))
    return (await import('../decision/assumption.ts')).answer(shell, args, right);
  return withRun(shell, async ({ setup, store, id }) => {
    const command = { shell, args, setup, store, right };
    const asked = selectQuestions(id, await readQuestions(store, id), { step: args.option('step'), digest: right.digest });
    const root = await rootOf(store, asked.run);
    // Without its code the run could not continue, so nothing would be recorded.
    const workflows = await workflowsToDrive(shell, setup.project, await store.load(root));
    const answers = await answersTo(command, asked);
    if (answers === undefined) {
      shell.print(`Nothing was answered; "pawl answer ${asked.run}" asks again.`);
      return EXIT_WAITING;
    }
    return record(command, { asked, answers, root, workflows });
  });
};

async function answersTo({ shell, args, right }: DecidingCommand, asked: WaitingQuestions): Promise<readonly Answer[] | undefined> {
  const words = args.allWords('ANSWER');
  const { questions } = asked;
  if (words.length === 0) {
    if (shell.isInteractive) return askAnswers(shell, asked);
    throw usageError(`answers are missing for: ${questions.map(({ question }) => `"${oneLine(question)}"`).join(', ')}`);
  }
  if (words.length !== questions.length)
    throw usageError(
      `step "${asked.step}" asks ${questions.length} questions, but ${words.length} answers were given; put an answer of several words in quotes`,
    );
  const answers = questions.map((question, index) => parseAnswer(question, words[index] ?? ''));
  if (!shell.isInteractive || right.digest !== undefined || args.has('yes')) return answers;
  for (const index of questions.keys()) for (const line of [...questionLines(shell, asked, index), '']) shell.print(line);
  return (await confirm(shell, `Answer ${answers.map((answer) => `"${answerText(answer)}"`).join(', ')} as ${right.actor}?`))
    ? answers
    : undefined;
}

function answerText(answer: Answer): string {
  return oneLine(typeof answer === 'string' ? answer : answer.join(', '));
}

interface ReadyAnswer {
  readonly asked: WaitingQuestions;
  readonly answers: readonly Answer[];
  readonly root: string;
  readonly workflows: readonly AnyWorkflow[];
}

async function record(command: DecidingCommand, { asked, answers, root, workflows }: ReadyAnswer): Promise<number> {
  const { shell, setup, store } = command;
  const { driveRun, driveWithEngine } = await import('../drive.ts');
  const { actor, sign } = signingOf(shell, { isSigned: asked.signed });
  const { run: id, path, attempt } = asked;
  const digest = answersValue(asked, answers).ref.digest;
  const signature = await sign?.({ about: 'answer', run: id, path, attempt, answers: digest, actor });
  const use = async (engine: Engine): Promise<number> => {
    await engine.run(asked.run).answer({ answers, actor, step: asked.path, ...omitUndefined({ signature }) });
    shell.print(`${shell.symbol('done')} answered ${oneLine(asked.path)} of run ${asked.run}, as ${actor}.`);
    return driveRun(shell, { engine, run: root, wait: false });
  };
  return driveWithEngine(shell, setup, { store, workflows, use });
}
