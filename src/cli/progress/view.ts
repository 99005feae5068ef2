// Shows the progress of a run and the output of its steps, whichever process drives it: a block that is redrawn on a
// terminal, a line per event in a pipe, nothing with --json. It reads the store after each commit and the transcripts as they
// grow, and never blocks the run.

import { shellWord } from '../../base/shell-word.ts';
import { clockText } from '../../control/time-text.ts';
import { type TranscriptId, transcriptsOf } from '../../engine/transcript/transcripts.ts';
import type { Path } from '../../kernel/activation.ts';
import type { Store } from '../../store/store.ts';
import { databaseOf } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { headLine, type StepLines, stepLines } from './block.ts';
import { assumedText, eventTexts } from './event-lines.ts';
import { LiveOutput } from './live-output.ts';
import type { OutputLine } from './output-lines.ts';
import { endedAttempt, liveAttempts, type ProgressEvent, type ProgressNode, ProgressReader } from './reader.ts';
import { fitRows, Screen } from './screen.ts';

/** The progress of one run on stdout. */
export interface ProgressView {
  readonly node: ProgressNode;
  /** Prints another line: above the block, or to stderr if there is no block. */
  note(text: string): void;
  /** Stops drawing while `work` runs, for example to ask a question. */
  pauseFor<T>(work: () => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

const TICK_MS = 1000;

interface ProgressOptions {
  readonly run: string;
  /** The folder of transcripts, for the output of running steps; without it, only events are shown. */
  readonly transcripts?: string | undefined;
  /** Events before this time are not printed, because the reader has seen them. */
  readonly since?: number;
  readonly onChange?: () => void;
}

/** The folder of transcripts of a command that shows live output; undefined with --quiet. */
export async function transcriptsFor(shell: Shell): Promise<string | undefined> {
  return shell.args.has('quiet') ? undefined : transcriptsOf(await databaseOf(shell, shell.args));
}

/** Starts showing a run. */
export function openProgress(shell: Shell, store: Store, options: ProgressOptions): ProgressView {
  const { run, onChange = () => undefined } = options;
  const reader = new ProgressReader(store, run);
  const view = viewFor(shell, reader.node, options);
  const catchUp = oneAtATime(async () => {
    await reader.read((event) => view.onEvent(event));
    view.draw();
    onChange();
  });
  // A failure of the store is reported by the command that waits for the run.
  const catchUpSoon = (): void => void catchUp().catch(() => undefined);
  const unfollow = store.follow(catchUpSoon);
  const redraw = (): void => view.draw();
  const timer = setInterval(redraw, TICK_MS).unref();
  shell.context.stdout.on('resize', redraw);
  catchUpSoon();
  return {
    node: reader.node,
    note: (text) => view.note(text),
    pauseFor: async (work) => {
      await catchUp();
      view.pause();
      try {
        return await work();
      } finally {
        view.resume();
      }
    },
    end: async () => {
      unfollow();
      clearInterval(timer);
      shell.context.stdout.off('resize', redraw);
      await catchUp();
      view.end();
    },
  };
}

/** Runs `work` once at a time; a call during the work makes it run again. */
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
      // Reset synchronously after the last check of `again`, so that a later call starts the work again.
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
  resume(): void;
  end(): void;
}

function viewFor(shell: Shell, node: ProgressNode, options: ProgressOptions): View {
  // A program reads the final object only.
  if (shell.wantsJson) return new SilentView(shell);
  return shell.display.isTerminal ? new BlockView(shell, node, options) : new LineView(shell, node, options);
}

class SilentView implements View {
  protected readonly shell: Shell;

  constructor(shell: Shell) {
    this.shell = shell;
  }

  onEvent(_event: ProgressEvent): void {}
  draw(): void {}
  pause(): void {}
  resume(): void {}
  end(): void {}

  note(text: string): void {
    this.shell.warn(text);
  }
}

class LineView extends SilentView {
  private readonly node: ProgressNode;
  private readonly since: number;
  private readonly output: LiveOutput | undefined;
  private readonly limits = new Map<string, OutputLimit>();
  private readonly last = new Map<string, string>();

  constructor(shell: Shell, node: ProgressNode, { transcripts, since = 0 }: ProgressOptions) {
    super(shell);
    this.node = node;
    this.since = since;
    if (transcripts !== undefined) this.output = new LiveOutput(transcripts, { onChange: () => this.draw(), wants: 'everything' });
  }

  override onEvent({ node, under, event }: ProgressEvent): void {
    const attempt = endedAttempt(node, event);
    if (attempt !== undefined) this.printOutput(attempt, under, true);
    if (event.at < this.since) return;
    for (const text of eventTexts(node.progress, event)) {
      if (this.last.get(node.run) === text) continue;
      this.last.set(node.run, text);
      this.shell.print(`${clockText(event.at)} ${[...under, text].map(oneLine).join(' > ')}`);
    }
  }

  override draw(): void {
    for (const { attempt, under } of liveAttempts(this.node)) this.printOutput(attempt, under, false);
  }

  override end(): void {
    this.output?.close();
  }

