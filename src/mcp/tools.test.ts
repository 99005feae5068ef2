import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../api/engine.ts';
import { type AttendedHost, AttendedSession } from '../attended/session.ts';
import { EngineError } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { defineWorkflow } from '../compat/index.ts';
import { serve, type ToolAnswer } from './server.ts';
import { type ServerOptions, serverOf } from './tools.ts';

let engine: Engine;
/** Ends the long step. */
let finish: () => void;
let finished: Promise<void>;
beforeEach(async () => {
  ({ promise: finished, resolve: finish } = Promise.withResolvers<void>());
  engine = await createEngine({ workflows: [chapters, slow, asking, parted, text], drives: 'own' });
});
afterEach(() => {
  finish();
  return engine.close({ abort: true });
});

const ITEMS = Array.from({ length: 60 }, (_, index) => `chapter-${index + 1}`);
const chapters = defineWorkflow({
  name: 'chapters',
  params: { parts: { description: 'which', type: 'json', required: false, default: ITEMS } },
  steps: [{ id: 'write', parallel: true, parallelKey: 'parts', agent: 'worker', prompt: `Write it. ${'Well. '.repeat(60)}`, next: null }],
});
const parted = defineWorkflow({
  name: 'parted',
  params: { parts: { description: 'which', type: 'json', required: false, default: ['one', 'two'] } },
  steps: [
    {
      id: 'do',
      parallel: true,
      parallelKey: 'parts',
      agent: 'worker',
      prompt: 'Do it.',
      postconditions: [{ name: 'good', check: (ctx) => ctx.item === 'two', error: 'it is not good' }],
      next: null,
    },
  ],
});
const text = defineWorkflow({ name: 'text', steps: [{ id: 'write', generate: 'writer', prompt: 'Write it.', next: null }] });
const slow = defineWorkflow({
  name: 'slow',
  steps: [
    { id: 'build', handler: () => finished, next: 'look' },
    { id: 'look', agent: 'worker', prompt: 'Look at it.', next: null },
  ],
});
const asking = defineWorkflow({
  name: 'asking',
  steps: [
    { id: 'do', agent: 'worker', prompt: 'Do it.', supportsQuestions: true, next: 'ship' },
    { id: 'ship', human: { prompt: 'Ship it?', options: [{ label: 'yes' }] }, next: null },
  ],
});

function toolsOf(host: Partial<AttendedHost>, mayStart = true, more: Partial<ServerOptions> = {}): ReturnType<typeof serverOf> {
  const whole: AttendedHost = {
    open: async () => engine,
    start: async ({ workflow }) => ({ engine, run: (await engine.start(workflow, {}, { facts: { $attended: true } })).id }),
    offers: async () => ({ workflows: [], untrusted: 0 }),
    remember: () => undefined,
    openRuns: async () => [],
    assign: () => undefined,
    ...host,
  };
  return serverOf(new AttendedSession(whole, { runs: [], waitMs: 5000 }), { version: '1', mayStart, ...more });
}

const context = { signal: new AbortController().signal, client: { name: 'x', elicits: false } };
const callOf =
  ({ call }: ReturnType<typeof serverOf>) =>
  (name: string, args: JsonObject): ReturnType<typeof call> =>
    call(name, args, context);

