// Splits a transcript into lines for a live view: the text of the agent, the output of programs, and a line for each
// tool call. The text arrives in pieces; control characters are removed.

import { jsonText } from '../../base/json.ts';
import type { TranscriptLine } from '../../engine/transcript/transcripts.ts';
import { oneLine, plain } from '../terminal.ts';

/** A line that a step printed. */
export interface OutputLine {
  readonly at: number;
  readonly text: string;
}

const LINE_MAX = 1000;

/** Joins the pieces of a transcript into lines. */
export class OutputLines {
  private part = '';
  private kind = '';

  /** The beginning of a line that is not complete. */
  get partial(): string {
    return clean(this.part);
  }

  /** Takes the next event and returns the lines that it completed. */
  push(event: TranscriptLine): OutputLine[] {
    const at = Date.parse(event.at);
    const ended = this.kind === event.kind ? [] : this.end(at);
    this.kind = event.kind;
    const texts = 'text' in event && event.kind !== 'notice' && event.kind !== 'tool-result' ? this.split(event.text) : eventTexts(event);
    return [...ended, ...texts.map((text) => ({ at, text: clean(text) }))].filter(({ text }) => text !== '');
  }

  /** Ends the transcript; returns the last line if it was not complete. */
  end(at: number): OutputLine[] {
    const text = this.partial;
    this.part = '';
    return text === '' ? [] : [{ at, text }];
  }

  private split(text: string): string[] {
    const lines = `${this.part}${text}`.split('\n');
    this.part = (lines.pop() ?? '').slice(-LINE_MAX);
    return lines;
  }
}

function eventTexts(event: TranscriptLine): string[] {
  switch (event.kind) {
    case 'tool':
      return [`> ${event.name} ${jsonText(event.input)}`];
    case 'tool-result':
      return event.ok ? [] : [`failed: ${oneLine(event.text.slice(0, LINE_MAX))}`];
    case 'notice':
      return [`(${oneLine(event.text.slice(0, LINE_MAX))})`];
    case 'refused':
      return [`denied: ${event.tool} (${event.action}): ${event.why}`];
    default:
      return [];
  }
}

/** A line without control characters. Of a progress bar, which overwrites its line, only the last state. */
function clean(line: string): string {
  const shown = line.includes('\r') ? (line.split('\r').findLast((part) => part.trim() !== '') ?? '') : line;
  return plain(shown.slice(0, LINE_MAX)).replaceAll('\t', '  ').trimEnd();
}
