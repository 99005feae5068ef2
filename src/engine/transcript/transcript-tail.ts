// Follows a transcript that this or another process writes: each read returns the lines completed since the last read.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openPlainFile } from '../../base/plain-file.ts';
import { parseTranscriptLine, type TranscriptId, type TranscriptLine, transcriptFile } from './transcripts.ts';

/** Longer than any line of a transcript. */
const CHUNK_BYTES = 1024 * 1024;

/** Follows a transcript; `lastBytes` limits how much of its existing content is read. */
export class TranscriptTail {
  /** The folder and the name of the file, which may not exist yet. */
  readonly folder: string;
  readonly name: string;
  private readonly file: string;
  private readonly lastBytes: number;
  private position = 0;
  private isStarted = false;

  constructor(folder: string, of: TranscriptId, lastBytes: number = Number.POSITIVE_INFINITY) {
    this.file = transcriptFile(folder, of);
    this.folder = dirname(this.file);
    this.name = basename(this.file);
    this.lastBytes = lastBytes;
  }

  /** Reads the new lines; none if there is no file. */
  read(): TranscriptLine[] {
    let file: number;
    try {
      file = openPlainFile(this.file);
    } catch {
      return [];
    }
    try {
      return this.linesIn(file);
    } catch {
      return [];
    } finally {
      closeSync(file);
    }
  }

  private linesIn(file: number): TranscriptLine[] {
    const { size } = fstatSync(file);
    if (!this.isStarted) this.position = Math.max(0, size - this.lastBytes);
    this.isStarted = true;
    const lines: TranscriptLine[] = [];
    while (this.position < size) {
      const bytes = Buffer.alloc(Math.min(CHUNK_BYTES, size - this.position));
      const end = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, this.position)).lastIndexOf(0x0a) + 1;
      // A line that is still being written is read the next time.
      if (end === 0) break;
      this.position += end;
      lines.push(...bytes.toString('utf8', 0, end).split('\n').flatMap(parseTranscriptLine));
    }
    return lines;
  }
}
