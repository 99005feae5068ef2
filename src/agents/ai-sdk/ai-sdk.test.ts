import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { createAgentRequest, type DriverBehaviour, describeDriver } from '../../proof/driver-suite.ts';
import type { AgentAnswer, AgentDriver, AgentEvent, AgentRequest } from '../driver.ts';
import { createAiSdkDriver } from './ai-sdk.ts';

/** How the model handles a call. */
type Turn =
  | { readonly text: string; readonly finish?: string; readonly usage?: JsonObject; readonly afterMs?: number }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: Json }
  | 'silence'
  | 'disconnects';

type Model = (body: JsonObject, call: number) => Turn;

const servers: (() => void)[] = [];
afterAll(() => {
  for (const close of servers) close();
});
let open = 0;

/** A driver for a model behind an OpenAI-compatible API on loopback, and the calls it received. */
async function driverFor(model: Model, isStrict = true): Promise<{ readonly driver: AgentDriver; readonly calls: JsonObject[] }> {
  const calls: JsonObject[] = [];
  const server = createServer(async (request, response) => {
    open++;
    response.once('close', () => open--);
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as JsonObject;
    calls.push(body);
    const turn = model(body, calls.length);
    if (typeof turn === 'object' && 'afterMs' in turn) setTimeout(() => answer(response, turn), turn.afterMs);
    else answer(response, turn);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider = createOpenAICompatible({ name: 'stub', baseURL, apiKey: 'key', supportsStructuredOutputs: isStrict });
  return { driver: createAiSdkDriver({ model: (name) => provider(name ?? 'small') }), calls };
}

function answer(response: ServerResponse, turn: Turn): void {
  if (turn === 'silence') return;
  if (turn === 'disconnects') return void response.destroy();
  const isError = 'status' in turn;
  response.writeHead(isError ? turn.status : 200, { 'content-type': 'application/json', ...(isError ? turn.headers : {}) });
  if (isError) return void response.end(JSON.stringify(turn.body ?? { error: { message: 'no' } }));
  const { text, finish = 'stop', usage } = turn;
  const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }];
  const message = { id: 'x', object: 'chat.completion', created: 1, model: 'small', choices, ...(usage === undefined ? {} : { usage }) };
  response.end(JSON.stringify(message));
}

function lastMessage({ messages }: JsonObject): string {
  const last = Array.isArray(messages) ? (messages.at(-1) as Json) : null;
  return isJsonObject(last) ? String(last.content) : '';
}

const INSTRUCTIONS = '\n\n## How to answer\n';
const replyWith = (output: Json, success = true): Turn => ({ text: `Done.\n${JSON.stringify({ success, output })}` });

function modelOf(behaviour: DriverBehaviour): Model {
  return (body) => {
    const message = lastMessage(body);
    switch (behaviour.agent) {
      case 'answers':
        return replyWith(behaviour.output, behaviour.success);
      case 'echoes':
        return replyWith({ prompt: message.split(INSTRUCTIONS)[0] as string });
      case 'corrects':
        return replyWith(message.includes(behaviour.feedback) ? { corrected: true } : behaviour.first);
      case 'hangs':
        behaviour.begun();
        return 'silence';
      case 'crashes':
        return 'disconnects';
      default:
        return { text: 'It went well, I think.' };
    }
  };
}

describeDriver('ai-sdk', {
  traits: ['repair'],
  create: async (behaviour) => (await driverFor(modelOf(behaviour))).driver,
  running: async () => {
    // The server detects a closed connection a moment later.
    await expect.poll(() => open).toBe(0);
    return open;
  },
});

const TEXT = { type: 'string' };
const OBJECT = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };

interface AskResult {
  readonly answer: AgentAnswer;
  readonly calls: readonly JsonObject[];
  readonly events: readonly AgentEvent[];
}

async function ask(model: Model, fields: Partial<AgentRequest> = {}, isStrict = true): Promise<AskResult> {
  const { driver, calls } = await driverFor(model, isStrict);
  const events: AgentEvent[] = [];
  const onEvent = (event: AgentEvent): void => void events.push(event);
  return { answer: await driver.ask(createAgentRequest({ cwd: tmpdir(), onEvent, ...fields })), calls, events };
}

