// Owns the parsing of Claude Code's output stream and the classes of failed turns. Lines that are not messages, unknown
// messages and missing fields are ignored.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { AttemptFailure } from '../answer.ts';
import type { AgentUsage } from '../driver.ts';
import { listAt, numberAt, objectAt, textAt, valueAt } from '../json-message.ts';

/** Returns the content blocks of an `assistant` or `user` message. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  return listAt(message, 'message', 'content').filter(isJsonObject);
}

/** Returns the text of a tool's result, which is a string or a list of blocks. */
export function resultText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return listAt(content)
    .map((block) => textAt(block, 'text') ?? '')
    .join('\n');
}

/**
 * Returns the usage of one turn. The program also reports totals: the cost of the whole session, including earlier
 * programs, and tokens without those of sub-agents. They are used only if the turn's own amounts are missing.
 */
export function usageOf(result: JsonObject, isFirst: boolean): AgentUsage {
  const models = Object.values(objectAt(result, 'model_usage_since_last_result')).map((model) => objectAt(model));
  const usage = [objectAt(result, 'usage')];
  const tokens =
    models.length > 0
      ? { inputTokens: sum(models, MODEL_INPUT), outputTokens: sum(models, ['outputTokens']), costUsd: sum(models, ['costUSD']) }
      : {
          inputTokens: sum(usage, INPUT),
          outputTokens: sum(usage, ['output_tokens']),
          costUsd: isFirst ? numberAt(result, 'total_cost_usd') : undefined,
        };
  const amounts = known(tokens);
  const turns = numberAt(result, 'num_turns');
  // Without tokens the turn did not reach the model.
  return Object.keys(amounts).length === 0 ? amounts : { ...amounts, ...omitUndefined({ turns }) };
}

const MODEL_INPUT = ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'];
const INPUT = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/** Returns the usage that an `assistant` message reports so far. */
export function usageSoFar(message: JsonObject): AgentUsage {
  const usage = [objectAt(message, 'message', 'usage')];
  return known({ inputTokens: sum(usage, INPUT), outputTokens: sum(usage, ['output_tokens']) });
}

function sum(objects: readonly JsonObject[], fields: readonly string[]): number | undefined {
  const numbers = objects.flatMap((object) => fields.map((field) => numberAt(object, field))).filter((value) => value !== undefined);
  return numbers.length === 0 ? undefined : numbers.reduce((total, value) => total + value, 0);
}

// A turn that never reached the model reports zeros, which are not measurements.
function known(usage: { readonly [field in keyof AgentUsage]: number | undefined }): AgentUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined && value > 0));
}

const AUTH = /invalid api key|please run \/login|not logged in|oauth token|authentication/i;
const QUOTA = /usage limit reached|hit your .*limit|rate limit|credit balance is too low/i;
const REFUSED = /usage policy|unable to respond to this request/i;
const UNAVAILABLE = /overloaded|connection error|internal server error/i;
const RESET = /usage limit reached\|(\d{10})\b/;

/** Returns why a turn failed, or undefined. `resetsAt` is the reported time when the account can be used again. */
export function failureIn(result: JsonObject, resetsAt: number | undefined): AttemptFailure | undefined {
  const texts = [valueAt(result, 'result'), ...listAt(result, 'errors')].filter((text) => typeof text === 'string' && text !== '');
  const message = texts.join('; ') || 'Claude Code failed without a reason';
  if (result.subtype === 'error_max_turns' || result.subtype === 'error_max_budget_usd') return { failure: 'budget', message };
  if (result.stop_reason === 'refusal') return { failure: 'refused', message };
  if (result.is_error !== true) return undefined;
  const status = numberAt(result, 'api_error_status');
  if (status === 429 || (status === undefined && QUOTA.test(message)) || /credit balance/i.test(message)) {
    return { failure: 'quota', message, ...omitUndefined({ resumeAt: resetsAt ?? resetIn(message) }) };
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
