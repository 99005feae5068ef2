// Owns the driver `ai-sdk`: a model behind the AI SDK, for text and structured output. There is no program and no tool:
// what the model writes is all it does.
//
// M1. Where the output is a text, the output is what the model writes. Elsewhere it is the reply that every agent gives,
//     which a model that can is held to by its schema.
// M2. The call is not repeated here: when to try again is for whoever asked, who knows what it may cost.

import type { LanguageModel, ModelMessage } from 'ai';
import type { Json, JsonObject } from '../../base/json.ts';
import type { AgentAnswer, AgentDriver, AgentRequest, AgentUsage } from '../driver.ts';
import { type AnswerNotes, answerOf, type Failing, failureOf, judgeReply } from '../judgement.ts';
import { type ReplyReading, repairInstructions, replyInstructions } from '../reply.ts';
import { callFailure } from './failure.ts';

type AiSdk = typeof import('ai');

/** A model of the AI SDK, by the parts that every one has: whoever compiles against this package need not have `ai`. */
export type AiModel = string | { readonly specificationVersion: string; readonly provider: string; readonly modelId: string };

/** Which model is asked. */
export interface AiSdkOptions {
  /** A model, or what finds one by the name that the role gives. */
  readonly model: AiModel | ((name: string | undefined) => AiModel | Promise<AiModel>);
  /** Loads the package `ai`; without it, the one beside this package. */
  readonly load?: () => Promise<unknown>;
}

const IDLE_MS = 600_000;
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A driver for models that the AI SDK knows. */
export function createAiSdkDriver(options: AiSdkOptions): AgentDriver {
  return { name: 'ai-sdk', ask: (request) => new Question(options, request).ask() };
}

interface Said {
  readonly text: string;
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
  readonly finishReason: string | undefined;
}

/** One attempt: one call of the model, and a second one where the first answer does not do. */
class Question {
  private readonly options: AiSdkOptions;
  private readonly request: AgentRequest;
  private readonly said: Said[] = [];

  constructor(options: AiSdkOptions, request: AgentRequest) {
    this.options = options;
    this.request = request;
  }

  async ask(): Promise<AgentAnswer> {
    const stop = stopOf(this.request);
    try {
      if (this.request.signal.aborted) return failureOf(stop.failure(), {});
      // A model that does not listen is left alone with its call.
      return await Promise.race([this.converse(stop), stop.promise]);
    } catch (thrown) {
      return failureOf(stop.signal.aborted ? stop.failure() : callFailure(thrown, Date.now()), this.noted());
    } finally {
      stop.clear();
    }
  }

  private async converse(stop: Stop): Promise<AgentAnswer> {
    const { prompt, schema, session } = this.request;
    const told = session === undefined ? prompt : `${session.handover}\n\n${prompt}`;
    const opening = isText(schema) ? told : `${told}\n\n${replyInstructions(schema)}`;
    const messages: ModelMessage[] = [{ role: 'user', content: opening }];
    const first = await this.round(messages, stop.signal);
    stop.heard();
    if ('failure' in first || first.kind !== 'invalid') return this.answer(first);
    this.request.onEvent?.({ kind: 'notice', text: `the answer is sent back: ${first.why}` });
    messages.push({ role: 'assistant', content: this.said.at(-1)?.text ?? '' }, { role: 'user', content: repairInstructions(first.why) });
    return this.answer(await this.round(messages, stop.signal));
  }

  private answer(end: ReplyReading | Failing): AgentAnswer {
    return 'failure' in end ? failureOf(end, this.noted()) : answerOf(end, this.noted());
  }

  private async round(messages: readonly ModelMessage[], signal: AbortSignal): Promise<ReplyReading | Failing> {
    const said = await this.call(messages, signal);
    this.said.push(said);
    const { redactor, schema, onEvent, check } = this.request;
    onEvent?.({ kind: 'text', text: redactor?.text(said.text) ?? said.text });
    const { finishReason, text } = said;
    if (finishReason === 'content-filter')
      return { failure: 'refused', message: 'the model, or a filter in front of it, refuses to answer' };
    if (finishReason === 'length')
      return { failure: 'budget', message: 'the model reached the most tokens that it may write in an answer' };
    if (!isText(schema)) return judgeReply(text, this.request);
    const reply = { success: true, output: text };
    const why = text.trim() === '' ? 'it is empty' : check?.(reply);
    return why === undefined ? { kind: 'reply', reply } : { kind: 'invalid', why };
  }

