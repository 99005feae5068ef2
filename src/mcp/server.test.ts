import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { serve, type ToolServer } from './server.ts';

const echo: ToolServer = {
  name: 'pawl',
  version: '1.2.3',
  instructions: 'Do one step.',
  tools: [{ name: 'echo', title: 'Echo', description: 'Repeats its argument.', inputSchema: { type: 'object' }, annotations: {} }],
  call: async (_, { say, wait }) => {
    if (say === 'crash') throw new Error('the tool broke');
    await (waits.get(wait as string) ?? Promise.resolve());
    return { text: String(say), isError: false };
  },
};
const waits = new Map<string, Promise<void>>();

/** The responses to lines, after which the client disconnects. */
async function answersTo(...lines: readonly (string | Json)[]): Promise<Record<string, Json>[]> {
  const input = new PassThrough();
  const answers: string[] = [];
  const done = serve(echo, input, (line) => answers.push(line));
  for (const line of lines) input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  input.end();
  await done;
  return answers.map((line) => JSON.parse(line) as Record<string, Json>);
}

const request = (id: number, method: string, params: Json = {}): Json => ({ jsonrpc: '2.0', id, method, params });
const initialize = (protocolVersion: Json): Json =>
  request(1, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } });
const meta = (version: string): Json => ({
  _meta: { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} },
});
const call = (id: number, args: Json): Json => request(id, 'tools/call', { name: 'echo', arguments: args });
const errorOf = (answer: Record<string, Json> | undefined): number => (answer?.error as unknown as { code: number } | undefined)?.code ?? 0;

describe('the negotiated version', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('the negotiated version %s is confirmed', async (version) => {
    const [answer] = await answersTo(initialize(version));
    expect(answer).toMatchObject({ id: 1, result: { protocolVersion: version, serverInfo: { name: 'pawl', version: '1.2.3' } } });
  });

  test.each(['2026-07-28', '2099-01-01', '1900-01-01', ''])(
    'the version "%s" is not confirmed; the newest version that can be negotiated is offered',
    async (version) => {
      const [answer] = await answersTo(initialize(version));
      expect(answer).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    },
  );

  test('a version that is not a string is rejected', async () => {
    expect(errorOf((await answersTo(initialize(7)))[0])).toBe(-32602);
  });

  test('before the handshake only a ping is answered', async () => {
    const [ping, list] = await answersTo(request(1, 'ping'), request(2, 'tools/list'));
    expect(ping).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(errorOf(list)).toBe(-32600);
  });

  test('a batch is accepted only in the version that has batches', async () => {
    const batch = [request(2, 'ping'), { jsonrpc: '2.0', method: 'notifications/initialized' }, call(3, { say: 'a' })];
    const [, answers] = await answersTo(initialize('2025-03-26'), batch);
    expect(answers).toMatchObject([{ id: 2 }, { id: 3, result: { content: [{ type: 'text', text: 'a' }] } }]);
    const [, refused] = await answersTo(initialize('2025-11-25'), batch);
    expect([refused?.id, errorOf(refused)]).toEqual([null, -32600]);
  });
});

