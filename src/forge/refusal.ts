// Owns refusals: the code of a driver ends a request early by throwing a `Refusal`, which the public methods return as an
// answer (FG1). Also owns the refusals whose messages all forges share.

import type { CheckRun, ForgeAnswer, ForgeFailure, PushRequest } from './forge.ts';
import { TEXT_MAX } from './forge.ts';

/** A failure that becomes the answer of the current request. */
class Refusal extends Error {
  readonly failure: ForgeFailure;

  constructor(failure: ForgeFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The methods of a forge inside a driver: each returns the value of its answer, or throws. */
export type ThrowingMethods<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Promise<ValueOf<Answer>>
    : never;
};

type ValueOf<Answer> = Answer extends { readonly result: 'ok'; readonly value: infer Value } ? Value : never;

/** Turns the value of some work, or the failure that ended it, into an answer. Any other error is thrown again. */
export type AnswerRunner = <T>(work: () => Promise<T>) => Promise<ForgeAnswer<T>>;

/** Answers with the value of some work, or with its refusal. */
export const answer: AnswerRunner = async (work) => {
  try {
    return { result: 'ok', value: await work() };
  } catch (error) {
    return refusalIn(error) ?? rethrow(error);
  }
};

/** The same for synchronous work. */
export function answerSync<T>(work: () => T): ForgeAnswer<T> {
  try {
    return { result: 'ok', value: work() };
  } catch (error) {
    return refusalIn(error) ?? rethrow(error);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

/** Makes methods return answers. */
export function withAnswers<Methods>(methods: ThrowingMethods<Methods>, toAnswer: AnswerRunner): Methods {
  const wrapped = Object.entries<(...args: unknown[]) => Promise<unknown>>(methods).map(([name, method]) => [
    name,
    (...args: unknown[]): unknown => toAnswer(() => method(...args)),
  ]);
  return Object.fromEntries(wrapped) as Methods;
}

/** The answer that an error stands for; undefined for anything but a refusal. */
export function refusalIn(error: unknown): ForgeFailure | undefined {
  return error instanceof Refusal ? error.failure : undefined;
}

/** Ends the current request with an answer that is not ok. */
export function refuse(failure: ForgeFailure): never {
  throw new Refusal(failure);
}

/** Ends the current request: a retry does not help. */
export function deny(message: string): never {
  return refuse({ result: 'denied', message });
}

/** Ends the current request: its subject does not exist. */
export function refuseMissing(message: string): never {
  return refuse({ result: 'not_found', message });
}

/** Rejects a text that a forge would reject, cut or change. */
export function assertText(title: string | undefined, body: string): void {
  if (title !== undefined && (title.trim() === '' || /[\r\n]/.test(title))) deny('a title must be one non-empty line');
  if (![title ?? '', body].every((text) => text.isWellFormed() && !text.includes('\0')))
    deny('a text must be valid Unicode without a zero byte; remove the invalid characters');
  if (Math.max(title?.length ?? 0, body.length) > TEXT_MAX) deny(`a text may have at most ${TEXT_MAX} characters; shorten it`);
}

/** Rejects a comment or a reply that is empty, or that `assertText` rejects. */
export function assertComment(body: string, noun = 'comment'): void {
  if (body.trim() === '') deny(`a ${noun} must not be empty`);
  assertText(undefined, body);
}

/** Rejects an empty label. */
export function assertLabels(labels: readonly string[]): void {
  if (labels.some((label) => label.trim() === '')) deny('a label must not be empty');
}

/** Ends the request if the head of a pull request is not the expected one. */
export function assertHead(number: number, head: string, expected: string): void {
  if (head === expected) return;
  const message = `the head of #${number} is ${head}, not ${expected}: it changed since it was reviewed; review it again`;
  refuse({ result: 'stale_head', message, head });
}

const FAILED = new Set(['failure', 'cancelled', 'timed_out', 'action_required']);

/** Ends the request to merge a head with a failed check. */
export function assertNoFailedCheck(number: number, head: string, checks: readonly CheckRun[]): void {
  const failed = checks.filter(({ conclusion, own }) => own !== true && conclusion !== null && FAILED.has(conclusion));
  if (failed.length === 0) return;
  const listed = failed.map(({ name, conclusion }) => `${name} (${conclusion})`).join(', ');
  refuse({ result: 'ci_failure', message: `#${number} was not merged: these checks failed on its head ${head}: ${listed}` });
}

/** Rejects a push that would lose the commits of a branch (FG7). */
export function refuseLostCommits({ branch, sha }: PushRequest, head: string): never {
  const message = `"${branch}" is at ${head}, and ${sha} does not have that commit: pushing it would lose work; merge ${head} first`;
  return refuse({ result: 'stale_head', message, head });
}