  private async call(messages: readonly ModelMessage[], abortSignal: AbortSignal): Promise<Said> {
    const { load = loadBeside, model } = this.options;
    const { generateText, jsonSchema, NoObjectGeneratedError, Output } = (await load()) as AiSdk;
    // It would print what the provider cannot do; an application that wants to hear of it has said so.
    globalThis.AI_SDK_LOG_WARNINGS ??= false;
    const { schema, budget } = this.request;
    const call = {
      model: (typeof model === 'function' ? await model(this.request.model) : model) as LanguageModel,
      messages: [...messages],
      abortSignal,
      maxRetries: 0,
      ...(budget?.tokens === undefined ? {} : { maxOutputTokens: budget.tokens }),
    };
    if (schema === undefined || isText(schema)) return await generateText(call);
    try {
      return await generateText({ ...call, output: Output.object({ schema: jsonSchema(replySchema(schema)) }) });
    } catch (thrown) {
      // What the model wrote is judged as any text: one that wrapped its JSON in words is not lost.
      if (!NoObjectGeneratedError.isInstance(thrown) || thrown.text === undefined) throw thrown;
      const { text, usage, finishReason } = thrown;
      return { text, finishReason, usage: usage ?? { inputTokens: undefined, outputTokens: undefined } };
    }
  }

  private noted(): AnswerNotes {
    const usage = this.usage();
    return { ...(usage === undefined ? {} : { usage }), ...(this.request.session === undefined ? {} : { sessionLost: true }) };
  }

  private usage(): AgentUsage | undefined {
    if (this.said.length === 0) return undefined;
    const inputTokens = sumOf(this.said.map(({ usage }) => usage.inputTokens));
    const outputTokens = sumOf(this.said.map(({ usage }) => usage.outputTokens));
    return {
      ...(inputTokens === undefined ? {} : { inputTokens }),
      ...(outputTokens === undefined ? {} : { outputTokens }),
      turns: this.said.length,
    };
  }
}

/** A sum of which a part is unknown is unknown. */
function sumOf(parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
}

function isText(schema: JsonObject | undefined): boolean {
  return schema?.type === 'string';
}

// Definitions are named from the root of a schema, so they move there with it.
function replySchema(schema: JsonObject): Record<string, Json> {
  const { $defs, definitions, $schema: _, ...output } = schema;
  return {
    type: 'object',
    properties: { success: { type: 'boolean' }, output, message: { type: 'string' }, verdict: { enum: ['approve', 'reject'] } },
    required: ['success', 'output'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

async function loadBeside(): Promise<AiSdk> {
  try {
    return await import('ai');
  } catch (cause) {
    throw new Error('the package "ai" cannot be loaded; install it beside this one: npm install ai', { cause });
  }
}

interface Stop {
  readonly signal: AbortSignal;
  /** Rejects when the attempt is stopped. */
  readonly promise: Promise<never>;
  heard(): void;
  failure(): Failing;
  clear(): void;
}

function stopOf({ signal, timeoutMs, watchdogs }: AgentRequest): Stop {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  let failure: Failing = { failure: 'aborted', message: 'the attempt was stopped' };
  const stop = (why: Failing): void => {
    if (controller.signal.aborted) return;
    failure = why;
    controller.abort();
    reject(new Error(why.message));
  };
  const onAbort = (): void => stop(failure);
  const late = (ms: number, message: string): NodeJS.Timeout =>
    setTimeout(() => stop({ failure: 'timeout', message }), Math.min(ms, TIMER_MAX_MS));
  const { idleMs = IDLE_MS } = watchdogs ?? {};
  const idle = late(idleMs, `the model was silent for ${idleMs} ms`);
  const wall = timeoutMs === undefined ? undefined : late(timeoutMs, `the model took longer than ${timeoutMs} ms`);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    promise,
    heard: () => idle.refresh(),
    failure: () => failure,
    clear: () => {
      clearTimeout(idle);
      clearTimeout(wall);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
