// Owns showing the progress of a run, whichever process drives it: a block that is redrawn on a terminal, a line per
// event in a pipe, nothing with --json. It reads the store after each commit and never blocks the run.

import type { Store } from '../../store/store.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { clockText } from '../time.ts';
import { headLine, stepLines } from './block.ts';
import { eventTexts } from './event-lines.ts';
import { type ProgressEvent, type ProgressNode, ProgressReader } from './reader.ts';
import { fitRows, Screen } from './screen.ts';

/** The progress of one run on stdout. */
export interface ProgressView {
  /** The run up to the last event shown. */
  readonly node: ProgressNode;
  /** Shows everything that is on disk now. */
  catchUp(): Promise<void>;
  /** Prints a line that is not part of the progress: above the block, or to stderr if there is no block. */
  note(text: string): void;
  /** Leaves the terminal to something else until the next event. */
  pause(): Promise<void>;
  /** Shows the last state and stops. */
  end(): Promise<void>;
}

const TICK_MS = 1000;

/** A run to show. */
export interface ProgressOptions {
  readonly run: string;
  /** A pipe gets no lines for events before this time: its reader has seen them. */
  readonly since?: number;
  /** Called whenever something new was read. */
  readonly changed?: () => void;
}

/** Starts showing a run. */
export function openProgress(shell: Shell, store: Store, { run, since = 0, changed = () => undefined }: ProgressOptions): ProgressView {
  const reader = new ProgressReader(store, run);
  const view = shell.wantsJson
    ? new SilentView(shell)
    : shell.look.isTerminal
      ? new BlockView(shell, reader.node)
      : new LineView(shell, since);
  const feed = new Feed(reader, view, changed);
  const unfollow = store.follow(() => feed.soon());
  const timer = setInterval(() => view.draw(), TICK_MS).unref();
  feed.soon();
  return {
    node: reader.node,
    catchUp: () => feed.catchUp(),
    note: (text) => view.note(text),
    pause: async () => {
      await feed.catchUp();
      view.pause();
    },
    end: async () => {
      unfollow();
      clearInterval(timer);
      await feed.catchUp();
      view.end();
    },
  };
}

interface View {
  onEvent(event: ProgressEvent): void;
  draw(): void;
  note(text: string): void;
  pause(): void;
  end(): void;
}

/** Reads new events, one batch at a time; events that arrive meanwhile are read right after. */
class Feed {
  private readonly reader: ProgressReader;
  private readonly view: View;
  private readonly changed: () => void;
  private reading: Promise<void> | undefined;
  private again = false;

  constructor(reader: ProgressReader, view: View, changed: () => void) {
    this.reader = reader;
    this.view = view;
    this.changed = changed;
  }

  /** Reads soon; a failure of the store is reported by the command that waits for the run. */
  soon(): void {
    this.catchUp().catch(() => undefined);
  }

  async catchUp(): Promise<void> {
    if (this.reading !== undefined) {
      this.again = true;
      return this.reading;
    }
    this.reading = this.readAll();
    return this.reading;
  }

  private async readAll(): Promise<void> {
    try {
      do {
        this.again = false;
        await this.reader.read((event) => this.view.onEvent(event));
        this.view.draw();
        this.changed();
      } while (this.again);
    } finally {
      // Reset synchronously after the last check of `again`, so that a later call starts a new read.
      this.reading = undefined;
    }
  }
}

/** For programs that read the final object only. */
class SilentView implements View {
  protected readonly shell: Shell;

  constructor(shell: Shell) {
    this.shell = shell;
  }

  onEvent(_event: ProgressEvent): void {}
  draw(): void {}
  pause(): void {}
  end(): void {}

  note(text: string): void {
    this.shell.warn(text);
  }
}

/** One line per event. */
class LineView extends SilentView {
  private readonly since: number;
  private readonly last = new Map<string, string>();

  constructor(shell: Shell, since: number) {
    super(shell);
    this.since = since;
  }

  override onEvent({ node, under, event }: ProgressEvent): void {
    if (event.at < this.since) return;
    for (const text of eventTexts(node.progress, event)) {
      if (this.last.get(node.run) === text) continue;
      this.last.set(node.run, text);
      this.shell.print(`${clockText(event.at)} ${[...under, text].map(oneLine).join(' > ')}`);
    }
  }
}

/** A block that is redrawn in place. */
class BlockView implements View {
  private readonly shell: Shell;
  private readonly node: ProgressNode;
  private readonly screen: Screen;
  private readonly out = new Set<string>();
  private paused = false;

  constructor(shell: Shell, node: ProgressNode) {
    this.shell = shell;
    this.node = node;
    this.screen = new Screen(shell);
  }

  onEvent(_event: ProgressEvent): void {
    this.paused = false;
  }

  draw(above: readonly string[] = []): void {
    if (this.paused || this.node.progress.state === undefined) return;
    const { columns, rows } = this.screen.size;
    const room = { columns, now: Date.now() };
    const steps = stepLines(this.shell, this.node, room).filter(({ key, ended }) => !ended || !this.out.has(key));
    const fitted = fitRows(steps, rows - 2);
    for (const { key } of fitted.out) this.out.add(key);
    this.screen.draw([headLine(this.shell, this.node, room), ...fitted.lines], [...above, ...fitted.out.flatMap(({ lines }) => lines)]);
  }

  note(text: string): void {
    if (this.node.progress.state === undefined || this.paused) this.shell.print(text);
    else this.draw([text]);
  }

  pause(): void {
    this.draw();
    this.screen.leave();
    this.paused = true;
  }

  end(): void {
    if (this.paused) return;
    const room = { columns: this.screen.size.columns, now: Date.now() };
    const steps = stepLines(this.shell, this.node, room).filter(({ key, ended }) => !ended || !this.out.has(key));
    if (this.node.progress.state !== undefined)
      this.screen.draw([headLine(this.shell, this.node, room), ...steps.flatMap(({ lines }) => lines)]);
    this.screen.leave();
  }
}
