// Owns the driver `ai-sdk`: a model of the AI SDK, for text and structured output, without a program or tools.
//
// - If the schema is a string, the output is the model's text. Otherwise the model writes the same reply as every agent, if
//   possible constrained by the schema.
// - The call is not retried here: the caller decides about retries, because it knows the cost.

import type { LanguageModel, ModelMessage } from 'ai';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { resumeTime } from '../../base/retry-after.ts';
import { ASSUMPTIONS_SCHEMA } from '../../definition/question/assumption.ts';
import { type AnswerNotes, type AttemptFailure, checkReply, failureOf, requestCorrection, toAnswer } from '../answer.ts';
import type { AgentAnswer, AgentDriver, AgentRequest, AgentUsage } from '../driver.ts';
import { aborted, openStop, type Stop } from '../in-process.ts';
import { promptWithReply, type ReplyReading, withHandover } from '../reply.ts';

type AiSdk = typeof import('ai');

/** A model of the AI SDK, described by fields that all models have, so that users of this package need not install `ai`. */
export type AiModel = string | { readonly specificationVersion: string; readonly provider: string; readonly modelId: string };

/** Options of the driver. */
export interface AiSdkOptions {
  /** A model, or a function that finds one by the name in the role. */
  readonly model: AiModel | ((name: string | undefined) => AiModel | Promise<AiModel>);
  /** Loads the package `ai`. By default it is resolved from this package. */
  readonly load?: () => Promise<unknown>;
}

const IDLE_MS = 600_000;

/** Creates a driver for models of the AI SDK. */
export function createAiSdkDriver(options: AiSdkOptions): AgentDriver {
  return { name: 'ai-sdk', ask: (request) => new ModelAttempt(options, request).ask() };
}

interface ModelAnswer {
  readonly text: string;
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
  readonly finishReason: string | undefined;
}

/** One attempt: one call of the model, and a second one if the first answer is invalid. */
class ModelAttempt {
  private readonly options: AiSdkOptions;
  private readonly request: AgentRequest;
  private readonly answers: ModelAnswer[] = [];

  constructor(options: AiSdkOptions, request: AgentRequest) {
    this.options = options;
    this.request = request;
  }

  async ask(): Promise<AgentAnswer> {
    if (this.request.signal.aborted) return aborted();
    const stop = openStop(this.request, { who: 'the model', idleMs: this.request.watchdogs?.idleMs ?? IDLE_MS });
    try {
      // If a model ignores the signal, its call is abandoned.
      return await Promise.race([stop.reason.then((why) => failureOf(why, this.notes())), this.converse(stop)]);
    } catch (thrown) {
      return failureOf(stop.signal.aborted ? await stop.reason : callFailure(thrown, Date.now()), this.notes());
    } finally {
      stop.close();
    }
  }

  private async converse(stop: Stop): Promise<AgentAnswer> {
    const { session } = this.request;
    const request = session === undefined ? this.request : withHandover(this.request, session.handover);
    const opening = isText(request.schema) ? request.prompt : promptWithReply(request);
    const messages: ModelMessage[] = [{ role: 'user', content: opening }];
    const first = await this.round(messages, stop.signal);
    stop.refresh();
    if ('failure' in first) return toAnswer(first, this.notes());
    const correction = requestCorrection(first, this.request, this.usage());
    if (typeof correction !== 'string') return toAnswer(correction ?? first, this.notes());
    messages.push({ role: 'assistant', content: this.answers.at(-1)?.text ?? '' }, { role: 'user', content: correction });
    const second = await this.round(messages, stop.signal);
    return toAnswer(second, this.notes());
  }

  private async round(messages: readonly ModelMessage[], signal: AbortSignal): Promise<ReplyReading | AttemptFailure> {
    const answer = await this.call(messages, signal);
    this.answers.push(answer);
    const { redactor, schema, onEvent, check } = this.request;
    const { finishReason, text } = answer;
    onEvent?.({ kind: 'text', text: redactor?.text(text) ?? text });
    if (finishReason === 'content-filter') return { failure: 'refused', message: 'the model or a content filter refused to answer' };
    if (finishReason === 'length') return { failure: 'budget', message: 'the model reached the token limit for an answer' };
    if (!isText(schema)) return checkReply(text, this.request);
    const reply = { success: true, output: text };
    const why = text.trim() === '' ? 'it is empty' : check?.(reply);
    return why === undefined ? { kind: 'reply', reply } : { kind: 'invalid', why };
  }

