// Owns the shape of requests that programs make of a run: callers in plain JavaScript have no compiler to tell them.

import { EngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';
import type { AnswerRequest } from './reports.ts';
import type { DecisionRequest, ResumeChoice } from './requests.ts';

const WAYS: readonly ResumeChoice['how'][] = ['retry', 'accept', 'goto', 'rerun', 'done', 'failed'];

function refuse(message: string): never {
  throw new EngineError('OPTION_INVALID', message);
}

/** Refuses a decision that names no option, or whose input is no text. */
export function checkDecision(run: string, { option, input }: DecisionRequest): void {
  if (typeof option !== 'string') refuse(`the decision in run ${run} names no option; pass its label as "option"`);
  if (input !== undefined && typeof input !== 'string') refuse(`the input of the decision in run ${run} must be a string`);
}

/** Refuses answers that are no list of texts. */
export function checkAnswers(run: string, { answers }: AnswerRequest): void {
  const isText = (answer: unknown): boolean => typeof answer === 'string';
  const isAnswer = (answer: unknown): boolean => isText(answer) || (Array.isArray(answer) && answer.every(isText));
  if (!Array.isArray(answers) || !answers.every(isAnswer))
    refuse(`the answers in run ${run} must be a list with a string, or a list of strings, for each question`);
}

/** Refuses a signal without a name. */
export function checkSignal(run: string, name: unknown): void {
  if (typeof name !== 'string' || name === '') refuse(`the signal to run ${run} has no name; pass the name that a step waits for`);
}

/** Refuses a choice that says no way on, or lacks what its way needs. */
export function checkChoice(run: string, choice: ResumeChoice): void {
  const { how, note, extend, step } = (choice ?? {}) as Partial<Record<'how' | 'note' | 'extend' | 'step', unknown>>;
  const isWay = (WAYS as readonly unknown[]).includes(how);
  if (!isWay) refuse(`run ${run} cannot be resumed with "${String(how)}"${didYouMean(String(how), WAYS)}; there are ${WAYS.join(', ')}`);
  if (note !== undefined && typeof note !== 'string') refuse(`the note for run ${run} must be a string`);
  if (extend !== undefined && (!Number.isInteger(extend) || Number(extend) < 1))
    refuse(`"extend" for run ${run} must be a whole number of at least 1, not ${String(extend)}`);
  if (how === 'goto' && typeof step !== 'string')
    refuse(`run ${run} cannot go to another step: the choice names none; pass its id as "step"`);
}
