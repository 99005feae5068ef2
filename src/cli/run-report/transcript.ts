// Prints the transcript of an attempt: the agent's text and the output of programs in full, tool calls and their
// results truncated.

import { jsonText } from '../../base/json.ts';
import type { TranscriptLine } from '../../engine/transcript/transcripts.ts';
import type { Shell } from '../shell.ts';
import { oneLine, type StyleName } from '../terminal.ts';
import { cutLines } from './text.ts';

const INDENT = 6;
const RESULT_LINES = 6;

/** The lines of a transcript; empty if there is none. */
export function transcriptLines(shell: Shell, transcript: readonly TranscriptLine[] | undefined): string[] {
  if (transcript === undefined || transcript.length === 0) return [];
  const pad = ' '.repeat(INDENT - 2);
  return [`${pad}${shell.style('dim', 'transcript')}`, ...joinText(transcript).flatMap((line) => linesOf(shell, line))];
}

function joinText(transcript: readonly TranscriptLine[]): TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  for (const line of transcript) {
    const last = lines.at(-1);
    if (last?.kind === line.kind && isStreamed(last) && isStreamed(line))
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
  const styled = (style: StyleName, text: string, layout = all): string[] =>
    cutLines(shell, text, layout).map((row) => shell.style(style, row));
  switch (line.kind) {
    case 'text':
    case 'output':
      return cutLines(shell, line.text, all);
    case 'thought':
    case 'notice':
      return styled('dim', `(${line.text.trimEnd()})`);
    case 'tool':
      return styled('cyan', `> ${oneLine(line.name)} ${jsonText(line.input)}`, { indent: INDENT, max: RESULT_LINES });
    case 'tool-result':
      return styled(line.ok ? 'dim' : 'red', `${line.ok ? '' : 'failed: '}${line.text}`, { indent: INDENT + 2, max: RESULT_LINES });
    case 'refused':
      return styled('red', `denied: ${oneLine(line.tool)} (${line.action}): ${line.why}`);
  }
}
