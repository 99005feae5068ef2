// Finds the `{{ }}` placeholders of a text: one pass from left to right, each placeholder parsed in place, so that
// every error and every path has its position in the file.
//
// - A placeholder ends at the first `}}` outside quotes; an expression has braces only in quotes, so there is no other.
// - Everything outside the placeholders is text, also a `}}` without its `{{`, and `{%`, `{#`, `<%` and `${`.

import { EngineError, type SourcePosition } from '../base/error.ts';
import { shortText } from '../base/short-text.ts';
import { type Expression, parseExpression } from './expression.ts';
import type { FreePath } from './free-paths.ts';
import { startOf } from './source.ts';

/** How many placeholders a template, or a tree of them, may have. */
export const PLACEHOLDERS_MAX = 1_000;
const EXCERPT_MAX = 80;

/**
 * Where a text starts in its file. `indent` is the number of columns before each further line of the text in the file,
 * such as the removed indentation of a YAML block scalar.
 */
export interface Origin extends Partial<SourcePosition> {
  readonly indent?: number;
}

/** An expression between braces, and the paths it reads, with positions in the file. */
export interface Placeholder {
  readonly expression: Expression;
  readonly paths: readonly FreePath[];
  readonly place: PlaceholderPosition;
}

/** The line where a placeholder starts, and the indentation of its further lines in the file. */
interface PlaceholderPosition {
  readonly line: number;
  readonly indent: number;
}

/** Returns the texts and placeholders of a text alternately, starting and ending with a text, which may be empty. */
export function readParts(text: string, origin: Origin): (string | Placeholder)[] {
  const places = new Places(text, origin);
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', end)) {
    if (parts.length >= 2 * PLACEHOLDERS_MAX)
      throw templateLimit(text, places.at(open), `it has more than ${PLACEHOLDERS_MAX} placeholders; split it up`);
    const close = findClose(text, open, places);
    parts.push(text.slice(end, open), readPlaceholder(text.slice(open + 2, close), places.at(open + 2), places.indent));
    end = close + 2;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Runs an action for a placeholder, and corrects the position of its error. */
export function inPlaceholder<T>(place: PlaceholderPosition, action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    if (!(thrown instanceof EngineError) || thrown.position === undefined) throw thrown;
    const position = indented(thrown.position, place);
    if (position === thrown.position) throw thrown;
    throw new EngineError(thrown.code, thrown.message, { position });
  }
}

/** The error for a template that is too large. */
export function templateLimit(text: string, position: SourcePosition, message: string): EngineError {
  return new EngineError('EXPRESSION_LIMIT', `the template ${excerpt(text)} is too large: ${message}`, { position });
}

function readPlaceholder(source: string, start: SourcePosition, indent: number): Placeholder {
  const place = { line: start.line, indent };
  const expression = inPlaceholder(place, () => parseExpression(source, start));
  const paths = expression.paths.map(({ segments, position }) => ({ segments, position: indented(position, place) }));
  return { expression, paths, place };
}

/** The parser of a placeholder does not know the indentation of its further lines in the file. */
function indented(position: SourcePosition, place: PlaceholderPosition): SourcePosition {
  if (position.line === place.line || place.indent === 0) return position;
  return { ...position, column: position.column + place.indent };
}

/** Returns the offset of the `}}` that ends the placeholder. */
function findClose(text: string, open: number, places: Places): number {
  let at = open + 2;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") at = pastQuote(text, at, { open, places });
    else if (text.startsWith('}}', at)) return at;
    else if (text.startsWith('{{', at)) break;
    else at += 1;
  }
  const before = at < text.length ? ' before the next {{' : '';
  throw placeholderError(
    text.slice(open),
    places.at(open),
    `the placeholder that starts here has no closing }}${before}; text with {{ in it is written {{ '{{' }}`,
  );
}

function pastQuote(text: string, start: number, placeholder: { open: number; places: Places }): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === quote) return at + 1;
    if (text.charAt(at) === '\\') at += 1;
  }
  // If braces follow, the quote is the mistake; if not, it is only an apostrophe after an open placeholder.
  const slip = text.includes('}}', start);
  if (slip)
    throw placeholderError(text.slice(placeholder.open), placeholder.places.at(start), `the text that starts here has no closing ${quote}`);
  return text.length;
}

function placeholderError(text: string, position: SourcePosition, message: string): EngineError {
  return new EngineError('EXPRESSION_SYNTAX', `cannot read the template ${excerpt(text)}: ${message}`, { position });
}

/** Returns the start of the text on one line. */
function excerpt(text: string): string {
  const shown = text
    .slice(0, EXCERPT_MAX + 1)
    .trim()
    .replaceAll(/\s+/g, ' ');
  return `\`${shortText(shown, EXCERPT_MAX)}\``;
}

/** Returns lines and columns of increasing offsets, so that all of them together cost one pass. */
class Places {
  readonly indent: number;
  private readonly text: string;
  private readonly start: SourcePosition;
  private line: number;
  private lineStart = 0;
  private nextBreak: number;

  constructor(text: string, origin: Origin) {
    this.text = text;
    this.indent = origin.indent ?? 0;
    this.start = startOf(origin);
    this.line = this.start.line;
    this.nextBreak = text.indexOf('\n');
  }

  at(offset: number): SourcePosition {
    while (this.nextBreak !== -1 && this.nextBreak < offset) {
      this.line += 1;
      this.lineStart = this.nextBreak + 1;
      this.nextBreak = this.text.indexOf('\n', this.lineStart);
    }
    const before = this.lineStart === 0 ? this.start.column : 1 + this.indent;
    return { ...this.start, line: this.line, column: before + offset - this.lineStart };
  }
}
