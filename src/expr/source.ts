// Owns the location of an expression: a range of a text, and the position of that text in a file. The range lets a
// template pass each of its `{{ }}` parts to the same parser and still get columns of the whole text.

import { EngineError, type ErrorCode, type SourcePosition } from '../base/error.ts';

/** A range of text to parse, and where the text starts in its file. */
export interface Source {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly origin: SourcePosition;
}

/** A message about one position of a source. */
interface SourceMessage {
  readonly offset: number;
  readonly message: string;
}

const EXCERPT_MAX = 80;

/** Returns the position where a text starts, which by default is the start of a file. */
export function startOf({ file, line = 1, column = 1 }: Partial<SourcePosition>): SourcePosition {
  return file === undefined ? { line, column } : { file, line, column };
}

/** Returns the line and column of an offset into the source's text. */
export function positionAt(source: Source, offset: number): SourcePosition {
  const { origin, text } = source;
  let line = origin.line;
  let lineStart = -1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at;
  }
  const column = lineStart === -1 ? origin.column + offset : offset - lineStart;
  return origin.file === undefined ? { line, column } : { file: origin.file, line, column };
}

/** The error for a source that is not an expression. */
export function syntaxError(source: Source, complaint: SourceMessage): EngineError {
  return errorAt(source, complaint, { code: 'EXPRESSION_SYNTAX', prefix: `cannot read the expression ${excerpt(source)}` });
}

/** The error for a source that is too large. */
export function limitError(source: Source, complaint: SourceMessage): EngineError {
  return errorAt(source, complaint, { code: 'EXPRESSION_LIMIT', prefix: `the expression ${excerpt(source)} is too large` });
}

/** The error for an expression without a value in its scope. */
export function evaluationError(source: Source, complaint: SourceMessage): EngineError {
  return errorAt(source, complaint, { code: 'EXPRESSION_EVALUATION', prefix: `cannot evaluate ${excerpt(source)}` });
}

function errorAt(source: Source, { offset, message }: SourceMessage, { code, prefix }: { code: ErrorCode; prefix: string }): EngineError {
  return new EngineError(code, `${prefix}: ${message}`, { position: positionAt(source, offset) });
}

function excerpt(source: Source): string {
  const { text, start, end } = source;
  const whole = text.slice(start, Math.min(end, start + EXCERPT_MAX + 1)).trim();
  return whole.length > EXCERPT_MAX ? `\`${whole.slice(0, EXCERPT_MAX - 1)}…\`` : `\`${whole}\``;
}
