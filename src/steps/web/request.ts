// Owns requests to web services on behalf of a workflow, whose URL may contain text from outside.
//
// - The connection is made to a checked address; the name is not resolved a second time.
// - A redirect is followed for GET and HEAD only, each hop is checked again, and the author's headers are not sent to
//   another origin.
// - Time and size are limited, certificates are verified, and every failure is a value.

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { messageOf } from '../../base/error.ts';
import { type Destination, findDestination, type Resolver, type WebRefusal } from './destination.ts';

/** The request, and its limits. */
export interface WebRequest {
  readonly url: string;
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole request with redirects. Default: 30 s. */
  readonly timeoutMs?: number;
  /** The largest body of a response. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Allowed hosts that are not public: `127.0.0.1:8080`, `internal.example`. */
  readonly allow?: readonly string[];
  readonly signal?: AbortSignal;
  /** Finds the addresses of a host. Default: that of the system. */
  readonly resolve?: Resolver;
}

/** The response; header names are in lower case. */
export interface WebResponse {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The URL of the response, after redirects. */
  readonly url: string;
}

/** No response. `refused`: the request is invalid or not allowed, so a retry does not help. `failed`: a retry may help. */
export type WebFailure =
  | WebRefusal
  | { readonly kind: 'refused'; readonly reason: 'header' | 'redirect'; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly reason: 'connection' | 'tls' | 'timeout' | 'stopped' | 'too-large';
      readonly message: string;
    };

/** The result of a web request. */
export type WebAnswer = WebResponse | WebFailure;

const TIMEOUT_MS = 30_000;
const BYTES_MAX = 1 << 20;
const REDIRECTS_MAX = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const REPEATABLE = new Set(['GET', 'HEAD']);
// Headers that authors must not set, because wrong ones allow request smuggling.
const TRANSPORT_HEADERS = new Set('host connection content-length transfer-encoding upgrade te trailer keep-alive expect'.split(' '));
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|HANDSHAKE)/;

/** Sends a request and returns the response, or why there is none. It never rejects. */
export async function requestGuarded(request: WebRequest): Promise<WebAnswer> {
  const misplaced = Object.keys(request.headers ?? {}).find((name) => TRANSPORT_HEADERS.has(name.toLowerCase()));
  if (misplaced !== undefined)
    return { kind: 'refused', reason: 'header', message: `the header "${misplaced}" is set by the connection; leave it out` };
  const limit = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
  const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]);
  const answer = await untilAborted(follow(request, signal), signal);
  if (answer !== undefined && (answer.kind === 'answered' || !signal.aborted)) return answer;
  if (limit.aborted) {
    const message = `${hostOf(request.url)} did not answer within ${request.timeoutMs ?? TIMEOUT_MS} ms`;
    return { kind: 'failed', reason: 'timeout', message };
  }
  return { kind: 'failed', reason: 'stopped', message: 'it was stopped before there was an answer' };
}

// Name resolution cannot be aborted, so it continues in the background.
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function follow(request: WebRequest, signal: AbortSignal): Promise<WebAnswer> {
  const { method = 'GET', allow = [], resolve } = request;
  let hop: Hop = request;
  for (let redirects = 0; ; redirects += 1) {
    const destination = await findDestination(hop.url, allow, resolve);
    if (destination.kind === 'refused') return redirects === 0 ? destination : redirected(destination);
    if (signal.aborted) return { kind: 'failed', reason: 'stopped', message: 'it was stopped before it was sent' };
    const answer = await exchange({ ...hop, method, maxBytes: request.maxBytes ?? BYTES_MAX }, destination, signal);
    const location = answer.kind === 'answered' && REDIRECTS.has(answer.status) ? answer.headers.location : undefined;
    if (location === undefined || !REPEATABLE.has(method.toUpperCase())) return answer;
    if (redirects === REDIRECTS_MAX)
      return { kind: 'refused', reason: 'redirect', message: `${hostOf(request.url)} redirects more than ${REDIRECTS_MAX} times` };
    hop = nextHop(destination.url, location, hop);
  }
}

function redirected({ message, ...rest }: WebRefusal): WebRefusal {
  return { ...rest, message: `it was redirected, and ${message}` };
}

type Hop = Pick<WebRequest, 'url' | 'headers' | 'body'>;

function nextHop(from: URL, location: string, hop: Hop): Hop {
  if (!URL.canParse(location, from.href)) return { url: location };
  const url = new URL(location, from);
  return url.origin === from.origin ? { ...hop, url: url.href } : { url: url.href };
}

type OutgoingRequest = Hop & { readonly method: string; readonly maxBytes: number };

function exchange(request: OutgoingRequest, destination: Destination, signal: AbortSignal): Promise<WebAnswer> {
  const { url } = destination;
  return new Promise((resolve) => {
    let sent: ClientRequest;
    try {
      sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, optionsOf(request, destination, signal));
    } catch (thrown) {
      return resolve({ kind: 'refused', reason: 'header', message: `the request cannot be sent: ${messageOf(thrown)}` });
    }
    const fail = (thrown: unknown): void => resolve(failureOf(url, thrown));
    sent.on('response', (response) => {
      receive(response, request.maxBytes).then((body) => {
        if (body === undefined) sent.destroy();
        resolve(body === undefined ? tooLarge(url, request.maxBytes) : answerOf(url, response, body));
      }, fail);
    });
    sent.on('error', fail);
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      fail(new Error('the response is not HTTP'));
    });
    sent.end(request.body);
  });
}

function optionsOf({ method, headers, body }: OutgoingRequest, { host, addresses }: Destination, signal: AbortSignal): RequestOptions {
  const [first] = addresses;
  return {
    method,
    headers: {
      accept: 'application/json, */*;q=0.5',
      'user-agent': 'pawl',
      'accept-encoding': 'identity',
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...lowerCased(headers ?? {}),
    },
    signal,
    // A separate connection: a shared one may lead to an address that was not checked.
    agent: false,
    lookup: (_host, options, callback) => {
      if (options.all === true) callback(null, [...addresses]);
      else callback(null, first?.address ?? '', first?.family);
    },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // Explicit, so that no environment variable can turn it off.
    rejectUnauthorized: true,
  } as RequestOptions;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function receive(response: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answerOf(url: URL, response: IncomingMessage, body: string): WebResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]);
  return { kind: 'answered', status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body, url: url.href };
}

function tooLarge(url: URL, maxBytes: number): WebFailure {
  return { kind: 'failed', reason: 'too-large', message: `${url.host} answered with more than ${maxBytes} bytes` };
}

function failureOf(url: URL, thrown: unknown): WebFailure {
  const code = String((thrown as { code?: unknown } | null)?.code ?? '');
  if (TLS_CODE.test(code))
    return { kind: 'failed', reason: 'tls', message: `the certificate of ${url.host} cannot be trusted: ${messageOf(thrown)}` };
  return { kind: 'failed', reason: 'connection', message: `${url.host} could not be reached: ${messageOf(thrown)}` };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the service';
}
