// Owns the runtime checks of requests to a run: callers in plain JavaScript have no compiler.

import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { AnswerRequest } from './reports.ts';
import type { DecisionRequest } from './requests.ts';
import type { ResumeChoice } from './resume.ts';

const CHOICES: readonly ResumeChoice['how'][] = ['retry', 'accept', 'goto', 'rerun', 'done', 'failed'];

function reject(message: string): never {
  throw new EngineError('OPTION_INVALID', message);
}

const DECISION = Object.keys({
  option: true,
  actor: true,
  input: true,
  approval: true,
  digest: true,
  signature: true,
  sign: true,
} satisfies Record<keyof DecisionRequest, true>);

/** Throws if a decision has no option, its input is not a string, or it has a field that would have no effect. */
export function checkDecision(run: string, request: DecisionRequest): void {
  const { option, input } = request;
  const unknown = Object.keys(request).find((field) => !DECISION.includes(field));
  if (unknown !== undefined)
    reject(`the decision in run ${run} has an unknown field "${unknown}"${didYouMean(unknown, DECISION)}; it has ${DECISION.join(', ')}`);
  if (typeof option !== 'string') reject(`the decision in run ${run} has no option; pass its label as "option"`);
  if (input !== undefined && typeof input !== 'string') reject(`the input of the decision in run ${run} must be a string`);
}

/** Throws if the answers are not a list of strings, or of lists of strings. */
export function checkAnswers(run: string, { answers }: AnswerRequest): void {
  const isText = (answer: unknown): boolean => typeof answer === 'string';
  const isAnswer = (answer: unknown): boolean => isText(answer) || (Array.isArray(answer) && answer.every(isText));
  if (!Array.isArray(answers) || !answers.every(isAnswer))
    reject(`the answers in run ${run} must be a list with one string, or one list of strings, for each question`);
}

/** Throws if a signal has no name. */
export function checkSignal(run: string, name: unknown): void {
  if (typeof name !== 'string' || name === '') reject(`the signal to run ${run} has no name; pass the name that a step waits for`);
}

/** Throws if a choice is unknown or lacks what it needs. */
export function checkChoice(run: string, choice: ResumeChoice): void {
  const { how, note, extend, step } = (choice ?? {}) as Partial<Record<'how' | 'note' | 'extend' | 'step', unknown>>;
  const isKnown = (CHOICES as readonly unknown[]).includes(how);
  if (!isKnown)
    reject(`run ${run} cannot be resumed with "${String(how)}"${didYouMean(String(how), CHOICES)}; use one of ${CHOICES.join(', ')}`);
  if (note !== undefined && typeof note !== 'string') reject(`the note for run ${run} must be a string`);
  if (extend !== undefined && (!Number.isInteger(extend) || Number(extend) < 1))
    reject(`"extend" for run ${run} must be a whole number of at least 1, not ${String(extend)}`);
  if (how === 'goto' && typeof step !== 'string')
    reject(`run ${run} cannot go to another step: the choice has no step; pass its id as "step"`);
}
