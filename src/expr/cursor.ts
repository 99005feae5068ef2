// Owns the parser's position in the tokens of an expression, and its nesting depth.
//
// - Nesting is counted before each descent, so that no source can exhaust the stack.

import type { EngineError } from '../base/error.ts';
import { shortText } from '../base/short-text.ts';
import type { Token } from './lexer.ts';
import { limitError, type Source, syntaxError } from './source.ts';

const DEPTH_MAX = 64;
const FOUND_MAX = 40;

/** A position in a list of tokens that only moves forward. */
export class Cursor {
  readonly source: Source;
  private readonly tokens: readonly Token[];
  private index = 0;
  private depth = 0;

  constructor(source: Source, tokens: readonly Token[]) {
    this.source = source;
    this.tokens = tokens;
  }

  get token(): Token {
    return this.tokens[this.index] as Token;
  }

  /** Returns the token after the current one, or the end token. */
  get following(): Token {
    return this.tokens[Math.min(this.index + 1, this.tokens.length - 1)] as Token;
  }

  get ended(): boolean {
    return this.token.kind === 'end';
  }

  take(): Token {
    const token = this.token;
    if (!this.ended) this.index += 1;
    return token;
  }

  /** True if the current token is this symbol or word, not quoted text. */
  is(text: string): boolean {
    const { kind, text: found } = this.token;
    return found === text && (kind === 'symbol' || kind === 'name');
  }

  /** Consumes the current token if it is this symbol or word. */
  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.index += 1;
    return true;
  }

  expect(text: string, why: string): void {
    if (!this.accept(text)) throw this.unexpected(`${text} ${why}`);
  }

  /** Parses something nested one level deeper. */
  nest<T>(read: () => T): T {
    if (this.depth >= DEPTH_MAX) {
      throw limitError(this.source, {
        offset: this.token.offset,
        message: `it is nested deeper than ${DEPTH_MAX}; move a part into its own step`,
      });
    }
    this.depth += 1;
    const result = read();
    this.depth -= 1;
    return result;
  }

  /** The error for an unexpected current token. */
  unexpected(expected: string): EngineError {
    const { kind, text } = this.token;
    const found = kind === 'end' ? 'the end' : shortText(text, FOUND_MAX);
    return this.error(`found ${found} where ${expected} was expected`);
  }

  /** An error at the current token, or at an offset. */
  error(message: string, offset: number = this.token.offset): EngineError {
    return syntaxError(this.source, { offset, message });
  }
}
