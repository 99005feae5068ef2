import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { type AttemptFields, createAttemptRequest } from '../../proof/attempt-request.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import type { StepServices } from '../../steps/services.ts';
import { REGISTRY } from '../registry.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let seen: Seen[] = [];
let answer: { readonly status: number; readonly body: string; readonly headers?: Record<string, string> };
let onRequest: () => void;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  seen.push({ method: request.method, url: request.url, headers: request.headers, body });
  onRequest();
  response.writeHead(answer.status, answer.headers).end(answer.body);
});
let host = '';
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  seen = [];
  answer = { status: 200, body: '{"approved":true,"by":{"name":"ann","role":"lead"}}' };
  onRequest = () => {};
});

function send(config: JsonObject, services: Partial<StepServices> = {}, fields: Partial<AttemptFields> = {}) {
  const run = createAttemptRunner({ cwd: '.', now: () => 0, webhooks: { allow: [host] }, ...services }, REGISTRY);
  return run(createAttemptRequest({ kind: 'webhook', config, ...fields }));
}
const url = (path = '/validate'): string => `http://${host}${path}`;
const SECRET = { secrets: { API_TOKEN: 's3cr3t-token-value' } };

describe('a webhook', () => {
  test('sends what its author wrote, with a key, and brings the answer', async () => {
    answer = { ...answer, headers: { 'Content-Type': 'application/json', ETag: '"1"', 'Set-Cookie': 'a=b' } };
    const request = { url: url(), method: 'POST', headers: { 'X-From': 'pawl' }, body: { pr: 7, files: ['a'] } };
    expect(await send({ request })).toMatchObject({
      type: 'settled',
      outcome: 'ok',
      output: { status: 200, body: { approved: true }, headers: { 'content-type': 'application/json', etag: '"1"' } },
      evidence: { request: { method: 'POST', url: url(), key: 'run1/work#1/1' } },
    });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/validate',
        headers: { 'x-from': 'pawl', 'content-type': 'application/json', 'idempotency-key': 'run1/work#1/1' },
        body: '{"pr":7,"files":["a"]}',
      },
    ]);
  });

  test('has another key for a retry and the same for a run after a crash', async () => {
    const activation = { path: 'prüfen#1', attempt: 2 };
    for (const recovery of [0, 1]) await send({ request: { url: url() } }, {}, { activation: { ...activation, recovery } });
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['run1/pr%C3%BCfen#1/2', 'run1/pr%C3%BCfen#1/2']);
  });

  test.each<[string, Json | undefined, number, string, string | undefined]>([
    ['any good status without an expect', undefined, 204, '', undefined],
    ['no bad status without an expect', undefined, 500, '', 'the status is 500, but one of 200 to 299 is expected'],
    ['no redirect without an expect', undefined, 304, '', 'the status is 304, but one of 200 to 299 is expected'],
    ['a bad status that is expected', { status: 404 }, 404, '', undefined],
    ['another good status', { status: 200 }, 201, '', 'the status is 201, but 200 is expected'],
    ['a part of the body', { body: { approved: true, by: { name: 'ann' } } }, 200, '', undefined],
    ['a text that looks like a boolean', { body: { approved: 'true' } }, 200, '', 'body.approved is true, but "true" is expected'],
    ['a number that looks like a boolean', { body: { approved: 1 } }, 200, '', 'body.approved is true, but 1 is expected'],
    ['a member that is not there', { body: { reviewer: null } }, 200, '', 'body.reviewer is missing'],
    ['a member of every object', { body: { constructor: {} } }, 200, '', 'body.constructor is missing'],
    ['a list of another length', { body: [1] }, 200, '[1,2]', 'body is a list of 2, but a list of 1 is expected'],
    ['a list with objects that have more', { body: [{ a: 1 }] }, 200, '[{"a":1,"b":2}]', undefined],
    ['a body that is no JSON', { body: { ok: true } }, 200, 'fine', 'body is "fine", but an object is expected'],
  ])('with %s', async (...[, expected, status, body, error]) => {
    answer = { status, body: body === '' ? answer.body : body };
    const result = await send({ request: { url: url() }, ...(expected === undefined ? {} : { expect: expected }) });
    expect(result).toMatchObject({
      type: 'settled',
      outcome: error === undefined ? 'ok' : 'fail',
      ...(error === undefined ? {} : { output: { error } }),
    });
  });

  test('a webhook that cannot be reached is an error, and a forbidden one is not retried', async () => {
    expect(await send({ request: { url: url() } }, { webhooks: {} })).toMatchObject({
      type: 'errored',
      error: { reason: 'error', retryable: false, message: expect.stringContaining('webhooks.allow') },
    });
    const closed = 'http://127.0.0.1:1/';
    const gone = await send({ request: { url: closed } }, { webhooks: { allow: ['127.0.0.1:1'] } });
    expect(gone).toMatchObject({
      type: 'errored',
      error: { reason: 'error', message: expect.stringContaining('127.0.0.1:1 could not be reached') },
    });
    expect(gone).not.toMatchObject({ error: { retryable: false } });
    expect(seen).toEqual([]);
  });

  test('a webhook that times out is a timeout', async () => {
    const hang = createServer(() => {});
    await new Promise<void>((ready) => hang.listen(0, '127.0.0.1', ready));
    const slow = `127.0.0.1:${(hang.address() as AddressInfo).port}`;
    const result = await send({ request: { url: `http://${slow}/` }, timeoutMs: 50 }, { webhooks: { allow: [slow] } });
    expect(result).toMatchObject({ type: 'errored', error: { reason: 'timeout' } });
    await new Promise((done) => hang.close(done));
  });
});

