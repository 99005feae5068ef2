// Owns the lines with which people decide from a comment, as the run's comment prints them. Each names the run, the step and
// the digest of what is shown, so that it decides nothing else.

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

/** The first characters of a digest that a line names. */
export const DIGEST_SHOWN = 12;

/** The lines of an approval; none where its options are no plain yes and no, or its step has a name that no line can have. */
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

/** The most characters of a question, and of the name of an option, that a comment shows. */
export const QUESTION_MAX = 1000;
/** The same of an option. */
export const OPTION_MAX = 200;

/** Whether a comment shows all of the questions. What is cut off, such as a long text to be written, nobody could agree to. */
export function areShownWhole({ questions }: Pick<WaitingQuestions, 'questions'>): boolean {
  const fits = (text: string, max: number): boolean => cleanLine(text, Number.POSITIVE_INFINITY).length <= max;
  return questions.every(({ question, options }) => fits(question, QUESTION_MAX) && options.every(({ label }) => fits(label, OPTION_MAX)));
}

/** The line that answers the questions of a step; none where a comment does not show all of them. */
export function answerLines({ run, step, digest, questions }: WaitingQuestions): DecisionLine[] {
  if (!isWord(step) || !areShownWhole({ questions })) return [];
  const texts = questions.map((_, index) => (questions.length === 1 ? ' -- ANSWER' : ` -- ANSWER ${index + 1}`)).join('');
  return [{ line: `/pawl answer ${run} ${step} ${digest.slice(0, DIGEST_SHOWN)}${texts}`, option: 'answer' }];
}

/** Whether a name can be a word of a line. */
function isWord(name: string): boolean {
  return /^[\w.:#/-]+$/.test(name);
}
