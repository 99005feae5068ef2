// Owns transcripts: what an agent wrote and did in one attempt, and what programs printed, as lines of a file next to the
// database. They are for people to read; no decision depends on them, and a run continues without them.
//
// - Every line is written as soon as it is complete, and a part of one after a moment, so that others can follow.
// - A transcript is readable by its user only, contains no secrets, and is bounded; it says where it was cut.

import { closeSync, fstatSync, mkdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentEvent } from '../../agents/driver.ts';
import { digestText } from '../../base/digest.ts';
import { type Json, parseJson } from '../../base/json.ts';
import { appendPlainFile, openPlainFile, readPlainFile, writePlainFile } from '../../base/plain-file.ts';
import type { Redactor } from '../../process/redact.ts';
import { redactJson } from '../../steps/redaction.ts';

/** Identifies the attempt of a transcript. */
export interface TranscriptId {
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
}

/** An event of a transcript: one of an agent, or output of a program. */
export type TranscriptEvent = AgentEvent | { readonly kind: 'output'; readonly text: string };

/** A line of a transcript. */
export type TranscriptLine = TranscriptEvent & { readonly at: string };

/** A transcript that is being written. */
export interface Transcript {
  add(event: TranscriptEvent): void;
  close(): void;
}

/** The clock of a transcript, and where its problems go. */
export interface TranscriptIo {
  readonly now: () => number;
  /** Called once if the transcript cannot be written. */
  readonly warn: (error: unknown) => void;
}

const BYTES_MAX = 8 * 1024 * 1024;
const TEXT_MAX = 64 * 1024;
const PIECE_MAX = 4096;
/** How long an incomplete line is held back. */
const PART_MS = 200;
const NAME_MAX = 180;

/** Returns the transcripts folder of a database. */
export function transcriptsOf(db: string): string {
  return `${db}.transcripts`;
}

/** Opens the transcript of an attempt. One that was started before a crash is continued. */
export function openTranscript(
  folder: string | undefined,
  of: TranscriptId & { readonly redactor: Redactor | undefined },
  io: TranscriptIo,
): Transcript {
  if (folder === undefined) return { add: () => undefined, close: () => undefined };
  return new TranscriptFile(transcriptFile(folder, of), of.redactor, io);
}

/** Returns the lines of an attempt's transcript, or undefined if there is none. A last line that a crash cut off is left out. */
export function readTranscript(folder: string, of: TranscriptId): TranscriptLine[] | undefined {
  let text: string;
  try {
    text = readPlainFile(transcriptFile(folder, of)).toString('utf8');
  } catch {
    return undefined;
  }
  return text.split('\n').flatMap((line) => parseTranscriptLine(line));
}

