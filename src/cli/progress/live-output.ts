// Owns the live output of steps, read from their transcripts, whichever process writes them. The folder of the transcripts is
// watched; if that is not possible, each call reads the files.

import { type FSWatcher, watch } from 'node:fs';
import { TranscriptTail } from '../../engine/transcript/transcript-tail.ts';
import type { TranscriptId } from '../../engine/transcript/transcripts.ts';
import { type OutputLine, OutputLines } from './output-lines.ts';

/** How long changes are collected before `onChange` is called, so that a step with much output costs little. */
const COLLECT_MS = 100;
const KEPT_LINES = 20;
/** How much of a transcript is read to show its last lines. */
const LAST_BYTES = 64 * 1024;

interface Source {
  readonly tail: TranscriptTail;
  readonly lines: OutputLines;
  kept: OutputLine[];
  isChanged: boolean;
}

/** The live output of attempts. */
export class LiveOutput {
  private readonly folder: string;
  private readonly onChange: () => void;
  private readonly lastBytes: number;
  private readonly sources = new Map<string, Source>();
  private readonly watchers = new Map<string, FSWatcher>();
  private timer: NodeJS.Timeout | undefined;

  constructor(folder: string, { onChange, wants }: { readonly onChange: () => void; readonly wants: 'everything' | 'last lines' }) {
    this.folder = folder;
    this.onChange = onChange;
    this.lastBytes = wants === 'everything' ? Number.POSITIVE_INFINITY : LAST_BYTES;
  }

  last(attempt: TranscriptId, count: number): readonly string[] {
    const source = this.sourceOf(attempt);
    this.read(source);
    const { partial } = source.lines;
    return [...source.kept.map(({ text }) => text), ...(partial === '' ? [] : [partial])].slice(-count);
  }

  /** The lines that an attempt completed since the last call; with `all`, also an incomplete one. */
  take(attempt: TranscriptId, all = false): readonly OutputLine[] {
    const source = this.sourceOf(attempt);
    if (all) source.isChanged = true;
    const lines = this.read(source);
    return all ? [...lines, ...source.lines.end(lines.at(-1)?.at ?? Date.now())] : lines;
  }

  forget(attempt: TranscriptId): void {
    this.sources.delete(keyOf(attempt));
  }

  close(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private sourceOf(attempt: TranscriptId): Source {
    const tail = (): TranscriptTail => new TranscriptTail(this.folder, attempt, this.lastBytes);
    const source = this.sources.get(keyOf(attempt)) ?? { tail: tail(), lines: new OutputLines(), kept: [], isChanged: true };
    this.sources.set(keyOf(attempt), source);
    this.watchFolder(source.tail.folder);
    return source;
  }

  private read(source: Source): OutputLine[] {
    if (!source.isChanged && this.watchers.has(source.tail.folder)) return [];
    source.isChanged = false;
    const lines = source.tail.read().flatMap((event) => source.lines.push(event));
    if (lines.length > 0) source.kept = [...source.kept, ...lines].slice(-KEPT_LINES);
    return lines;
  }

  /** The folder is created with the first transcript of its run; until then every call tries again. */
  private watchFolder(folder: string): void {
    if (this.watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => this.changed(folder, name));
      watcher.on('error', () => {
        watcher.close();
        this.watchers.delete(folder);
      });
      this.watchers.set(folder, watcher);
      // The watcher does not report what was written before it started.
      for (const source of this.sources.values()) if (source.tail.folder === folder) source.isChanged = true;
    } catch {
      // The folder does not exist yet, or cannot be watched.
    }
  }

  private changed(folder: string, name: string | null): void {
    for (const source of this.sources.values())
      if (source.tail.folder === folder && (name === null || name === source.tail.name)) source.isChanged = true;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.onChange();
    }, COLLECT_MS);
  }
}

function keyOf({ run, path, attempt }: TranscriptId): string {
  return JSON.stringify([run, path, attempt]);
}
