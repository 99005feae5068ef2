// Owns where an expression stands: a stretch of a text, and the place of that text in a file. The stretch lets a
// template hand each of its `{{ }}` parts to the same reader and still get columns of the whole.

import { EngineError, type SourcePosition } from '../base/error.ts';

/** A stretch of text to read, and where the text begins in its file. */
export interface Source {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly origin: SourcePosition;
}

/** A complaint about one place of a source. */
export interface Complaint {
  readonly offset: number;
  readonly message: string;
}

const EXCERPT_MAX = 80;

/** The line and column of an offset into the source's text. */
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
export function syntaxError(source: Source, complaint: Complaint): EngineError {
  return new EngineError('EXPRESSION_SYNTAX', `cannot read the expression ${excerpt(source)}: ${complaint.message}`, {
    position: positionAt(source, complaint.offset),
  });
}

/** The error for a source that is larger than an expression may be. */
export function limitError(source: Source, complaint: Complaint): EngineError {
  return new EngineError('EXPRESSION_LIMIT', `the expression ${excerpt(source)} is too large: ${complaint.message}`, {
    position: positionAt(source, complaint.offset),
  });
}

/** The error for an expression that has no value in its scope. */
export function evaluationError(source: Source, complaint: Complaint): EngineError {
  return new EngineError('EXPRESSION_EVALUATION', `cannot evaluate ${excerpt(source)}: ${complaint.message}`, {
    position: positionAt(source, complaint.offset),
  });
}

function excerpt(source: Source): string {
  const { text, start, end } = source;
  const whole = text.slice(start, Math.min(end, start + EXCERPT_MAX + 1)).trim();
  return whole.length > EXCERPT_MAX ? `\`${whole.slice(0, EXCERPT_MAX - 1)}…\`` : `\`${whole}\``;
}