describe('text', () => {
  test('text is the output as the model wrote it, and the prompt has no reply instructions', async () => {
    const text = '# Title\n\n{"success": false} is not meant for us\n';
    const { answer, calls, events } = await ask(() => ({ text }), { schema: TEXT, prompt: 'Write a title' });
    expect(answer).toMatchObject({ kind: 'answered', success: true, output: text });
    expect(calls).toMatchObject([{ model: 'small', messages: [{ role: 'user', content: 'Write a title' }] }]);
    expect(events).toEqual([{ kind: 'text', text }]);
  });

  test('text that is empty or invalid is requested once more', async () => {
    const check: AgentRequest['check'] = ({ output }) => (output === 'long' ? 'it is too long' : undefined);
    const { answer, calls } = await ask((_, call) => ({ text: call === 1 ? 'long' : 'short' }), { schema: TEXT, check });
    expect(answer).toMatchObject({ kind: 'answered', output: 'short' });
    expect(lastMessage(calls[1] as JsonObject)).toContain('it is too long');
    expect((await ask(() => ({ text: ' ' }), { schema: TEXT })).answer).toMatchObject({ kind: 'failed', failure: 'invalid-output' });
  });

  test('text that is truncated is not accepted', async () => {
    const { answer } = await ask(() => ({ text: 'Once upon', finish: 'length' }), { schema: TEXT });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'budget' });
  });
});

describe('structured output', () => {
  test('structured output is constrained by the schema in the model, and is the output', async () => {
    const { answer, calls } = await ask(() => ({ text: '{"success":true,"output":{"n":1}}' }), { schema: OBJECT });
    expect(answer).toMatchObject({ kind: 'answered', success: true, output: { n: 1 } });
    expect(calls).toMatchObject([
      { response_format: { type: 'json_schema', json_schema: { schema: { properties: { output: OBJECT } } } } },
    ]);
  });

  test('structured output of a model without schema support is parsed from its text', async () => {
    const { answer } = await ask(() => replyWith({ n: 1 }), { schema: OBJECT }, false);
    expect(answer).toMatchObject({ kind: 'answered', output: { n: 1 } });
  });

  test('structured output keeps the definitions at the root of a schema', async () => {
    const schema = { $defs: { n: { type: 'integer' } }, type: 'object', properties: { n: { $ref: '#/$defs/n' } } };
    const { calls } = await ask(() => replyWith({ n: 1 }), { schema });
    expect(calls).toMatchObject([{ response_format: { json_schema: { schema: { $defs: { n: { type: 'integer' } } } } } }]);
  });

  test('structured output that is not JSON is requested again, and fails the second time', async () => {
    const { answer, calls } = await ask(() => ({ text: 'n is 1' }), { schema: OBJECT });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'invalid-output', usage: { turns: 2 } });
    expect(calls[1]).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant', content: 'n is 1' }, { role: 'user' }] });
  });
});

test('usage is reported by the provider; an unknown part makes the sum unknown', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const reported = await ask(() => ({ text: 'x', usage }), { schema: TEXT });
  expect(reported.answer.usage).toEqual({ inputTokens: 10, outputTokens: 5, turns: 1 });
  expect((await ask(() => ({ text: 'x' }), { schema: TEXT })).answer.usage).toEqual({ turns: 1 });
  const both = await ask((_, call) => ({ text: call === 1 ? '' : 'x', usage }), { schema: TEXT });
  expect(both.answer.usage).toEqual({ inputTokens: 20, outputTokens: 10, turns: 2 });
  const half = await ask((_, call) => (call === 1 ? { text: '', usage } : { text: 'x' }), { schema: TEXT });
  expect(half.answer.usage).toEqual({ turns: 2 });
});

test('the role chooses the model, and the budget limits its output tokens', async () => {
  const { calls } = await ask(() => ({ text: 'x' }), { schema: TEXT, model: 'big', budget: { tokens: 77 } });
  expect(calls).toMatchObject([{ model: 'big', max_tokens: 77 }]);
});

test('a model has no sessions: the prompt begins with the handover, and the session is reported as lost', async () => {
  const session = { id: 'old', handover: 'Before that' };
  const { answer, calls } = await ask(() => ({ text: 'x' }), { schema: TEXT, prompt: 'Go on', session });
  expect(lastMessage(calls[0] as JsonObject)).toBe('Before that\n\nGo on');
  expect(answer).toMatchObject({ kind: 'answered', sessionLost: true });
});

test("secrets are masked in the model's events", async () => {
  const redactor = { text: (text: string) => text.replaceAll('hush', '***'), stream: () => null as never };
  const { events } = await ask(() => ({ text: 'a hush' }), { schema: TEXT, redactor });
  expect(events).toEqual([{ kind: 'text', text: 'a ***' }]);
});

