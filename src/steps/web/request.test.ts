import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { requestGuarded, type WebRequest } from './request.ts';

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFRMPyw/Oerwib/op
4lxLau8wEARrLGbPVqw4bDSH3R2hRANCAASqvqn13aQzgWQy5MolxaO5CqFhRHGx
uI9xrIEfCaMgjby1SvZ6JUxzVlqQNyCi7+MRF8Ev4WiC8rE5WLgbxKOE
-----END PRIVATE KEY-----
`;

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBpzCCAU2gAwIBAgIUPe2N+bEEZmybuyJdzBlr6jVx5VswCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPc2VydmljZS5leGFtcGxlMCAXDTI2MTExNjAwMjA0MVoYDzIx
MjYxMDIzMDAyMDQxWjAaMRgwFgYDVQQDDA9zZXJ2aWNlLmV4YW1wbGUwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAASqvqn13aQzgWQy5MolxaO5CqFhRHGxuI9xrIEf
CaMgjby1SvZ6JUxzVlqQNyCi7+MRF8Ev4WiC8rE5WLgbxKOEo28wbTAdBgNVHQ4E
FgQU9TedTi2/9aOPEvJtGZpL9p7K8NMwHwYDVR0jBBgwFoAU9TedTi2/9aOPEvJt
GZpL9p7K8NMwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg9zZXJ2aWNlLmV4
YW1wbGUwCgYIKoZIzj0EAwIDSAAwRQIgCxbd2gSywhuCnXfTYgnHXQ96owDx6v1d
0j9WlSKF098CIQC52wUetPZSywu+Vj4sWdPEGHVFcABfuhTSVluDpg5Rwg==
-----END CERTIFICATE-----
`;

const open: Server[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => new Promise((done) => server.close(done))));
});

async function listen(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A service on this machine, and what it was asked. */
async function serve(answer: (response: ServerResponse, seen: Seen) => void = (response) => response.end('{"ok":true}')) {
  const seen: Seen[] = [];
  const port = await listen(
    createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      answer(response, seen.at(-1) as Seen);
    }),
  );
  return { seen, port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

const refused = (reason: string, message: string | RegExp = '') => ({ kind: 'refused', reason, message: expect.stringMatching(message) });

describe('requests', () => {
  test('a request is answered by a host that is listed', async () => {
    const { url, host, seen } = await serve((response) => response.writeHead(201, { 'X-Kind': 'new' }).end('{"n":1}'));
    const answer = await requestGuarded({
      url: `${url}/a?b=1`,
      method: 'POST',
      headers: { 'X-Mine': 'yes' },
      body: 'hällo',
      allow: [host],
    });
    expect(answer).toMatchObject({ kind: 'answered', status: 201, headers: { 'x-kind': 'new' }, body: '{"n":1}', url: `${url}/a?b=1` });
    expect(seen).toMatchObject([
      { method: 'POST', url: '/a?b=1', body: 'hällo', headers: { 'x-mine': 'yes', host, 'content-length': '6' } },
    ]);
  });

  test.each<[string, readonly string[]]>([
    ['nothing is listed', []],
    ['another port is listed', ['127.0.0.1:1']],
    ['another host is listed', ['localhost', '127.0.0.2']],
    ['what is listed makes no sense', ['*', '127.0.0.*', 'http://127.0.0.1', '']],
  ])('a request does not reach this machine when %s', async (_what, allow) => {
    const { url, seen } = await serve();
    expect(await requestGuarded({ url, allow })).toMatchObject(
      refused('address', /127\.0\.0\.1 is not public.*add "127\.0\.0\.1:\d+" to webhooks\.allow/),
    );
    expect(seen).toEqual([]);
  });

  test.each([
    ...[
      'http://localhost/',
      'http://localhost./',
      'http://[::1]/',
      'http://0.0.0.0/',
      'http://[::]/',
      'http://169.254.169.254/latest/meta-data',
    ],
    ...[
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[64:ff9b::127.0.0.1]/',
      'http://10.0.0.1',
      'https://192.168.0.1:8443/x',
    ],
  ])('a request does not go to %s', async (url) => {
    expect(await requestGuarded({ url })).toMatchObject(refused('address'));
  });

  test.each([
    ...[
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0177.0.0.1/',
      'http://127.1/',
      'http://0x7f.1/',
      'http://%31%32%37.0.0.1/',
      'http://134744072/',
    ],
    ...['http://１２７.0.0.1/', 'http:\\\\127.0.0.1/', 'http:127.0.0.1', ' http://127.0.0.1/'],
  ])('a request does not accept an obscured address: %s', async (url) => {
    expect(await requestGuarded({ url, allow: ['127.0.0.1', '::1'] })).toMatchObject(refused('url', /obscured IP address/));
  });

  test.each<[string, RegExp]>([
    ['file:///etc/passwd', /must begin with http: or https:/],
    ['gopher://127.0.0.1/', /must begin with http: or https:/],
    ['ftp://example.com/', /must begin with http: or https:/],
    ['http://user:pass@example.com/', /name or a password/],
    ['http://127.0.0.1@example.com/', /name or a password/],
    ['/validate', /not a URL/],
    ['', /not a URL/],
  ])('a request needs a URL of the web: %s', async (url, message) => {
    expect(await requestGuarded({ url })).toMatchObject(refused('url', message));
  });

  test.each(['Host', 'content-length', 'Transfer-Encoding', 'connection'])('a request does not take the header %s', async (name) => {
    const { url, host, seen } = await serve();
    expect(await requestGuarded({ url, headers: { [name]: 'x' }, allow: [host] })).toMatchObject(refused('header'));
    expect(seen).toEqual([]);
  });

  test('a request with a header that would become two is rejected, and its value is not printed', async () => {
    const { url, host } = await serve();
    const answer = await requestGuarded({ url, headers: { authorization: 's3cr3t\r\nx: y' }, allow: [host] });
    expect(answer).toMatchObject(refused('header'));
    expect(JSON.stringify(answer)).not.toContain('s3cr3t');
  });
});

describe('host names', () => {
  test('a host name is resolved once, and the checked address is the one that is used', async () => {
    const { port, seen } = await serve();
    const answers = ['127.0.0.1', '10.0.0.1'];
    const resolve = async () => [{ address: answers.shift() as string, family: 4 }];
    const answer = await requestGuarded({ url: `http://service.example:${port}/`, allow: ['service.example'], resolve });
    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
    expect(seen[0]?.headers.host).toBe(`service.example:${port}`);
    expect(answers).toEqual(['10.0.0.1']);
  });

  test('a host name with one private address is rejected', async () => {
    const resolve = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await requestGuarded({ url: 'http://rebind.example/', resolve })).toMatchObject(
      refused('address', /rebind\.example has the address 127\.0\.0\.1/),
    );
  });

  test('an unknown host name is rejected', async () => {
    const resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND nowhere.example'));
    expect(await requestGuarded({ url: 'http://nowhere.example/', resolve })).toMatchObject(
      refused('dns', /nowhere\.example could not be found/),
    );
  });

  test('a host name whose resolution hangs times out', async () => {
    const resolve = () => new Promise<never>(() => {});
    expect(await requestGuarded({ url: 'http://slow.example/', resolve, timeoutMs: 30 })).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
    });
  });
});