describe('requests that name their version', () => {
  test('requests that name their version are served without a handshake, with a complete result that names the server', async () => {
    const [discovered, list, called] = await answersTo(
      request(1, 'server/discover', meta('2026-07-28')),
      request(2, 'tools/list', meta('2026-07-28')),
      request(3, 'tools/call', { ...(meta('2026-07-28') as object), name: 'echo', arguments: { say: 'hi' } }),
    );
    const served = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'pawl', version: '1.2.3' } } };
    expect(discovered?.result).toMatchObject({
      ...served,
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: {} },
      cacheScope: 'private',
    });
    expect(list?.result).toMatchObject({ ...served, tools: [{ name: 'echo' }], ttlMs: expect.any(Number) });
    expect(called?.result).toMatchObject({ ...served, content: [{ type: 'text', text: 'hi' }] });
  });

  test.each(['2025-11-25', '2099-01-01'])(
    'a request with the version %s is rejected with the list of supported versions',
    async (version) => {
      const [answer] = await answersTo(request(1, 'tools/list', meta(version)));
      expect(answer).toMatchObject({ id: 1, error: { code: -32022, data: { requested: version } } });
      expect((answer?.error as { data: { supported: string[] } } | undefined)?.data.supported).toContain('2026-07-28');
    },
  );

  test('requests without the capabilities of the client, or without the version, are rejected', async () => {
    const [bare, none] = await answersTo(
      request(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
      request(2, 'server/discover'),
    );
    expect([errorOf(bare), errorOf(none)]).toEqual([-32602, -32602]);
  });

  test('requests that name their version have no ping, and after a discovery the client can still negotiate an older version', async () => {
    const [ping, discovered, agreed] = await answersTo(
      request(1, 'ping', meta('2026-07-28')),
      request(2, 'server/discover', meta('2026-07-28')),
      initialize('2025-11-25'),
    );
    expect([errorOf(ping), discovered?.id, agreed?.id]).toEqual([-32601, 2, 1]);
  });
});

describe('a hostile client', () => {
  test.each<[string, string | Json, number]>([
    ['garbage', '\u0000{not json', -32700],
    ['no version of JSON-RPC', { id: 9, method: 'ping' }, -32600],
    ['a method that is not a string', { jsonrpc: '2.0', id: 9, method: 7 }, -32600],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, -32600],
    ['parameters that are a list', { jsonrpc: '2.0', id: 9, method: 'ping', params: [] }, -32602],
    ['a number alone', 7, -32600],
    ['an unknown method', request(9, 'gates/approve'), -32601],
    ['an unknown tool', request(9, 'tools/call', { name: 'pawl_approve' }), -32602],
    ['a tool named like a property of every object', request(9, 'tools/call', { name: 'toString' }), -32602],
    ['arguments that are a string', request(9, 'tools/call', { name: 'echo', arguments: 'x' }), -32602],
    ['a tool that throws', call(9, { say: 'crash' }), -32603],
  ])('a hostile message is answered with an error, and the next request is served: %s', async (_, message, code) => {
    const answers = await answersTo(initialize('2025-11-25'), message, call(2, { say: 'still here' }));
    expect(answers.map(errorOf)).toContain(code);
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: { content: [{ text: 'still here' }] } });
  });

  test('a message that is too long is rejected and not buffered, and the next one is read', async () => {
    const answers = await answersTo(`"${'x'.repeat(4 * 1024 * 1024)}"`, request(2, 'ping'));
    expect(answers.map((answer) => [answer.id, errorOf(answer)])).toEqual([
      [null, -32600],
      [2, 0],
    ]);
  });

  test('responses, empty lines and notifications get no response', async () => {
    expect(await answersTo('', '  ', { jsonrpc: '2.0', id: 4, result: {} }, { jsonrpc: '2.0', method: 'notifications/whatever' })).toEqual(
      [],
    );
  });
});

test('a cancelled request gets no response, and a slow one does not block others', async () => {
  let go = (): void => undefined;
  waits.set('long', new Promise((resolve) => (go = resolve)));
  const input = new PassThrough();
  const answers: Record<string, Json>[] = [];
  const done = serve(echo, input, (line) => {
    const answer = JSON.parse(line) as Record<string, Json>;
    answers.push(answer);
    if (answer.id === 4) go();
  });
  const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  const again = call(3, { say: 'same id' });
  for (const one of [
    initialize('2025-11-25'),
    call(2, { say: 'a', wait: 'long' }),
    call(3, { say: 'b', wait: 'long' }),
    again,
    note,
    call(4, { say: 'c' }),
  ])
    input.write(`${JSON.stringify(one)}\n`);
  input.end();
  await done;
  expect(answers.map(({ id, error }) => [id, error === undefined])).toEqual([
    [1, true],
    [3, false],
    [4, true],
    [3, true],
  ]);
});
