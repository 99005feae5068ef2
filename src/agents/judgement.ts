// Owns what becomes of an agent's words where its program only knows text: they are read and checked, are sent back
// once with what is wrong with them, and are then an answer or a failure. Also what is left of an attempt's time for
// the second round.

import type { AgentAnswer, AgentFailure, AgentRequest } from './driver.ts';
import { type ReplyReading, readReply } from './reply.ts';

/** What an answer carries beside the reply: usage, session, refusals. */
export type AnswerNotes = Omit<Extract<AgentAnswer, { readonly kind: 'asks' }>, 'kind' | 'questions'>;

/** A failure before it is an answer. */
export interface Failing {
  readonly failure: AgentFailure;
  readonly message: string;
  readonly resumeAt?: number;
}

/** Reads what an agent answered, and has a reply checked. Questions are for a person and are not checked. */
export function judgeReply(text: string, request: AgentRequest): ReplyReading {
  const reading = readReply(text);
  if (reading.kind !== 'reply') return reading;
  const why = request.check?.(reading.reply);
  return why === undefined ? reading : { kind: 'invalid', why };
}

/** The answer that the last reading makes. */
export function answerOf(reading: ReplyReading, notes: AnswerNotes): AgentAnswer {
  if (reading.kind === 'reply') return { kind: 'answered', ...reading.reply, ...notes };
  if (reading.kind === 'asks') return { kind: 'asks', questions: reading.questions, ...notes };
  const message = `the agent's answer could not be used, also not after it was told so: ${reading.why}`;
  return failureOf({ failure: 'invalid-output', message }, notes);
}

/** The answer that a failure makes. */
export function failureOf(failing: Failing, notes: AnswerNotes): AgentAnswer {
  return { kind: 'failed', ...failing, ...notes };
}

/** The request for a further round of the same attempt: its time limit is what is left since `startedMs`. */
export function withTimeLeft(request: AgentRequest, startedMs: number): AgentRequest {
  if (request.timeoutMs === undefined) return request;
  return { ...request, timeoutMs: Math.max(1, request.timeoutMs - Math.round(performance.now() - startedMs)) };
}

const TAIL_MAX = 2000;

/** How a program that brought no answer is told of: its exit code and the end of what it printed. */
export function crashOf(name: string, end: { readonly exitCode: number; readonly stdout: string; readonly stderr: string }): Failing {
  const words = (end.stderr.trim() || end.stdout.trim()).slice(-TAIL_MAX);
  const said = words === '' ? 'and printed nothing' : `and printed: ${words}`;
  return { failure: 'crash', message: `${name} ended with exit code ${end.exitCode} without an answer ${said}` };
}