  private async call(messages: readonly ModelMessage[], abortSignal: AbortSignal): Promise<ModelAnswer> {
    const { load = loadInstalled, model } = this.options;
    const { generateText, jsonSchema, NoObjectGeneratedError, Output } = (await load()) as AiSdk;
    // Otherwise the SDK prints warnings about unsupported features. An application that wants them has already set this.
    globalThis.AI_SDK_LOG_WARNINGS ??= false;
    const { schema, budget } = this.request;
    const call = {
      model: (typeof model === 'function' ? await model(this.request.model) : model) as LanguageModel,
      messages: [...messages],
      abortSignal,
      maxRetries: 0,
      ...omitUndefined({ maxOutputTokens: budget?.tokens }),
    };
    if (schema === undefined || isText(schema)) return await generateText(call);
    try {
      return await generateText({ ...call, output: Output.object({ schema: jsonSchema(replySchema(schema)) }) });
    } catch (thrown) {
      // The text is parsed like any other answer, so that JSON wrapped in prose is not lost.
      if (!NoObjectGeneratedError.isInstance(thrown) || thrown.text === undefined) throw thrown;
      const { text, usage, finishReason } = thrown;
      return { text, finishReason, usage: usage ?? { inputTokens: undefined, outputTokens: undefined } };
    }
  }

  private notes(): AnswerNotes {
    const usage = this.usage();
    return { ...omitUndefined({ usage }), ...(this.request.session === undefined ? {} : { sessionLost: true }) };
  }

  private usage(): AgentUsage | undefined {
    if (this.answers.length === 0) return undefined;
    const inputTokens = sumOf(this.answers.map(({ usage }) => usage.inputTokens));
    const outputTokens = sumOf(this.answers.map(({ usage }) => usage.outputTokens));
    return { ...omitUndefined({ inputTokens, outputTokens }), turns: this.answers.length };
  }
}

/** A sum with an unknown part is unknown. */
function sumOf(parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
}

function isText(schema: JsonObject | undefined): boolean {
  return schema?.type === 'string';
}

// Definitions are referenced from the root of a schema, so they move there.
function replySchema(schema: JsonObject): Record<string, Json> {
  const { $defs, definitions, $schema: _, ...output } = schema;
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      output,
      message: { type: 'string' },
      verdict: { enum: ['approve', 'reject'] },
      assumptions: ASSUMPTIONS_SCHEMA,
    },
    required: ['success', 'output'],
    additionalProperties: false,
    ...omitUndefined({ $defs, definitions }),
  };
}

async function loadInstalled(): Promise<AiSdk> {
  try {
    return await import('ai');
  } catch (cause) {
    throw new Error('cannot load the package "ai"; install it with: npm install ai', { cause });
  }
}

/** The error that providers throw for an error response, reduced to the fields we use. */
interface CallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

const FILTERED = /content[_-]?(filter|policy)/i;
/** Errors are recognised by name, because the project may load another copy of a provider than we do. */
const NO_KEY = 'AI_LoadAPIKeyError';
const CALL_ERROR = 'AI_APICallError';

/** Converts an error of a model call into a failure. `now` is the time it was thrown. */
function callFailure(thrown: unknown, now: number): AttemptFailure {
  const message = messageOf(thrown);
  if (!(thrown instanceof Error)) return { failure: 'crash', message };
  if (thrown.name === NO_KEY) return { failure: 'auth', message };
  if (thrown.name !== CALL_ERROR) return { failure: 'crash', message: withCause(thrown) };
  const { statusCode, responseHeaders = {}, responseBody = '' } = thrown as CallError;
  const text = statusCode === undefined ? withCause(thrown) : `the model's API answered with ${statusCode}: ${message}`;
  if (statusCode === 401 || statusCode === 403) return { failure: 'auth', message: text };
  if (statusCode === 402 || statusCode === 429)
    return { failure: 'quota', message: text, ...omitUndefined({ resumeAt: resumeTime(responseHeaders, now) }) };
  if (statusCode === 400 && FILTERED.test(responseBody)) return { failure: 'refused', message: text };
  const isUnavailable = statusCode !== undefined && (statusCode === 408 || statusCode >= 500);
  return { failure: isUnavailable ? 'unavailable' : 'crash', message: text };
}

function withCause(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
