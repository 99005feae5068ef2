import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { isEngineError } from '../base/error.ts';
import { readBody, readJsonBody } from './body.ts';
import type { ServerApp } from './route.ts';

function appOf(caller?: object): ServerApp {
  const app: ServerApp = new Hono();
  if (caller !== undefined)
    app.use(async (c, next) => {
      c.set('caller', caller as never);
      return next();
    });
  app.post('/', async (c) => c.text(String((await readBody(c, 10)).byteLength)));
  app.post('/large', async (c) => c.text(String((await readBody(c, 100 * MB)).byteLength)));
  app.post('/json', async (c) => c.text(JSON.stringify(await readJsonBody(c))));
  app.onError((error) => new Response(isEngineError(error) ? `${error.code}: ${error.message}` : `other: ${error.message}`));
  return app;
}

const MB = 1024 * 1024;

test('a body is read up to its limit, and not one byte more', async () => {
  const send = async (body: string): Promise<string> => (await appOf().request('/', { method: 'POST', body })).text();
  expect(await send('0123456789')).toBe('10');
  expect(await send('0123456789x')).toMatch(/^VALUE_TOO_LARGE/);
});

/** A body that sends `size` bytes and then stalls until `end` is called. */
function slowBody(size: number) {
  const part = new Uint8Array(MB);
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  let left = size;
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      control = controller;
    },
    pull: (controller) => {
      left -= MB;
      if (left >= 0) return controller.enqueue(part);
      resolve();
      return new Promise(() => undefined);
    },
  });
  return { body, taken, end: (error?: Error) => (error === undefined ? control?.close() : control?.error(error)) };
}

const post = (app: ServerApp, body: ReadableStream<Uint8Array>): Promise<Response> =>
  Promise.resolve(app.fetch(new Request('http://x/large', { method: 'POST', body, duplex: 'half' } as RequestInit)));

test('bodies share a bounded amount of memory without a login, and do not affect people who are logged in', {
  timeout: 20_000,
}, async () => {
  const anonymous = appOf();
  const held = [slowBody(40 * MB), slowBody(20 * MB)];
  const answers = held.map(({ body }) => post(anonymous, body));
  await Promise.all(held.map(({ taken }) => taken));
  const refused = await (await post(anonymous, slowBody(10 * MB).body)).text();
  expect(refused).toMatch(/^LIMIT_REACHED: the server is reading too many large requests/);
  const known = slowBody(50 * MB);
  const answer = post(appOf({ name: 'ann' }), known.body);
  await known.taken;
  for (const { end } of [...held, known]) end();
  expect(await (await answer).text()).toBe(String(50 * MB));
  for (const one of answers) expect((await one).status).toBe(200);
  const again = slowBody(30 * MB);
  const later = post(anonymous, again.body);
  await again.taken;
  again.end();
  expect(await (await later).text()).toBe(String(30 * MB));
});

test('bodies are not reported as server errors when the client aborts them', async () => {
  const { body, end } = slowBody(MB);
  const answer = post(appOf(), body);
  end(new Error('aborted'));
  expect(await (await answer).text()).toMatch(/^REQUEST_INVALID: the request ended before its body/);
});

describe('the JSON of a body', () => {
  const send = async (body: string): Promise<string> =>
    (await appOf().request('/json', { method: 'POST', body, headers: { 'content-type': 'application/json' } })).text();

  test.each([
    ['one name twice', '{"option":"no","option":"yes"}', /"option" twice/],
    ['one name twice, spelled differently', '{"a":{"option":"no","\\u006fption":"yes"}}', /"option" twice/],
    ['__proto__', '{"params":{"__proto__":{"x":1}}}', /"__proto__"/],
    ['__proto__ in another spelling', '{"params":{"\\u005f_proto__":{"x":1}}}', /"__proto__"/],
    ['a depth of 300', `${'['.repeat(300)}${']'.repeat(300)}`, /deeper than 250/],
    ['a depth of 300,000', `{"a":${'['.repeat(300_000)}${']'.repeat(300_000)}}`, /deeper than 250/],
    ['no end', '{"a":[1,2', /not JSON/],
    ['two values', '{} {}', /not JSON/],
  ])('a JSON body with %s is rejected', async (_, body, why) => {
    const problem = await send(body);
    expect(problem).toMatch(/^REQUEST_INVALID/);
    expect(problem).toMatch(why);
  });

  test.each([
    '{"a":"{\\"a\\":1,\\"a\\":2}","b":["a","a",{"a":1},{"a":2}],"c":{"a":{}}}',
    `${'['.repeat(250)}${']'.repeat(250)}`,
    '["a:", "\\\\", "\\"", "__proto__", "a\\\\\\""]',
    '"just text"',
  ])('a JSON body is parsed unchanged: %s', async (body) => {
    expect(JSON.parse(await send(body))).toEqual(JSON.parse(body));
  });
});