describe('templates of a webhook', () => {
  const snapshot = { results: { plan: { n: 7, text: '{{ secrets.API_TOKEN }}', way: '../../admin?x=1#y', dots: '..' } } };
  const fill = (request: JsonObject, services: Partial<StepServices> = {}) =>
    send({ request: { url: url(), ...request }, templates: true }, { ...SECRET, ...services }, { snapshot, params: { host } });

  test('take values of the run and secrets, in headers and body', async () => {
    await fill({
      headers: { Authorization: 'Bearer {{ secrets.API_TOKEN }}' },
      body: { n: '{{ outputs.plan.n }}', key: '{{ secrets.API_TOKEN }}' },
    });
    expect(seen).toMatchObject([{ headers: { authorization: 'Bearer s3cr3t-token-value' }, body: '{"n":7,"key":"s3cr3t-token-value"}' }]);
  });

  test('are filled once: a value that looks like one stays as it is', async () => {
    await fill({ headers: { 'X-Text': '{{ outputs.plan.text }}' }, body: { text: 'say {{ outputs.plan.text }}' } });
    expect(seen).toMatchObject([{ headers: { 'x-text': '{{ secrets.API_TOKEN }}' }, body: '{"text":"say {{ secrets.API_TOKEN }}"}' }]);
  });

  test('are not looked for where texts are data', async () => {
    await send({ request: { url: url(), headers: { 'X-Text': '{{ secrets.API_TOKEN }}' } } }, SECRET);
    expect(seen[0]?.headers['x-text']).toBe('{{ secrets.API_TOKEN }}');
  });

  test('put a value into a URL as one encoded part', async () => {
    await fill({ url: url('/pr/{{ outputs.plan.way }}/files?q={{ outputs.plan.way }}') });
    expect(seen[0]?.url).toBe('/pr/..%2F..%2Fadmin%3Fx%3D1%23y/files?q=..%2F..%2Fadmin%3Fx%3D1%23y');
  });

  test.each<[string, JsonObject, string]>([
    ['a path that climbs', { url: `http://h.example/a/{{ outputs.plan.dots }}/b` }, 'lead to another path'],
    ['a name that is not there', { body: { x: '{{ outputs.plan.nothing }}' } }, 'nothing'],
    ['a secret that is not there', { body: { x: '{{ secrets.OTHER }}' } }, 'there is no secret "OTHER"'],
    ['a secret in the URL', { url: `http://h.example/{{ secrets.API_TOKEN }}` }, 'secrets'],
    ['a secret of any name', { body: { x: "{{ secrets['API' + '_TOKEN'] }}" } }, 'name is not written out'],
    ['all secrets', { body: { x: '{{ secrets }}' } }, 'name is not written out'],
  ])('are an error with %s, and nothing is sent', async (_what, request, message) => {
    const result = await fill(request);
    expect(result).toMatchObject({ type: 'errored', error: { retryable: false, message: expect.stringContaining(message) } });
    expect(JSON.stringify(result)).not.toContain('s3cr3t');
    expect(seen).toEqual([]);
  });

  test('send a secret only to a host that is written out, or listed for it', async () => {
    const secret = { headers: { Authorization: '{{ secrets.API_TOKEN }}' } };
    const built = { ...secret, url: 'http://{{ params.host }}/x' };
    const whole = { ...secret, url: '{{ params.host }}' };
    for (const request of [built, whole])
      expect(await fill(request)).toMatchObject({
        error: { message: expect.stringContaining('is not sent to a service whose host is built') },
      });
    const elsewhere = { webhooks: { allow: [host], secretHosts: { API_TOKEN: ['api.example.com'] } } };
    expect(await fill(secret, elsewhere)).toMatchObject({ error: { message: expect.stringContaining('is not among its hosts') } });
    expect(seen).toEqual([]);
    const listed = { webhooks: { allow: [host], secretHosts: { API_TOKEN: ['127.0.0.1'] } } };
    expect(await fill(secret, listed)).toMatchObject({ outcome: 'ok' });
  });

  test('leave no secret in the record, also when the service repeats it', async () => {
    answer = { status: 200, body: '{"you_sent":"Bearer s3cr3t-token-value"}', headers: { 'X-Request-Id': 's3cr3t-token-value' } };
    const result = await fill({ headers: { Authorization: 'Bearer {{ secrets.API_TOKEN }}' } });
    expect(seen[0]?.headers.authorization).toContain('s3cr3t-token-value');
    expect(JSON.stringify(result)).not.toContain('s3cr3t-token-value');
  });
});

