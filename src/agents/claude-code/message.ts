// Owns the parsing of Claude Code's output stream. Lines that are not messages, unknown messages and missing fields are
// ignored. Also classifies failed turns.

import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../../base/json.ts';
import type { AgentUsage } from '../driver.ts';
import type { Failing } from '../judgement.ts';

/** Parses the message in a line. Returns undefined for other lines, such as an update notice. */
export function parseMessage(line: string): JsonObject | undefined {
  return line.startsWith('{') ? parseJsonObject(line) : undefined;
}

/** Returns an object inside a message, or an empty one. */
export function objectIn(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

/** Returns a string inside a message, or an empty one. */
export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the content blocks of an `assistant` or `user` message. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  const { content } = objectIn(message.message);
  return Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [];
}

/** Returns the text of a tool's result, which is a string or a list of blocks. */
export function resultText(content: Json | undefined): string {
  if (!Array.isArray(content)) return textIn(content);
  return (content as readonly Json[]).map((block) => textIn(objectIn(block).text)).join('\n');
}

/**
 * Returns the usage of one turn. The program also reports totals: the cost of the whole session, including earlier
 * programs, and tokens without those of sub-agents. They are used only if the turn's own amounts are missing.
 */
export function usageOf(result: JsonObject, isFirst: boolean): AgentUsage {
  const models = Object.values(objectIn(result.model_usage_since_last_result)).map(objectIn);
  const usage = [objectIn(result.usage)];
  const tokens =
    models.length > 0
      ? { inputTokens: sum(models, MODEL_INPUT), outputTokens: sum(models, ['outputTokens']), costUsd: sum(models, ['costUSD']) }
      : {
          inputTokens: sum(usage, INPUT),
          outputTokens: sum(usage, ['output_tokens']),
          costUsd: isFirst ? numberIn(result.total_cost_usd) : undefined,
        };
  const told = known(tokens);
  const turns = numberIn(result.num_turns);
  // Without tokens the turn did not reach the model.
  return Object.keys(told).length === 0 || turns === undefined ? told : { ...told, turns };
}

const MODEL_INPUT = ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'];
const INPUT = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/** Returns the usage that an `assistant` message reports so far. */
export function usageSoFar(message: JsonObject): AgentUsage {
  const usage = [objectIn(objectIn(message.message).usage)];
  return known({ inputTokens: sum(usage, INPUT), outputTokens: sum(usage, ['output_tokens']) });
}

/** Adds two usages. An amount that is missing in both stays unknown. */
export function addUsage(one: AgentUsage, other: AgentUsage): AgentUsage {
  const sums: { -readonly [field in keyof AgentUsage]: number } = { ...one };
  for (const field of ['inputTokens', 'outputTokens', 'costUsd', 'turns'] as const) {
    const more = other[field];
    if (more !== undefined) sums[field] = (sums[field] ?? 0) + more;
  }
  return sums;
}

function sum(objects: readonly JsonObject[], fields: readonly string[]): number | undefined {
  const numbers = objects.flatMap((object) => fields.map((field) => numberIn(object[field]))).filter((value) => value !== undefined);
  return numbers.length === 0 ? undefined : numbers.reduce((total, value) => total + value, 0);
}

// A turn that never reached the model reports zeros, which are not measurements.
function known(usage: { readonly [field in keyof AgentUsage]: number | undefined }): AgentUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined && value > 0));
}

/** Returns a number inside a message, or undefined. */
export function numberIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const AUTH = /invalid api key|please run \/login|not logged in|oauth token|authentication/i;
const QUOTA = /usage limit reached|hit your .*limit|rate limit|credit balance is too low/i;
const REFUSED = /usage policy|unable to respond to this request/i;
const UNAVAILABLE = /overloaded|connection error|internal server error/i;
const RESET = /usage limit reached\|(\d{10})\b/;

/** Returns why a turn failed, or undefined. `resetsAt` is when the account can be used again, if that was reported. */
export function failureIn(result: JsonObject, resetsAt: number | undefined): Failing | undefined {
  const errors = Array.isArray(result.errors) ? (result.errors as readonly Json[]).map(textIn) : [];
  const message = [textIn(result.result), ...errors].filter((text) => text !== '').join('; ') || 'Claude Code failed without a reason';
  if (result.subtype === 'error_max_turns' || result.subtype === 'error_max_budget_usd') return { failure: 'budget', message };
  if (result.stop_reason === 'refusal') return { failure: 'refused', message };
  if (result.is_error !== true) return undefined;
  const status = numberIn(result.api_error_status);
  if (status === 429 || (status === undefined && QUOTA.test(message)) || /credit balance/i.test(message)) {
    const told = resetsAt ?? resetIn(message);
    return { failure: 'quota', message, ...(told === undefined ? {} : { resumeAt: told }) };
  }
  if (status === 401 || status === 403 || (status === undefined && AUTH.test(message))) return { failure: 'auth', message };
  if (REFUSED.test(message)) return { failure: 'refused', message };
  const isUnavailable = status === undefined ? UNAVAILABLE.test(message) : status === 408 || status >= 500;
  return { failure: isUnavailable ? 'unavailable' : 'crash', message };
}

function resetIn(message: string): number | undefined {
  const seconds = RESET.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
