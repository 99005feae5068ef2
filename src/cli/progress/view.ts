// Owns showing the progress of a run, whichever process drives it: a block that is redrawn on a terminal, a line per
// event in a pipe, nothing with --json. It reads the store after each commit and never blocks the run.

import type { Store } from '../../store/store.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { clockText } from '../time.ts';
import { headLine, type StepLines, stepLines } from './block.ts';
import { eventTexts } from './event-lines.ts';
import { type ProgressEvent, type ProgressNode, ProgressReader } from './reader.ts';
import { fitRows, Screen } from './screen.ts';

/** The progress of one run on stdout. */
export interface ProgressView {
  /** The run up to the last event shown. */
  readonly node: ProgressNode;
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
  const view = viewFor(shell, reader.node, since);
  const catchUp = oneAtATime(async () => {
    await reader.read((event) => view.onEvent(event));
    view.draw();
    changed();
  });
  // A failure of the store is reported by the command that waits for the run.
  const catchUpSoon = (): void => void catchUp().catch(() => undefined);
  const unfollow = store.follow(catchUpSoon);
  const timer = setInterval(() => view.draw(), TICK_MS).unref();
  catchUpSoon();
  return {
    node: reader.node,
    note: (text) => view.note(text),
    pause: async () => {
      await catchUp();
      view.pause();
    },
    end: async () => {
      unfollow();
      clearInterval(timer);
      await catchUp();
      view.end();
    },
  };
}

/** Never does the work twice at the same time; a call that comes meanwhile makes it repeat. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | undefined;
  let again = false;
  const repeat = async (): Promise<void> => {
    try {
      do {
        again = false;
        await work();
      } while (again);
    } finally {
      // Reset synchronously after the last check of `again`, so that a later call starts the work anew.
      working = undefined;
    }
  };
  return () => {
    again = true;
    working ??= repeat();
    return working;
  };
}

interface View {
  onEvent(event: ProgressEvent): void;
  draw(): void;
  note(text: string): void;
  pause(): void;
  end(): void;
}

function viewFor(shell: Shell, node: ProgressNode, since: number): View {
  if (shell.look.isTerminal && !shell.wantsJson) return new BlockView(shell, node);
  const nothing = (): void => undefined;
  // A program reads the final object only.
  const onEvent = shell.wantsJson ? nothing : lineWriter(shell, since);
  return { onEvent, draw: nothing, note: (text) => shell.warn(text), pause: nothing, end: nothing };
}

/** Prints one line per event. */
function lineWriter(shell: Shell, since: number): View['onEvent'] {
  const last = new Map<string, string>();
  return ({ node, under, event }) => {
    if (event.at < since) return;
    for (const text of eventTexts(node.progress, event)) {
      if (last.get(node.run) === text) continue;
      last.set(node.run, text);
      shell.print(`${clockText(event.at)} ${[...under, text].map(oneLine).join(' > ')}`);
    }
  };
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
    const { head, steps } = this.lines();
    const fitted = fitRows(steps, this.screen.size.rows - 2);
    for (const { key } of fitted.out) this.out.add(key);
    this.screen.draw([head, ...fitted.lines], [...above, ...fitted.out.flatMap(({ lines }) => lines)]);
  }

  /** The head line, and the steps that have not scrolled out. */
  private lines(): { readonly head: string; readonly steps: readonly StepLines[] } {
    const room = { columns: this.screen.size.columns, now: Date.now() };
    const steps = stepLines(this.shell, this.node, room).filter(({ key, ended }) => !ended || !this.out.has(key));
    return { head: headLine(this.shell, this.node, room), steps };
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
    const { head, steps } = this.lines();
    if (this.node.progress.state !== undefined) this.screen.draw([head, ...steps.flatMap(({ lines }) => lines)]);
    this.screen.leave();
  }
}
