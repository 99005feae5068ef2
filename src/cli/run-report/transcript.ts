// Owns how the transcript of an attempt is printed: the agent's text and the output of
// programs in full, tool calls and their results shortened.

import { jsonText } from '../../base/json.ts';
import type { TranscriptLine } from '../../engine/transcript/transcripts.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { cutLines } from './text.ts';

const INDENT = 6;
const RESULT_LINES = 6;

/** The lines of a transcript; empty if there is none. */
export function transcriptLines(shell: Shell, transcript: readonly TranscriptLine[] | undefined): string[] {
  if (transcript === undefined || transcript.length === 0) return [];
  const pad = ' '.repeat(INDENT - 2);
  return [`${pad}${shell.style('dim', 'transcript')}`, ...joined(transcript).flatMap((line) => linesOf(shell, line))];
}

/** Joins consecutive pieces of text. */
function joined(transcript: readonly TranscriptLine[]): TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  for (const line of transcript) {
    const last = lines.at(-1);
    if (last !== undefined && last.kind === line.kind && isStreamed(last) && isStreamed(line))
      lines[lines.length - 1] = { ...last, text: last.text + line.text };
    else lines.push(line);
  }
  return lines;
}

function isStreamed(line: TranscriptLine): line is Extract<TranscriptLine, { kind: 'text' | 'thought' | 'output' }> {
  return line.kind === 'text' || line.kind === 'thought' || line.kind === 'output';
}

function linesOf(shell: Shell, line: TranscriptLine): string[] {
  const all = { indent: INDENT, max: Number.POSITIVE_INFINITY };
  switch (line.kind) {
    case 'text':
    case 'output':
      return cutLines(shell, line.text, all);
    case 'thought':
    case 'notice':
      return cutLines(shell, `(${line.text.trimEnd()})`, all).map((text) => shell.style('dim', text));
    case 'tool':
      return cutLines(shell, `> ${oneLine(line.name)} ${jsonText(line.input)}`, { indent: INDENT, max: RESULT_LINES }).map((text) =>
        shell.style('cyan', text),
      );
    case 'tool-result':
      return cutLines(shell, `${line.ok ? '' : 'failed: '}${line.text}`, { indent: INDENT + 2, max: RESULT_LINES }).map((text) =>
        shell.style(line.ok ? 'dim' : 'red', text),
      );
    case 'refused':
      return cutLines(shell, `denied: ${oneLine(line.tool)} (${line.deed}): ${line.why}`, all).map((text) => shell.style('red', text));
  }
}
