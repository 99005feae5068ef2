// Owns the commands that the comment of a run offers for its decisions. Each names the run, the step and the digest of what is
// shown, so that it decides nothing else.

import type { WaitingQuestions } from '../../attended/questions.ts';
import { isEngineError } from '../../base/error.ts';
import type { PendingApproval } from '../../control/approvals.ts';
import { optionFor, type Verdict } from '../../control/verdict-option.ts';
import type { Definition } from '../../definition/model.ts';
import { cleanLine } from '../../notify/clean-text.ts';

/** A line, and the option that it chooses. */
export interface DecisionLine {
  readonly line: string;
  readonly option: string;
}

/** How many characters of a digest are shown. */
export const DIGEST_SHOWN = 12;

/** The commands of an approval. None if its options are not a plain yes and no, or if a command cannot contain its step's name. */
export function approvalLines({ run, approval }: PendingApproval, definition: Definition): DecisionLine[] {
  if (!isWord(approval.step)) return [];
  return (['approve', 'reject'] as const).flatMap((verdict) => {
    const option = optionOrNone(verdict, { run, approval }, definition);
    if (option === undefined) return [];
    const text = option.requiresInput ? ' -- REASON' : '';
    return [{ line: `/pawl ${verdict} ${run} ${approval.step} ${approval.digest.slice(0, DIGEST_SHOWN)}${text}`, option: option.label }];
  });
}

function optionOrNone(verdict: Verdict, { approval }: Pick<PendingApproval, 'run' | 'approval'>, definition: Definition) {
  try {
    return optionFor(verdict, approval, definition);
  } catch (error) {
    if (isEngineError(error) && error.code === 'OPTION_INVALID') return undefined;
    throw error;
  }
}

/** How many characters of a question a comment shows. */
export const QUESTION_MAX = 1000;
/** How many characters of an option a comment shows. */
export const OPTION_MAX = 200;

/** Whether a comment shows the questions in full. Nobody can agree to a truncated question. */
export function areShownWhole({ questions }: Pick<WaitingQuestions, 'questions'>): boolean {
  const fits = (text: string, max: number): boolean => cleanLine(text, Number.POSITIVE_INFINITY).length <= max;
  return questions.every(({ question, options }) => fits(question, QUESTION_MAX) && options.every(({ label }) => fits(label, OPTION_MAX)));
}

/** The command that answers the questions of a step. None if a comment does not show them in full. */
export function answerLines({ run, step, digest, questions }: WaitingQuestions): DecisionLine[] {
  if (!isWord(step) || !areShownWhole({ questions })) return [];
  const texts = questions.map((_, index) => (questions.length === 1 ? ' -- ANSWER' : ` -- ANSWER ${index + 1}`)).join('');
  return [{ line: `/pawl answer ${run} ${step} ${digest.slice(0, DIGEST_SHOWN)}${texts}`, option: 'answer' }];
}

/** Whether a command can contain a name. */
function isWord(name: string): boolean {
  return /^[\w.:#/-]+$/.test(name);
}
