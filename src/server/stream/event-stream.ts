// Owns one stream of events to one reader (server-sent events). Nothing is buffered for a slow reader: the stream continues
// from the log when the reader is ready, and is closed if the reader is not ready for too long.

/** Where a stream reads from. */
export interface StreamSource {
  /** The next messages of the stream; an empty string if there are none now. */
  read(): Promise<string>;
  /** Calls back when there may be more. Returns a function that ends that. */
  listen(more: () => void): () => void;
}

/** How long a reader may leave messages unread. */
const STALL_MS = 30_000;
/** How often a stream without messages sends a keep-alive. */
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
  private isFirstPull = true;
  private readonly stallMs: number;
  private stall: NodeJS.Timeout | undefined;

  constructor(source: StreamSource, { onEnd, stallMs = STALL_MS }: { readonly onEnd: () => void; readonly stallMs?: number }) {
    this.source = source;
    this.onEnd = onEnd;
    this.stallMs = stallMs;
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      this.controller = controller;
    };
    // Nothing is read ahead: `pull` is first called when the reader reads.
    this.body = new ReadableStream<Uint8Array>({ start, pull: () => this.pull(), cancel: () => this.end() }, { highWaterMark: 0 });
  }

  /** Ends the stream. A browser then connects again. */
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
    if (this.isFirstPull) {
      this.isFirstPull = false;
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
    // The reader has not asked for more: the stream is closed if it does not do so in time.
    if (this.controller?.desiredSize !== 0 || this.stall !== undefined || this.isEnded) return;
    this.stall = setTimeout(() => this.end(), this.stallMs).unref();
  }

  private send(text: string): void {
    if (!this.isEnded) this.controller?.enqueue(new TextEncoder().encode(text));
  }
}
