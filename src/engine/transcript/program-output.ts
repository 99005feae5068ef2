// Writes the output of running programs to the transcript. The beginning is written in full; after that only the
// last lines of each second, so that neither the file nor its readers are flooded.

import type { OutputSink, OutputSource, StepServices } from '../../steps/services.ts';
import { keepText, openTranscript, type Transcript, type TranscriptIo } from './transcripts.ts';

const FULL_MAX = 1024 * 1024;
const LAST_MAX = 4096;
const PAUSE_MS = 1000;

/** The services that write to the transcripts folder: program output, and files for agents. None without a folder. */
export function textsBeside(folder: string | undefined, io: TranscriptIo): Pick<StepServices, 'openOutput' | 'keepText'> {
  if (folder === undefined) return {};
  return { openOutput: (of) => openProgramOutput(folder, of, io), keepText: (of, text) => keepText(folder, of, text) };
}

/** Opens the output of a program; the transcript is created when it prints something. */
export function openProgramOutput(folder: string, of: OutputSource, io: TranscriptIo): OutputSink {
  // The output is already masked here.
  return new ProgramOutput(() => openTranscript(folder, { ...of, redactor: undefined }, io));
}

class ProgramOutput implements OutputSink {
  private readonly open: () => Transcript;
  private transcript: Transcript | undefined;
  private written = 0;
  private last = '';
  private leftOut = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(open: () => Transcript) {
    this.open = open;
  }

  push(text: string): void {
    this.transcript ??= this.open();
    if (this.written < FULL_MAX) {
      this.written += text.length;
      this.transcript.add({ kind: 'output', text });
      return;
    }
    const all = this.last + text;
    this.last = all.slice(-LAST_MAX);
    this.leftOut += all.length - this.last.length;
    this.timer ??= setTimeout(() => this.putLast(), PAUSE_MS).unref();
  }

  close(): void {
    clearTimeout(this.timer);
    this.putLast();
    this.transcript?.close();
  }

  private putLast(): void {
    this.timer = undefined;
    const { last, leftOut } = this;
    if (last === '') return;
    this.last = '';
    this.leftOut = 0;
    // A line whose beginning was left out is dropped completely.
    const start = leftOut === 0 ? 0 : last.indexOf('\n') + 1;
    const note = leftOut + start === 0 ? '' : `\n[${leftOut + start} characters left out]\n`;
    this.transcript?.add({ kind: 'output', text: `${note}${last.slice(start)}` });
  }
}