test('no tool decides, answers, cancels, or accepts unknown fields; a session for given runs starts none', async () => {
  const names = (mayStart: boolean): string[] => toolsOf({}, mayStart).tools.map(({ name }) => name);
  expect(names(true)).toEqual(['pawl_start', 'pawl_next', 'pawl_report', 'pawl_ask', 'pawl_assume', 'pawl_status']);
  expect(names(false)).toEqual(['pawl_next', 'pawl_report', 'pawl_ask', 'pawl_assume', 'pawl_status']);
  const call = callOf(toolsOf({}));
  for (const args of [{}, { token: 1 }, { token: 'x', more: 1 }, { token: 'x', result: 1, failure: 'y' }])
    expect(await call('pawl_report', args)).toMatchObject({ isError: true, text: expect.stringContaining('[USAGE]') });
  expect(await call('pawl_start', { workflow: 'nowhere' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('[WORKFLOW_UNKNOWN]'),
  });
});

test('a failure of any kind is an answer with its code', async () => {
  const call = callOf(
    toolsOf({
      start: () => Promise.reject(new TypeError('a bug')),
      offers: () => Promise.reject(new EngineError('STORE_FULL', 'the disk is full')),
    }),
  );
  expect(await call('pawl_start', { workflow: 'x' })).toEqual({ isError: true, text: 'a bug [INTERNAL]' });
  expect(await call('pawl_status', {})).toEqual({ isError: true, text: 'the disk is full [STORE_FULL]' });
});

const tokensIn = (text: string): string[] => [...text.matchAll(/^Token: (\S+)$/gm)].map(([, token]) => token as string);
const listedIn = (text: string): string[] => [...text.matchAll(/^- "write", item "\S+": (\S+)$/gm)].map(([, token]) => token as string);

/** The text of an answer. */
async function textOf(answer: Promise<ToolAnswer>): Promise<string> {
  const given = await answer;
  return 'text' in given ? given.text : 'asks';
}

describe('with 60 open items', () => {
  test('with 60 open items every answer stays under 4 kB, has what is new for the caller, and lists the others by page', async () => {
    const call = callOf(toolsOf({}));
    const first = await textOf(call('pawl_start', { workflow: 'chapters' }));
    const report = await textOf(call('pawl_report', { token: tokensIn(first)[0] as string, result: 1 }));
    const pages = await Promise.all([1, 2, 3].map((page) => textOf(call('pawl_next', { page }))));
    for (const text of [first, report, ...pages]) expect(text.length).toBeLessThan(4000);
    expect(report).toMatch(/^Accepted: step "write" is done\./);
    expect(tokensIn(report).filter((token) => tokensIn(first).includes(token))).toEqual([]);
    expect(tokensIn(report).length).toBeGreaterThan(0);
    expect(report).toContain('other steps are open; pawl_next lists them');
    const all = pages.flatMap((text) => [...tokensIn(text), ...listedIn(text)]);
    expect([all.length, new Set(all).size]).toEqual([59, 59]);
    const last = await textOf(call('pawl_next', { item: 'chapter-60' }));
    expect([tokensIn(last).length, last.includes('item "chapter-60"')]).toEqual([1, true]);
  });
});

test('a sub-agent with a token gets its step only, and nothing else after its report', async () => {
  const call = callOf(toolsOf({}));
  const [one = '', two = ''] = tokensIn(await textOf(call('pawl_start', { workflow: 'parted' })));
  expect(tokensIn(await textOf(call('pawl_next', { token: two })))).toEqual([two]);
  const refused = await textOf(call('pawl_report', { token: one, only: true }));
  expect(refused).toMatch(/^NOT accepted: step "do" is not done: .*it is not good/s);
  expect([tokensIn(refused).length, refused.includes('item "one", attempt 2'), refused.includes(two)]).toEqual([1, true, false]);
  const done = await textOf(call('pawl_report', { token: two, only: true }));
  expect(done).toBe('Accepted: step "do" is done.\n\nThere is nothing left to do for you.');
});

test('a step that gives text says that its result must be a string', async () => {
  const call = callOf(toolsOf({}));
  const open = await textOf(call('pawl_start', { workflow: 'text' }));
  expect(open).toContain('## How to report\nThe result must be a JSON string.\n');
});

test('a failure that the agent reports is recorded, not rejected', async () => {
  const call = callOf(toolsOf({}));
  const [token = ''] = tokensIn(await textOf(call('pawl_start', { workflow: 'asking' })));
  expect(await textOf(call('pawl_report', { token, failure: 'no network' }))).toMatch(
    /^The failure of step "do" is recorded: .*no network/,
  );
});

/** A client on a stream, which answers the requests of the server. */
function clientOf(server: ReturnType<typeof serverOf>, reply: (params: JsonObject) => JsonObject = () => ({ action: 'decline' })) {
  const input = new PassThrough();
  const received: JsonObject[] = [];
  const watchers = new Set<() => void>();
  const say = (message: Json): void => void input.write(`${JSON.stringify(message)}\n`);
  const done = serve(server, input, (line) => {
    const message = JSON.parse(line) as JsonObject;
    received.push(message);
    if (message.method === 'elicitation/create')
      say({ jsonrpc: '2.0', id: message.id ?? null, result: reply(message.params as JsonObject) });
    for (const look of watchers) look();
  });
  const until = (fits: (message: JsonObject) => boolean): Promise<JsonObject> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = received.find(fits);
        if (found !== undefined) resolve(found);
      };
      watchers.add(look);
      look();
    });
  let id = 0;
  const request = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    id += 1;
    const own = id;
    say({ jsonrpc: '2.0', id: own, method, params });
    return until((message) => message.id === own && message.method === undefined);
  };
  const close = (): Promise<void> => {
    input.end();
    return done;
  };
  return { received, say, until, request, close };
}

