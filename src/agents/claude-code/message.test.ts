import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { parseMessage } from '../json-message.ts';
import { failureIn, usageOf } from './message.ts';

const turn = (fields: JsonObject): JsonObject => ({ type: 'result', subtype: 'success', is_error: false, result: 'x', ...fields });

test.each(['', 'A new version is available', '{"type": "resu', '[1]', '{}}'])('a line that is not a message is ignored: %j', (line) => {
  expect(parseMessage(line)).toBeUndefined();
});

describe('failed turns', () => {
  test.each<[string, JsonObject, string]>([
    ['its turns are used up', { subtype: 'error_max_turns', is_error: true }, 'budget'],
    ['its money is used up', { subtype: 'error_max_budget_usd', is_error: true }, 'budget'],
    ['the model refused', { stop_reason: 'refusal' }, 'refused'],
    ['the request was refused', { is_error: true, result: 'API Error: this appears to violate our Usage Policy' }, 'refused'],
    ['the status is about the login', { is_error: true, api_error_status: 401 }, 'auth'],
    ['only the text is about the login', { is_error: true, result: 'Invalid API key · Please run /login' }, 'auth'],
    ['the status is about the limit', { is_error: true, api_error_status: 429 }, 'quota'],
    ['only the text is about the limit', { is_error: true, result: "You've hit your 5-hour limit · resets 3am (UTC)" }, 'quota'],
    ['the account has no money', { is_error: true, api_error_status: 400, result: 'Credit balance is too low' }, 'quota'],
    ['the server failed', { is_error: true, api_error_status: 529, result: 'Overloaded' }, 'unavailable'],
    ['there is no text', { subtype: 'error_during_execution', is_error: true, result: '' }, 'crash'],
  ])('a failed turn has a class: %s', (_what, fields, failure) => {
    expect(failureIn(turn(fields), undefined)).toMatchObject({ failure, message: expect.stringMatching(/./) });
  });

  test('a result that is not an error is not a failed turn', () => {
    expect(failureIn(turn({ result: 'the rate limit of the invalid api key is documented now' }), undefined)).toBeUndefined();
  });

  test('a failed turn has the time when the account can be used again, from the event or its text', () => {
    const limit = turn({ is_error: true, api_error_status: 429 });
    expect(failureIn(limit, 5000)).toMatchObject({ resumeAt: 5000 });
    expect(failureIn(limit, undefined)).not.toHaveProperty('resumeAt');
    const text = turn({ is_error: true, result: 'Claude AI usage limit reached|1794799339' });
    expect(failureIn(text, undefined)).toMatchObject({ failure: 'quota', resumeAt: 1_794_799_339_000 });
  });
});

describe('usage', () => {
  const models = {
    a: { inputTokens: 1, cacheReadInputTokens: 2, outputTokens: 3, costUSD: 0.5 },
    b: { inputTokens: 4, outputTokens: 5, costUSD: 0.25 },
  };

  test('the usage of a turn is the sum over all its models', () => {
    const result = turn({ num_turns: 2, model_usage_since_last_result: models, usage: { input_tokens: 1 }, total_cost_usd: 9 });
    expect(usageOf(result, true)).toEqual({ inputTokens: 7, outputTokens: 8, costUsd: 0.75, turns: 2 });
  });

  test("the usage of a turn does not use the session's cost, even if only that is reported", () => {
    const result = turn({ num_turns: 1, usage: { input_tokens: 3, output_tokens: 4 }, total_cost_usd: 9 });
    expect(usageOf(result, true)).toEqual({ inputTokens: 3, outputTokens: 4, costUsd: 9, turns: 1 });
    expect(usageOf(result, false)).toEqual({ inputTokens: 3, outputTokens: 4, turns: 1 });
  });

  test('the usage of a turn is unknown if the turn did not reach the model', () => {
    const zeros = { usage: { input_tokens: 0, output_tokens: 0 }, total_cost_usd: 0, num_turns: 1, model_usage_since_last_result: {} };
    expect(usageOf(turn(zeros), true)).toEqual({});
    expect(usageOf(turn({}), true)).toEqual({});
  });
});