describe('failures', () => {
  test.each<[string, Turn, string]>([
    ['an invalid key', { status: 401 }, 'auth'],
    ['a forbidden model', { status: 403 }, 'auth'],
    ['an empty account', { status: 402 }, 'quota'],
    ['an unavailable server', { status: 503 }, 'unavailable'],
    ['a filter of the API', { status: 400, body: { error: { message: 'no', code: 'content_filter' } } }, 'refused'],
    ['a filter of the model', { text: '', finish: 'content_filter' }, 'refused'],
  ])('a failure is classified: %s', async (_what, turn, failure) => {
    const { answer, calls } = await ask(() => turn, { schema: TEXT });
    expect(answer).toMatchObject({ kind: 'failed', failure });
    expect(calls).toHaveLength(1);
  });

  test.each<[string, Readonly<Record<string, string>>, (resumeAt: number, before: number) => void]>([
    ['in seconds', { 'retry-after': '90' }, (at, before) => expect(at - before).toBeGreaterThanOrEqual(90_000)],
    ['in milliseconds', { 'retry-after-ms': '1500' }, (at, before) => expect(at - before).toBeGreaterThanOrEqual(1500)],
    [
      'as a date',
      { 'retry-after': 'Wed, 21 Oct 2037 07:28:00 GMT' },
      (at) => expect(new Date(at).toISOString()).toBe('2037-10-21T07:28:00.000Z'),
    ],
  ])('a quota failure has its reset time: %s', async (_how, headers, check) => {
    const before = Date.now();
    const { answer } = await ask(() => ({ status: 429, headers }), { schema: TEXT });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'quota' });
    check((answer as { readonly resumeAt: number }).resumeAt, before);
  });

  test('a quota failure without a reset time has no resumeAt', async () => {
    const { answer } = await ask(() => ({ status: 429, headers: { 'retry-after': 'soon' } }), { schema: TEXT });
    expect(answer).not.toHaveProperty('resumeAt');
  });

  test('a missing key is an auth failure, before any call', async () => {
    const { LoadAPIKeyError } = await import('ai');
    const driver = createAiSdkDriver({
      model: () => {
        throw new LoadAPIKeyError({ message: 'set STUB_API_KEY' });
      },
    });
    const answer = await driver.ask(createAgentRequest({ cwd: tmpdir() }));
    expect(answer).toMatchObject({ kind: 'failed', failure: 'auth', message: 'set STUB_API_KEY' });
  });

  test('a package that is not installed is a crash', async () => {
    const load = () => Promise.reject(new Error('the package "ai" cannot be loaded'));
    const answer = await createAiSdkDriver({ model: 'x/y', load }).ask(createAgentRequest({ cwd: tmpdir() }));
    expect(answer).toMatchObject({ kind: 'failed', failure: 'crash', message: expect.stringContaining('"ai"') });
  });

  test('a silent model is a timeout', async () => {
    const { answer } = await ask(() => 'silence', { watchdogs: { idleMs: 50 } });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'timeout', message: expect.stringContaining('silent for 50 ms') });
  });

  test('silence is measured in one answer, not summed over two', async () => {
    const slowly = (_: JsonObject, call: number): Turn => ({ text: call === 1 ? '' : 'x', afterMs: 1100 });
    expect((await ask(slowly, { schema: TEXT, watchdogs: { idleMs: 2000 } })).answer).toMatchObject({ kind: 'answered', output: 'x' });
  });

  test('a model that ignores its signal is a timeout', async () => {
    const driver = createAiSdkDriver({ model: () => new Promise<never>(() => {}) });
    const answer = await driver.ask(createAgentRequest({ cwd: tmpdir(), timeoutMs: 50 }));
    expect(answer).toMatchObject({ kind: 'failed', failure: 'timeout', message: expect.stringContaining('longer than 50 ms') });
  });
});

test('warnings about unsupported features are not printed', async () => {
  Reflect.deleteProperty(globalThis, 'AI_SDK_LOG_WARNINGS');
  const printed: Error[] = [];
  const onWarning = (warning: Error): void => void printed.push(warning);
  process.on('warning', onWarning);
  await ask(() => replyWith({ n: 1 }), { schema: OBJECT }, false);
  await setImmediate();
  process.off('warning', onWarning);
  expect(printed).toEqual([]);
});
