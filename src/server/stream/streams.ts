// Owns the open streams: those of one run, whose positions are the numbers of its log rows, and those of all runs, whose
// positions are in the change log.

import { EngineError, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { pathOf } from '../../engine/event-facts.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { EventRow, Store } from '../../store/store.ts';
import type { Caller } from '../caller.ts';
import type { Change, ChangeLog } from './change-log.ts';
import { EventStream, type StreamSource } from './event-stream.ts';

/** The maximum number of open streams. */
const STREAMS_MAX = 2000;
const STREAMS_OF_ONE_MAX = 1500;
const BATCH = 100;
const REMEMBERED = 1000;

/** The streams of a server. */
export class Streams {
  private readonly store: Store;
  private readonly log: ChangeLog;
  private readonly open = new Map<EventStream, Caller>();
  /** Recent messages by position: many readers get the same ones. */
  private readonly recentMessages = new Map<number, string>();

  constructor(store: Store, log: ChangeLog) {
    this.store = store;
    this.log = log;
  }

  /** How many are open. */
  get count(): number {
    return this.open.size;
  }

  /** A stream of one run, from a log row on. */
  async ofRun(caller: Caller, run: string, after: number | undefined): Promise<Response> {
    const [head] = await this.store.heads({ of: [run] });
    if (head === undefined) throw new EngineError('RUN_NOT_FOUND', `there is no run "${run}"; GET /api/v1/runs lists those that exist`);
    let seq = after ?? head.seq;
    let isFirst = after === undefined || after > head.seq;
    if (after !== undefined && after > head.seq) seq = head.seq;
    return this.start(caller, {
      read: async () => {
        if (isFirst) {
          isFirst = false;
          return messageOf(seq, after === undefined ? 'ready' : 'reset', { run, seq });
        }
        const rows = await this.rowsAfter(run, seq);
        seq = rows.at(-1)?.seq ?? seq;
        return rows.map((row) => messageOf(row.seq, 'change', rowFacts(run, row))).join('');
      },
      listen: (more) => this.log.listen(more),
    });
  }

  /** A stream of all runs, from a position on. */
  ofAll(caller: Caller, after: number | undefined): Response {
    let position = after ?? this.log.last;
    let greeting: 'ready' | 'reset' | undefined = after === undefined ? 'ready' : undefined;
    return this.start(caller, {
      read: async () => {
        const changes = greeting === undefined ? this.log.after(position, BATCH) : [];
        // A reader that was away for too long has to read everything again.
        if (changes === undefined) greeting = 'reset';
        if (greeting !== undefined) {
          const kind = greeting;
          greeting = undefined;
          if (kind === 'reset') position = this.log.last;
          return messageOf(position, kind, { position });
        }
        const messages = await Promise.all((changes ?? []).map((change) => this.message(change)));
        position = changes?.at(-1)?.position ?? position;
        return messages.join('');
      },
      listen: (more) => this.log.listen(more),
    });
  }

  /** Ends the streams of some callers, such as those whose login was revoked. */
  end(isMeant: (caller: Caller) => boolean): void {
    for (const [stream, caller] of [...this.open]) if (isMeant(caller)) stream.end();
  }

  private start(caller: Caller, source: StreamSource): Response {
    if (this.open.size >= STREAMS_MAX)
      throw new EngineError('LIMIT_REACHED', `${STREAMS_MAX} event streams are open; close one, or try again later`);
    const own = [...this.open.values()].filter(({ name }) => name === caller.name).length;
    if (own >= STREAMS_OF_ONE_MAX)
      throw new EngineError('LIMIT_REACHED', `${caller.name} has ${own} event streams open; close one, or try again later`);
    const stream: EventStream = new EventStream(source, { onEnd: () => this.open.delete(stream) });
    this.open.set(stream, caller);
    return new Response(stream.body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } });
  }

  private async rowsAfter(run: string, seq: number): Promise<readonly EventRow[]> {
    try {
      return await this.store.events(run, seq, BATCH);
    } catch (error) {
      if (isEngineError(error) && error.code === 'RUN_NOT_FOUND') return [];
      throw error;
    }
  }

  private async message({ position, run, seq }: Change): Promise<string> {
    const known = this.recentMessages.get(position);
    if (known !== undefined) return known;
    const [row] = await this.rowsAfter(run, seq - 1);
    // A run that was pruned has no rows any more.
    const facts = row?.seq === seq ? rowFacts(run, row) : { run, seq, at: new Date().toISOString(), type: 'run.removed' };
    const text = messageOf(position, 'change', facts);
    this.recentMessages.set(position, text);
    for (const old of this.recentMessages.keys()) {
      if (this.recentMessages.size <= REMEMBERED) break;
      this.recentMessages.delete(old);
    }
    return text;
  }
}

function messageOf(id: number, event: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The data of a change: a reader needs it to know what to read again. */
function rowFacts(run: string, { seq, at, events }: EventRow): object {
  const paths = events.flatMap((event) => pathOf(event) ?? ('path' in event && typeof event.path === 'string' ? [event.path] : []));
  const types = events.map(({ type }) => type);
  return {
    ...{ run, seq, at: new Date(at).toISOString(), type: types[0] ?? 'row' },
    ...{ types: [...new Set(types)], paths: [...new Set(paths)], ...omitUndefined({ status: statusIn(events) }) },
  };
}

/** The status that a row gives the run, if it says so. */
function statusIn(events: readonly RunEvent[]): string | undefined {
  const changed = events.findLast((event) => event.type === 'run.changed' && 'status' in event);
  return changed !== undefined && 'status' in changed ? changed.status : undefined;
}
