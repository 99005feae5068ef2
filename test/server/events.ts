// Owns a reader of event streams, as a browser reads them.

import type { ServerRig } from './server-rig.ts';

/** An event of a stream. */
export interface ReadEvent {
  readonly id: number;
  readonly event: string;
  readonly data: { readonly run: string; readonly seq: number; readonly type?: string; readonly [name: string]: unknown };
}

/** A stream that is read. */
export interface EventReader {
  readonly events: ReadEvent[];
  /** Resolves when an event that fits has come; rejects when the stream ends before. */
  until(fits: (event: ReadEvent) => boolean): Promise<ReadEvent>;
  readonly ended: Promise<void>;
  stop(): void;
}

/** Opens a stream and reads it in the background. */
export async function readEvents(rig: Pick<ServerRig, 'raw'>, path: string, after?: number): Promise<EventReader> {
  const stopping = new AbortController();
  const headers = after === undefined ? {} : { 'last-event-id': String(after) };
  const response = await rig.raw(path, { signal: stopping.signal, headers });
  if (response.status !== 200 || response.body === null) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const events: ReadEvent[] = [];
  const watchers = new Set<() => void>();
  const body = response.body;
  const ended = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const event = parse(text.slice(0, end));
          text = text.slice(end + 2);
          if (event !== undefined) events.push(event);
        }
        for (const look of watchers) look();
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  })();
  ended.catch(() => undefined);
  return {
    events,
    ended,
    stop: () => stopping.abort(),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = events.find(fits);
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
        ended.then(() => reject(new Error(`the stream ended; it had ${JSON.stringify(events)}`)), reject);
      }),
  };
}

function parse(block: string): ReadEvent | undefined {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  const data = fields.get('data');
  return data === undefined ? undefined : { id: Number(fields.get('id')), event: fields.get('event') ?? '', data: JSON.parse(data) };
}