  private printOutput(attempt: TranscriptId, under: readonly Path[], isLast: boolean): void {
    if (this.output === undefined) return;
    const key = `${attempt.run} ${attempt.path} ${attempt.attempt}`;
    const limit = this.limits.get(key) ?? new OutputLimit();
    this.limits.set(key, limit);
    const lines = this.output.take(attempt, isLast).filter(({ at }) => at >= this.since);
    const path = [...under, attempt.path].map(oneLine).join(' > ');
    const rest = `"pawl logs ${attempt.run} ${shellWord(attempt.path)}" shows everything`;
    for (const line of [...lines.flatMap((one) => limit.admit(one)), ...(isLast ? limit.end() : [])])
      this.shell.print(`${clockText(line.at)} ${path} | ${'text' in line ? line.text : `(${line.leftOut} lines left out; ${rest})`}`);
    if (!isLast) return;
    this.limits.delete(key);
    this.output.forget(attempt);
  }
}

class BlockView implements View {
  private readonly shell: Shell;
  private readonly node: ProgressNode;
  private readonly screen: Screen;
  private readonly since: number;
  private readonly output: LiveOutput | undefined;
  private readonly scrolledOut = new Set<string>();
  /** Lines to print after a pause; undefined unless paused. */
  private pendingNotes: string[] | undefined;

  constructor(shell: Shell, node: ProgressNode, { transcripts, since = 0 }: ProgressOptions) {
    this.shell = shell;
    this.node = node;
    this.since = since;
    this.screen = new Screen(shell);
    if (transcripts !== undefined) this.output = new LiveOutput(transcripts, { onChange: () => this.draw(), wants: 'last lines' });
  }

  onEvent({ node, event }: ProgressEvent): void {
    const attempt = endedAttempt(node, event);
    if (attempt !== undefined) this.output?.forget(attempt);
    const assumed = assumedText(node.run, event);
    if (assumed !== undefined && event.at >= this.since) this.note(assumed);
  }

  draw(above: readonly string[] = []): void {
    if (this.pendingNotes !== undefined || this.node.progress.state === undefined) return;
    const { head, steps } = this.lines();
    const fitted = fitRows(steps, this.screen.size.rows - 2);
    for (const { key } of fitted.out) this.scrolledOut.add(key);
    this.screen.draw([head, ...fitted.lines], [...above, ...fitted.out.flatMap(({ lines }) => lines)]);
  }

  private lines(): { readonly head: string; readonly steps: readonly StepLines[] } {
    const { output } = this;
    const count = output === undefined ? 0 : linesPerStep(liveAttempts(this.node).length);
    const context = {
      columns: this.screen.size.columns,
      now: Date.now(),
      outputOf: (attempt: TranscriptId) => (count === 0 ? [] : (output?.last(attempt, count) ?? [])),
    };
    const steps = stepLines(this.shell, this.node, context).filter(({ key, ended }) => !ended || !this.scrolledOut.has(key));
    return { head: headLine(this.shell, this.node, context), steps };
  }

  note(text: string): void {
    if (this.pendingNotes !== undefined) this.pendingNotes.push(text);
    else if (this.node.progress.state === undefined) this.shell.print(text);
    else this.draw([text]);
  }

  pause(): void {
    this.draw();
    this.screen.finish();
    this.pendingNotes = [];
  }

  resume(): void {
    const notes = this.pendingNotes ?? [];
    this.pendingNotes = undefined;
    this.draw(notes);
  }

  end(): void {
    const { head, steps } = this.lines();
    if (this.node.progress.state !== undefined) this.screen.draw([head, ...steps.flatMap(({ lines }) => lines)]);
    this.screen.finish();
    this.output?.close();
  }
}

function linesPerStep(steps: number): number {
  return steps <= 1 ? 4 : steps <= 3 ? 2 : 1;
}

const LINES_PER_SECOND = 40;
const CHARACTERS_MAX = 64 * 1024;
const LINE_MAX = 300;

/** A line to print, or the number of lines that were left out. */
type LimitedLine = OutputLine | { readonly at: number; readonly leftOut: number };

/**
 * Limits the lines of one attempt in a pipe: lines per second, by the time they were printed, and characters in total. Omitted
 * lines are counted.
 */
export class OutputLimit {
  private omitted = { at: 0, leftOut: 0 };
  private second = 0;
  private inSecond = 0;
  private characters = 0;

  /** What to print for the next line: nothing, or the line, after the number of lines left out before it. */
  admit(line: OutputLine): readonly LimitedLine[] {
    const second = Math.floor(line.at / 1000);
    if (second !== this.second) this.inSecond = 0;
    this.second = second;
    this.inSecond += 1;
    if (this.inSecond > LINES_PER_SECOND || this.characters > CHARACTERS_MAX) {
      this.omitted = { at: line.at, leftOut: this.omitted.leftOut + 1 };
      return [];
    }
    const text = line.text.length <= LINE_MAX ? line.text : `${line.text.slice(0, LINE_MAX)}...`;
    this.characters += text.length;
    return [...this.end(), { at: line.at, text }];
  }

  /** The number of lines left out since the last printed one, if any. */
  end(): readonly LimitedLine[] {
    const { omitted } = this;
    if (omitted.leftOut === 0) return [];
    this.omitted = { at: omitted.at, leftOut: 0 };
    return [omitted];
  }
}
