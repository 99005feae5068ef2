// Parses and checks answers in text, requests an invalid one again once, and converts the result into an answer or a
// failure of the driver.

import { stripVTControlCharacters } from 'node:util';
import { omitUndefined } from '../base/fields.ts';
import { shortText } from '../base/short-text.ts';
import type { AgentAnswer, AgentFailure, AgentRequest, AgentUsage } from './driver.ts';
import { type ReplyReading, readReply, repairInstructions } from './reply.ts';

/** The fields of an answer besides the reply: usage, session, denials. */
export type AnswerNotes = Omit<Extract<AgentAnswer, { readonly kind: 'asks' }>, 'kind' | 'questions'>;

/** Why an attempt failed; `toAnswer` converts it. */
export interface AttemptFailure {
  readonly failure: AgentFailure;
  readonly message: string;
  readonly resumeAt?: number;
}

/** Parses an agent's answer and checks its reply. Questions are for a person and are not checked. */
export function checkReply(text: string, request: AgentRequest, read = readReply): ReplyReading {
  const reading = read(text);
  if (reading.kind !== 'reply') return reading;
  const why = request.check?.(reading.reply);
  return why === undefined ? reading : { kind: 'invalid', why };
}

/** The prompt for a second answer if the first is invalid, or a failure if the budget does not allow one; undefined if it is valid. */
export function requestCorrection(reading: ReplyReading, request: AgentRequest, usage?: AgentUsage): string | AttemptFailure | undefined {
  if (reading.kind !== 'invalid') return undefined;
  const over = overBudget(request, usage);
  if (over !== undefined) return over;
  request.onEvent?.({ kind: 'notice', text: `the answer was rejected and is requested again: ${reading.why}` });
  return repairInstructions(reading.why);
}

/** Converts the last reading, or a failure, into the answer of the attempt. */
export function toAnswer(end: ReplyReading | AttemptFailure, notes: AnswerNotes): AgentAnswer {
  if ('failure' in end) return failureOf(end, notes);
  if (end.kind === 'reply') return { kind: 'answered', ...end.reply, ...notes };
  if (end.kind === 'asks') return { kind: 'asks', questions: end.questions, ...notes };
  const message = `the agent's answer is still invalid after one correction: ${end.why}`;
  return failureOf({ failure: 'invalid-output', message }, notes);
}

/** Converts a failure into an answer. A message may come from the agent, so it is shortened. */
export function failureOf({ failure, message, resumeAt }: AttemptFailure, notes: AnswerNotes): AgentAnswer {
  return { kind: 'failed', failure, message: shortText(cleaned(message), MESSAGE_MAX), ...omitUndefined({ resumeAt }), ...notes };
}

const MESSAGE_MAX = 600;

// Output of a program may control a terminal: colours, cursor movements, overwritten lines.
const CONTROL = /(?!\n)\p{Cc}/gu;

function cleaned(text: string): string {
  const plain = stripVTControlCharacters(text.slice(0, CLEANED_MAX));
  return plain.replace(/\r\n?/g, '\n').replaceAll('\t', ' ').replace(CONTROL, '');
}

const CLEANED_MAX = 20_000;

/** Returns the request for another round of the same attempt, with the remaining time since `startedMs`. */
export function withTimeLeft(request: AgentRequest, startedMs: number): AgentRequest {
  if (request.timeoutMs === undefined) return request;
  return { ...request, timeoutMs: Math.max(1, request.timeoutMs - Math.round(performance.now() - startedMs)) };
}

/** Adds two usages. An amount that is missing in both stays unknown. */
export function addUsage(first: AgentUsage, second: AgentUsage): AgentUsage {
  const sums: { -readonly [field in keyof AgentUsage]: number } = { ...first };
  for (const field of ['inputTokens', 'outputTokens', 'costUsd', 'turns'] as const) {
    const more = second[field];
    if (more !== undefined) sums[field] = (sums[field] ?? 0) + more;
  }
  return sums;
}

/** The sum of several usages; undefined if one of them is unknown. */
export function sumUsage(usages: readonly (AgentUsage | undefined)[]): AgentUsage | undefined {
  return usages.reduce((sum, usage) => sum && usage && addUsage(sum, usage), {});
}

const TAIL_MAX = 400;
const TAIL_LINES_MAX = 5;
/** A longer line is data, not a message. */
const TAIL_LINE_MAX = 1000;

// The failure of an attempt whose budget allows no further round.
function overBudget({ budget = {} }: AgentRequest, usage: AgentUsage = {}): AttemptFailure | undefined {
  const { inputTokens, outputTokens, costUsd, turns } = usage;
  const tokens = inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0);
  const isOver = (used: number | undefined, limit: number | undefined): boolean =>
    used !== undefined && limit !== undefined && used >= limit;
  const failed = (used: string): AttemptFailure => ({
    failure: 'budget',
    message: `the agent used ${used}, so its invalid answer is not requested again`,
  });
  if (isOver(tokens, budget.tokens)) return failed(`${tokens} of ${budget.tokens} tokens`);
  if (isOver(costUsd, budget.costUsd)) return failed(`$${costUsd} of $${budget.costUsd}`);
  return isOver(turns, budget.turns) ? failed(`${turns} of ${budget.turns} turns`) : undefined;
}

// The transcript has the whole output. Lines of a JSON stream are not messages.
function lastLines(output: string): string {
  const lines = output
    .slice(-CLEANED_MAX)
    .split('\n')
    .filter((line) => line.length <= TAIL_LINE_MAX && !line.startsWith('{'))
    .map((line) => cleaned(line).trim())
    .filter((line) => line !== '');
  const last = lines.slice(-TAIL_LINES_MAX);
  const cause = lines.slice(0, -TAIL_LINES_MAX).findLast((line) => ERROR_LINE.test(line));
  const tail = last.join('\n').slice(-TAIL_MAX);
  // The message of an exception is above its stack, and more useful.
  return cause === undefined || last.some((line) => ERROR_LINE.test(line)) ? tail : `${cause.slice(0, TAIL_MAX)}\n…\n${tail}`;
}

const ERROR_LINE = /^(?:Uncaught )?(?:[\w.]*(?:Error|Exception)\b|(?:fatal|error|panic)\b).*?:/i;

/** The failure of a program that ended without an answer, with its exit code and its last messages. */
export function crashFailure(
  name: string,
  end: { readonly exitCode: number; readonly stdout: string; readonly stderr: string },
): AttemptFailure {
  const lines = lastLines(end.stderr) || lastLines(end.stdout);
  const output = lines === '' ? 'and printed nothing' : `and printed: ${lines}`;
  return { failure: 'crash', message: `${name} ended with exit code ${end.exitCode} without an answer ${output}` };
}