const textIn = (response: JsonObject): string => (response.result as { content: { text: string }[] }).content[0]?.text ?? '';
const initialize = (capabilities: JsonObject = {}): JsonObject => ({
  protocolVersion: '2025-11-25',
  capabilities,
  clientInfo: { name: 'tester', version: '1' },
});
const META = 'io.modelcontextprotocol/';
const stateless = (capabilities: JsonObject = {}): JsonObject => ({
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientCapabilities`]: capabilities,
  [`${META}clientInfo`]: { name: 'tester' },
});

describe.each([
  ['that negotiated its version', {}],
  ['whose requests name their version', stateless()],
])('a client %s', (_, meta) => {
  test('a client that asked for progress is notified of what the engine does until the step is open', async () => {
    const { received, request, until, close } = clientOf(toolsOf({}, true, { progressMs: 5 }));
    await request('initialize', initialize());
    const started = request('tools/call', { name: 'pawl_start', arguments: { workflow: 'slow' }, _meta: { ...meta, progressToken: 'p' } });
    const notified = await until(
      ({ method, params }) => method === 'notifications/progress' && String((params as JsonObject).message).includes('build'),
    );
    expect(notified.params).toMatchObject({
      progressToken: 'p',
      message: expect.stringMatching(/^Run \w+: step "build" running for \d+ s$/),
    });
    finish();
    expect(textIn(await started)).toContain('Look at it.');
    const steps = received
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => (params as { progress: number }).progress);
    expect(steps).toEqual(steps.map((__, index) => index + 1));
    await close();
  });

  test('a client that cancels a long call gets no response; the run continues, and the next call returns the step', async () => {
    const { received, say, request, until, close } = clientOf(toolsOf({}, true, { progressMs: 5 }));
    await request('initialize', initialize());
    say({
      jsonrpc: '2.0',
      id: 'long',
      method: 'tools/call',
      params: { name: 'pawl_start', arguments: { workflow: 'slow' }, _meta: { ...meta, progressToken: 1 } },
    });
    // Before that the run may not have been started yet.
    await until(({ method, params }) => method === 'notifications/progress' && JSON.stringify(params).includes('build'));
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
    finish();
    expect(textIn(await request('tools/call', { name: 'pawl_next', arguments: {}, _meta: { ...meta, progressToken: 2 } }))).toContain(
      'Look at it.',
    );
    await close();
    expect(received.some(({ id }) => id === 'long')).toBe(false);
  });
});

const FORMS: Partial<ServerOptions> = { forms: { actorFor: ({ name }) => `ann via elicitation in ${name}` } };
const QUESTIONS = [{ header: 'Colour', question: 'Which colour?', options: ['red', 'blue'] }];

/** Starts a run whose agent asks, and returns its id and the answer of the server to the question. */
async function askedOver(
  client: ReturnType<typeof clientOf>,
  meta: JsonObject,
): Promise<{ readonly run: string; readonly answer: JsonObject; readonly call: JsonObject }> {
  const started = textIn(await client.request('tools/call', { name: 'pawl_start', arguments: { workflow: 'asking' }, _meta: meta }));
  const call = { name: 'pawl_ask', arguments: { token: tokensIn(started)[0] as string, questions: QUESTIONS }, _meta: meta };
  return { run: /Run (\w+)/.exec(started)?.[1] ?? '', answer: await client.request('tools/call', call), call };
}

const answersOf = async (run: string): Promise<string> =>
  JSON.stringify((await engine.store.events(run, 0)).flatMap(({ events }) => events));

describe('questions of an agent in a form of the client', () => {
  test('questions in a form are answered by the person, on record with who and how; the step is open again with the answer', async () => {
    const asked: JsonObject[] = [];
    const client = clientOf(toolsOf({}, true, FORMS), (params) => {
      asked.push(params);
      return { action: 'accept', content: { answer1: 'blue' } };
    });
    await client.request('initialize', initialize({ elicitation: {} }));
    const { run, answer } = await askedOver(client, {});
    expect(asked).toEqual([
      {
        mode: 'form',
        message: 'The agent at step "do" of workflow "asking" asks:',
        requestedSchema: {
          type: 'object',
          properties: { answer1: { type: 'string', title: 'Colour', description: 'Which colour?', enum: ['red', 'blue'] } },
          required: ['answer1'],
        },
      },
    ]);
    expect(textIn(answer)).toContain('blue');
    expect(await answersOf(run)).toContain('ann via elicitation in tester');
    await client.close();
  });

  test('questions come as a result that asks for input if requests name their version, and the repeated request has the answers', async () => {
    const meta = stateless({ elicitation: { form: {} } });
    const client = clientOf(toolsOf({}, true, FORMS));
    const { run, answer, call } = await askedOver(client, meta);
    expect(answer.result).toMatchObject({ resultType: 'input_required' });
    const [[name = '', request] = []] = Object.entries((answer.result as { inputRequests: JsonObject }).inputRequests);
    expect(request).toMatchObject({ method: 'elicitation/create', params: { mode: 'form' } });
    const forged = await client.request('tools/call', {
      ...call,
      inputResponses: { other: { action: 'accept', content: { answer1: 'red' } } },
    });
    expect(textIn(forged)).toContain('left the questions for later');
    const again = await client.request('tools/call', {
      ...call,
      inputResponses: { [name]: { action: 'accept', content: { answer1: 'blue' } } },
    });
    expect(textIn(again)).toContain('blue');
    expect(await answersOf(run)).toContain('ann via elicitation in tester');
    expect(client.received.some(({ method }) => method === 'elicitation/create')).toBe(false);
    await client.close();
  });

  test.each([
    ['is not asked where the user did not allow it', {}, { elicitation: {} }],
    ['is not asked when it has no forms', FORMS, {}],
    ['is not asked when it has only links', FORMS, { elicitation: { url: {} } }],
  ])('a client %s', async (__, options, capabilities: JsonObject) => {
    const client = clientOf(toolsOf({}, true, options), () => ({ action: 'accept', content: { answer1: 'blue' } }));
    await client.request('initialize', initialize(capabilities));
    const { run, answer } = await askedOver(client, {});
    expect(textIn(answer)).toContain('waiting for a person to answer the questions');
    expect(client.received.some(({ method }) => method === 'elicitation/create')).toBe(false);
    expect(await answersOf(run)).not.toContain('elicitation');
    await client.close();
  });

  test('questions that the person declines, or answers with nothing, keep waiting; an approval is never asked for', async () => {
    let content: JsonObject | undefined;
    const client = clientOf(toolsOf({}, true, FORMS), () =>
      content === undefined ? { action: 'decline' } : { action: 'accept', content },
    );
    await client.request('initialize', initialize({ elicitation: {} }));
    const { answer } = await askedOver(client, {});
    expect(textIn(answer)).toMatch(/^The person left the questions for later\./);
    content = { answer1: 7 };
    expect(textIn(await client.request('tools/call', { name: 'pawl_next', arguments: {} }))).toMatch(/^The person left/);
    content = { answer1: 'red' };
    const opened = textIn(await client.request('tools/call', { name: 'pawl_next', arguments: {} }));
    const before = client.received.filter(({ method }) => method === 'elicitation/create').length;
    const waiting = textIn(
      await client.request('tools/call', { name: 'pawl_report', arguments: { token: tokensIn(opened)[0] as string } }),
    );
    expect(waiting).toContain('waiting for a person to decide (step "ship")');
    expect(client.received.filter(({ method }) => method === 'elicitation/create')).toHaveLength(before);
    await client.close();
  });
});
