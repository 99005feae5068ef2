// Calls the server: reads, writes, and their failures. Nothing else in the dashboard calls `fetch`, except the stream of
// events.

/** A failed request, with the message of the server. */
export class ApiError extends Error {
  /** The HTTP status; 0 if the server did not answer. */
  readonly status: number;
  /** The stable code of the catalogue of errors. */
  readonly code: string | undefined;
  /** The whole problem that the server sent, such as what has changed. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, status: number, facts: Readonly<Record<string, unknown>>) {
    super(message);
    this.status = status;
    this.code = typeof facts.code === 'string' ? facts.code : undefined;
    this.facts = facts;
  }
}

const API = '/api/v1';

/** Reads something from the server. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(await send(path, signal === undefined ? {} : { signal }));
}

/** How a write is sent. */
export interface WriteOptions {
  readonly method?: 'POST' | 'DELETE';
  /** Makes a repeated request harmless: the server does it once for each key. */
  readonly once?: string;
}

/** Asks the server to do something. */
export async function write<T>(path: string, body: unknown, { method = 'POST', once }: WriteOptions = {}): Promise<T> {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'x-pawl': '1', 'x-pawl-page': pageSecret() };
  if (once !== undefined) headers['idempotency-key'] = once;
  return answerOf<T>(await send(path, { method, headers, body: JSON.stringify(body ?? {}) }));
}

/** The secret that the login stored for this port: cookies are sent to every port of the machine. */
function pageSecret(): string {
  return localStorage.getItem('pawl-page') ?? '';
}

/** The address of something to download or to stream. */
export function addressOf(path: string): string {
  return path.startsWith('/auth/') ? path : `${API}${path}`;
}

/** A path whose segments are encoded. */
export function pathOf(...words: readonly string[]): string {
  return `/${words.map(encodeURIComponent).join('/')}`;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(addressOf(path), { credentials: 'same-origin', ...init });
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw new ApiError('The server does not answer. Is "pawl serve" still running?', 0, { code: 'NO_ANSWER' });
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  const body = parseJson(text);
  if (response.ok) return body as T;
  const facts = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const message = facts.detail ?? facts.title ?? `The server answered with ${response.status}.`;
  throw new ApiError(String(message), response.status, facts);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