describe('redirects', () => {
  test('a redirect is followed for GET, and headers stay with their origin', async () => {
    const other = await serve();
    const first = await serve((response, { url }) => response.writeHead(302, { location: url === '/a' ? '/b' : `${other.url}/c` }).end());
    const headers = { authorization: 'Bearer s3cr3t' };
    const answer = await requestGuarded({ url: `${first.url}/a`, headers, allow: [first.host, other.host] });
    expect(answer).toMatchObject({ kind: 'answered', status: 200, url: `${other.url}/c` });
    expect(first.seen.map((seen) => seen.headers.authorization)).toEqual(['Bearer s3cr3t', 'Bearer s3cr3t']);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
  });

  test.each(['http://169.254.169.254/', 'file:///etc/passwd', 'http://2130706433/', '//localhost/'])(
    'a redirect does not lead to %s',
    async (location) => {
      const { url, host } = await serve((response) => response.writeHead(301, { location }).end());
      expect(await requestGuarded({ url, allow: [host] })).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('it was redirected, and'),
      });
    },
  );

  test('a redirect of a POST is the answer', async () => {
    const { url, host, seen } = await serve((response) => response.writeHead(307, { location: '/b' }).end());
    expect(await requestGuarded({ url, method: 'POST', body: 'x', allow: [host] })).toMatchObject({ kind: 'answered', status: 307 });
    expect(seen).toHaveLength(1);
  });

  test('a redirect that never ends is stopped', async () => {
    const { url, host, seen } = await serve((response) => response.writeHead(302, { location: '/' }).end());
    expect(await requestGuarded({ url, allow: [host] })).toMatchObject(refused('redirect'));
    expect(seen).toHaveLength(6);
  });
});

describe('answers', () => {
  const ask = (host: string, rest: Partial<WebRequest> = {}) => requestGuarded({ url: `http://${host}/`, allow: [host], ...rest });

  test('an answer that is too large is cut off', async () => {
    const { host } = await serve((response) => response.end('x'.repeat(1000)));
    expect(await ask(host, { maxBytes: 999 })).toMatchObject({ kind: 'failed', reason: 'too-large' });
    expect(await ask(host, { maxBytes: 1000 })).toMatchObject({ kind: 'answered' });
  });

  test('an answer that trickles times out', async () => {
    const { host } = await serve((response) => response.write('x'));
    expect(await ask(host, { timeoutMs: 50 })).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      message: expect.stringContaining('within 50 ms'),
    });
  });

  test('an answer is not awaited once the attempt is stopped', async () => {
    const controller = new AbortController();
    const { host } = await serve(() => controller.abort());
    expect(await ask(host, { signal: controller.signal })).toMatchObject({ kind: 'failed', reason: 'stopped' });
  });

  test('an answer that breaks off is an error', async () => {
    const { host } = await serve((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      response.socket?.destroySoon();
    });
    expect(await ask(host)).toMatchObject({ kind: 'failed', reason: 'connection' });
  });

  test('an answer that never comes is an error', async () => {
    const port = await listen(createTcpServer((socket) => socket.destroy()));
    expect(await ask(`127.0.0.1:${port}`)).toMatchObject({ kind: 'failed', reason: 'connection' });
  });

  test('an answer in another protocol is an error', async () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const port = await listen(createTcpServer((socket) => void socket.resume().end(head)));
    expect(await ask(`127.0.0.1:${port}`)).toMatchObject({ kind: 'failed', reason: 'connection' });
  });

  test('an answer from a service without a valid certificate is an error', async () => {
    // Made for this test alone; nobody trusts it, which is the point.
    const port = await listen(createTlsServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => response.end('trust me')));
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const answer = await requestGuarded({ url: `https://service.example:${port}/`, allow: ['service.example'], resolve });
    expect(answer).toMatchObject({ kind: 'failed', reason: 'tls' });
  });
});