describe('a check webhook', () => {
  const check = (config: JsonObject, services: Partial<StepServices> = {}) => {
    const run = createAttemptRunner({ cwd: '.', now: () => 0, webhooks: { allow: [host] }, ...services }, REGISTRY);
    return run(createAttemptRequest({ kind: 'gate', config: { checks: [{ check: 'webhook', url: url(), ...config }] } }));
  };

  test.each<[JsonObject, number, string]>([
    [{}, 200, 'ok'],
    [{}, 404, 'fail'],
    [{ expect: 'status == 404' }, 404, 'ok'],
    [{ expect: "body.by.name == 'ann' && headers['x-a'] == 'b'" }, 200, 'ok'],
    [{ expect: 'body.approved == false' }, 200, 'fail'],
  ])('with %j of a status %i is %s', async (config, status, outcome) => {
    answer = { ...answer, status, headers: { 'X-A': 'b' } };
    expect(await check(config)).toMatchObject({ outcome, checks: [{ type: 'webhook', passed: outcome === 'ok', result: { status } }] });
  });

  test('sends what its author wrote', async () => {
    await check({ method: 'POST', headers: { Authorization: '{{ secrets.API_TOKEN }}' }, body: { a: 1 }, templates: true }, SECRET);
    expect(seen).toMatchObject([{ method: 'POST', headers: { authorization: 's3cr3t-token-value' }, body: '{"a":1}' }]);
  });

  test.each<[string, JsonObject, Partial<StepServices>]>([
    ['may not be asked', {}, { webhooks: {} }],
    ['is not there', { url: 'http://127.0.0.1:1/' }, { webhooks: { allow: ['127.0.0.1'] } }],
    ['has an answer that cannot be judged', { expect: 'body.nothing == 1' }, {}],
  ])('is an error when the service %s', async (_what, config, services) => {
    expect(await check(config, services)).toMatchObject({ type: 'errored', checks: [{ passed: null, error: expect.stringMatching(/./) }] });
  });
});

describe('the contract of a webhook', () => {
  const cwd = tempFolder();
  const file = join(cwd, 'deployed');
  const contract = {
    model: { postconditions: [{ name: 'deployed', error: 'Nothing was deployed' }] },
    code: { postconditions: [() => existsSync(file)] },
  };

  test('is looked at whatever the service answers', async () => {
    expect(await send({ request: { url: url() } }, {}, contract)).toMatchObject({
      type: 'errored',
      error: { code: 'POSTCONDITION_FAILED' },
    });
    onRequest = () => writeFileSync(file, '');
    expect(await send({ request: { url: url() } }, {}, contract)).toMatchObject({ type: 'settled', outcome: 'ok' });
  });
});
