// Owns one stream of events to one reader (server-sent events). Nothing is buffered for a slow reader: the stream continues
// from the log when the reader is ready, and is closed if the reader is not ready for too long.

/** Where a stream reads from. */
export interface StreamSource {
  /** The next messages after where the stream is, as text; an empty text if there are none now. */
  read(): Promise<string>;
  /** Calls back when there may be more. Returns what ends that. */
  listen(more: () => void): () => void;
}

/** How long a reader may leave what there is for it. */
const STALL_MS = 30_000;
/** How often a quiet stream says that it is alive. */
const QUIET_MS = 15_000;
const HELLO = 'retry: 2000\n\n';
const ALIVE = ': alive\n\n';

/** A stream to one reader. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  private readonly source: StreamSource;
  private readonly onEnd: () => void;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private unlisten: (() => void) | undefined;
  private wake: (() => void) | undefined;
  private hasMore = true;
  private isEnded = false;
  private greets = true;
  private stall: NodeJS.Timeout | undefined;

  constructor(source: StreamSource, { onEnd, stallMs = STALL_MS }: { readonly onEnd: () => void; readonly stallMs?: number }) {
    this.source = source;
    this.onEnd = onEnd;
    // Nothing is read ahead, and nothing begins before somebody reads.
    this.body = new ReadableStream<Uint8Array>(
      { start: (controller) => this.started(controller, stallMs), pull: () => this.pull(), cancel: () => this.end() },
      { highWaterMark: 0 },
    );
  }

  private started(controller: ReadableStreamDefaultController<Uint8Array>, stallMs: number): void {
    this.controller = controller;
    this.stallMs = stallMs;
  }

  private stallMs = STALL_MS;

  /** Ends the stream; the reader connects again. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.stall);
    this.unlisten?.();
    this.wake?.();
    try {
      this.controller?.close();
    } catch {
      // The reader has gone already.
    }
    this.onEnd();
  }

  private async pull(): Promise<void> {
    clearTimeout(this.stall);
    this.stall = undefined;
    this.unlisten ??= this.source.listen(() => this.more());
    if (this.greets) {
      this.greets = false;
      return this.send(HELLO);
    }
    while (!this.isEnded) {
      this.hasMore = false;
      const text = await this.source.read();
      if (text !== '') return this.send(text);
      if (this.isEnded) return;
      if (!this.hasMore && (await this.quiet()) === 'quiet') return this.send(ALIVE);
    }
  }

  /** Resolves when there is more, or after a while. */
  private quiet(): Promise<'more' | 'quiet'> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve('quiet'), QUIET_MS).unref();
      this.wake = () => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve('more');
      };
    });
  }

  private more(): void {
    this.hasMore = true;
    if (this.wake !== undefined) return this.wake();
    // Nobody has asked for what there is: a reader that stays away is cut off.
    if (this.controller?.desiredSize !== 0 || this.stall !== undefined || this.isEnded) return;
    this.stall = setTimeout(() => this.end(), this.stallMs).unref();
  }

  private send(text: string): void {
    if (!this.isEnded) this.controller?.enqueue(new TextEncoder().encode(text));
  }
}