/** The last text in an attempt's transcript. Only the end of the file is read, since others still write it. */
export function lastTranscriptText(folder: string, of: TranscriptId): string | undefined {
  let file: number | undefined;
  try {
    file = openPlainFile(transcriptFile(folder, of));
    const { size } = fstatSync(file);
    const end = Buffer.alloc(Math.min(size, END_BYTES));
    readSync(file, end, 0, end.length, size - end.length);
    const last = end
      .toString('utf8')
      .split('\n')
      .flatMap(parseTranscriptLine)
      .findLast((line) => line.kind === 'text');
    return last?.kind === 'text' ? last.text : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const END_BYTES = 16 * 1024;

/** Returns the event of a line of a transcript file; none if the line is damaged. */
export function parseTranscriptLine(line: string): TranscriptLine[] {
  const event = parseJson(line) as TranscriptLine | undefined;
  return event === undefined ? [] : [event];
}

/** Removes the transcripts of runs. */
export function removeTranscripts(folder: string, runs: readonly string[]): void {
  for (const run of runs) rmSync(join(folder, nameOf(run)), { recursive: true, force: true });
}

/** Returns the path of the transcript of an attempt; the transcripts of a run share one folder. */
export function transcriptFile(folder: string, { run, path, attempt }: TranscriptId): string {
  return join(folder, nameOf(run), `${nameOf(path)}.${attempt}.jsonl`);
}

/** Writes a text for the agent of an attempt next to its transcript and returns the file; undefined if that failed. */
export function keepText(folder: string, { name, ...of }: TranscriptId & { readonly name: string }, text: string): string | undefined {
  const file = transcriptFile(folder, of).replace(/\.jsonl$/, `.${nameOf(name.replaceAll(/[^\w.-]+/g, '-'))}.txt`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writePlainFile(file, text);
    return file;
  } catch {
    // Without the file, the agent gets the whole text.
    return undefined;
  }
}

/** Makes a safe file name: escapes special characters and shortens long names. */
function nameOf(text: string): string {
  const name = encodeURIComponent(text)
    .replaceAll('*', '%2A')
    .replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
  return name.length <= NAME_MAX ? name : `${name.slice(0, NAME_MAX - 17)}~${digestText(text).slice(0, 16)}`;
}

type SpeechKind = 'text' | 'thought' | 'output';

class TranscriptFile implements Transcript {
  private readonly redactor: Redactor | undefined;
  private readonly io: TranscriptIo;
  private file: number | undefined;
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private isFull = false;
  /** The text being written. It arrives in pieces, and a secret may be split between them. */
  private speech:
    | { readonly kind: SpeechKind; readonly push: (text: string) => string; readonly end: () => string; pending: string }
    | undefined;

  constructor(path: string, redactor: Redactor | undefined, io: TranscriptIo) {
    this.redactor = redactor;
    this.io = io;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.file = appendPlainFile(path);
      this.bytes = fstatSync(this.file).size;
    } catch (error) {
      this.giveUp(error);
    }
  }

  add(event: TranscriptEvent): void {
    if (event.kind === 'text' || event.kind === 'thought' || event.kind === 'output') return this.say(event.kind, event.text);
    this.endSpeech();
    this.write(event);
  }

  close(): void {
    this.endSpeech();
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private say(kind: SpeechKind, text: string): void {
    if (this.speech?.kind !== kind) {
      this.endSpeech();
      const stream = this.redactor?.stream();
      this.speech = { kind, pending: '', push: (chunk) => stream?.push(chunk) ?? chunk, end: () => stream?.end() ?? '' };
    }
    const { speech } = this;
    if (speech === undefined) return;
    speech.pending += speech.push(text);
    const line = speech.pending.lastIndexOf('\n') + 1;
    const cut = line > 0 ? line : speech.pending.length > PIECE_MAX ? speech.pending.length : 0;
    if (cut > 0) this.put({ kind, text: speech.pending.slice(0, cut) });
    speech.pending = speech.pending.slice(cut);
    if (speech.pending !== '') this.timer ??= setTimeout(() => this.putPart(), PART_MS).unref();
  }

  /** Writes an incomplete line. */
  private putPart(): void {
    this.timer = undefined;
    const { speech } = this;
    if (speech === undefined || speech.pending === '') return;
    this.put({ kind: speech.kind, text: speech.pending });
    speech.pending = '';
  }

  private endSpeech(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { speech } = this;
    this.speech = undefined;
    if (speech === undefined) return;
    const rest = speech.pending + speech.end();
    if (rest !== '') this.put({ kind: speech.kind, text: rest });
  }

  private write(event: AgentEvent): void {
    this.put(redactJson(this.redactor, event as unknown as Json) as unknown as AgentEvent);
  }

  /** Appends a line that contains no secrets. */
  private put(event: TranscriptEvent): void {
    if (this.file === undefined || this.isFull) return;
    const at = new Date(this.io.now()).toISOString();
    const line = `${JSON.stringify({ at, ...bounded(event) })}\n`;
    this.isFull = this.bytes + Buffer.byteLength(line) > BYTES_MAX;
    const text = this.isFull ? `${JSON.stringify({ at, kind: 'notice', text: FULL })}\n` : line;
    try {
      this.bytes += writeSync(this.file, text);
    } catch (error) {
      this.giveUp(error);
    }
  }

  private giveUp(error: unknown): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.io.warn(error);
  }
}

const FULL = `the transcript was cut here: it has reached ${BYTES_MAX / 1024 / 1024} MiB`;

/** Returns the event with long texts cut and the number of omitted characters. */
function bounded(event: TranscriptEvent): TranscriptEvent {
  if ('text' in event) return { ...event, text: cut(event.text) };
  if (event.kind !== 'tool') return event;
  const input = JSON.stringify(event.input) ?? '';
  return input.length <= TEXT_MAX ? event : { ...event, input: cut(input) };
}

function cut(text: string): string {
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}… (${text.length - TEXT_MAX} more characters were cut)`;
}
