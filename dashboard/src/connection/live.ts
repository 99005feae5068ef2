// Owns the stream of events: reads it, reconnects at its last position, and reports whether it is connected. Events only say
// what changed; what a page shows is read again from the server.

import { addressOf } from './api.ts';

/** One event of a run, as the stream sends it. */
export interface LiveEvent {
  readonly run: string;
  readonly seq: number;
  readonly type: string;
}

/** Whether the stream is connected. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'signed-out';

/** Receives events and the state of the stream. */
export interface LiveListener {
  readonly event: (event: LiveEvent) => void;
  readonly state: (state: LiveState) => void;
  /** The stream is back after it was lost without a position to resume from: everything may have changed. */
  readonly caughtUp: () => void;
}

const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 4_000;
const SILENCE_MAX_MS = 45_000;

/** Follows a stream until the returned function is called. */
export function follow(path: string, listener: LiveListener): () => void {
  const stop = new AbortController();
  void readForever(path, listener, stop.signal);
  return () => stop.abort();
}

async function readForever(path: string, listener: LiveListener, stopped: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let pauseMs = RETRY_FIRST_MS;
  let wasLive = false;
  while (!stopped.aborted) {
    const attempt = new AbortController();
    const end = (): void => attempt.abort();
    stopped.addEventListener('abort', end);
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastId !== undefined) headers['last-event-id'] = lastId;
      const response = await fetch(addressOf(path), { headers, credentials: 'same-origin', signal: attempt.signal });
      if (response.status === 401) return listener.state('signed-out');
      if (!response.ok || response.body === null) throw new Error(`the stream answered with ${response.status}`);
      pauseMs = RETRY_FIRST_MS;
      listener.state('live');
      if (wasLive) listener.caughtUp();
      wasLive = true;
      await readMessages(response.body, attempt, (message) => {
        lastId = message.id ?? lastId;
        const event = message.data === '' ? undefined : parsed(message.data);
        if (event !== undefined) listener.event(event);
      });
    } catch {
      // Whatever the failure was, the loop reconnects at the last position.
    } finally {
      stopped.removeEventListener('abort', end);
    }
    if (stopped.aborted) return;
    listener.state('lost');
    await pause(pauseMs, stopped);
    pauseMs = Math.min(pauseMs * 2, RETRY_MAX_MS);
  }
}

interface Message {
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads messages as the standard for event streams writes them: fields by line, an empty line ends a message. */
async function readMessages(body: ReadableStream<Uint8Array>, attempt: AbortController, take: (message: Message) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  let silence = setTimeout(() => attempt.abort(), SILENCE_MAX_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => attempt.abort(), SILENCE_MAX_MS);
      const parts = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) take(messageOf(part));
    }
  } finally {
    clearTimeout(silence);
  }
}

function messageOf(part: string): Message {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of part.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === 'id') id = value;
    if (name === 'data') data.push(value);
  }
  return { id, data: data.join('\n') };
}

function parsed(data: string): LiveEvent | undefined {
  try {
    const event = JSON.parse(data) as LiveEvent;
    return typeof event.run === 'string' ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Waits; ends early when the browser is online again or the page becomes visible. */
function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      for (const [target, name] of wakes) target.removeEventListener(name, done);
      resolve();
    };
    const wakes: readonly (readonly [EventTarget, string])[] = [
      [window, 'online'],
      [document, 'visibilitychange'],
      [stopped, 'abort'],
    ];
    const timer = setTimeout(done, ms);
    for (const [target, name] of wakes) target.addEventListener(name, done);
  });
}
