// Owns the tokens of the expression language. It reads a text once, left to right, and rejects one that is too long
// before any recursive code sees it.
//
// - A source has at most SOURCE_MAX characters and TOKENS_MAX tokens; both are checked here first.

import { characterHint } from './hints.ts';
import { limitError, type Source, syntaxError } from './source.ts';

/** A token. `text` is its source text, `value` the value of a literal. */
export interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'symbol' | 'end';
  readonly text: string;
  readonly value: string | number;
  readonly offset: number;
}

const SOURCE_MAX = 10_000;
const TOKENS_MAX = 2_000;

const SPACE = /\s*/y;
const PLAIN_NAME = /[A-Za-z_$][\w$]*/y;
const NUMBER = /(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SYMBOL = /===|!==|==|!=|<=|>=|&&|\|\||\?\?|[-+*/%<>!?:|.,()[\]]/y;
const FOREIGN = /\?\.(?!\d)|=>/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"', '/': '/' };

/** Returns the tokens of the source, ending with one of kind `end`. */
export function readTokens(source: Source): Token[] {
  const length = source.end - source.start;
  if (length > SOURCE_MAX) {
    throw limitError(source, {
      offset: source.start,
      message: `it has ${length} characters, but the maximum is ${SOURCE_MAX}; split it up`,
    });
  }
  const tokens: Token[] = [];
  let offset = skipSpace(source, source.start);
  while (offset < source.end) {
    if (tokens.length >= TOKENS_MAX) {
      throw limitError(source, { offset, message: `it has more than ${TOKENS_MAX} tokens; compare with a list: x in ['a', 'b']` });
    }
    const token = readToken(source, offset);
    tokens.push(token);
    offset = skipSpace(source, offset + token.text.length);
  }
  tokens.push({ kind: 'end', text: '', value: '', offset: source.end });
  return tokens;
}

function readToken(source: Source, offset: number): Token {
  const character = source.text.charAt(offset);
  if (character === "'" || character === '"') return readText(source, offset);
  if (character >= '0' && character <= '9') return readNumber(source, offset);
  const foreign = matchAt(FOREIGN, source, offset);
  if (foreign !== undefined) throw unknownCharacter(source, { offset, character: foreign });
  const name = readName(source, offset);
  if (name !== undefined) return { kind: 'name', text: name, value: name, offset };
  const symbol = matchAt(SYMBOL, source, offset);
  if (symbol !== undefined) return { kind: 'symbol', text: symbol, value: symbol, offset };
  throw unknownCharacter(source, { offset, character: String.fromCodePoint(source.text.codePointAt(offset) as number) });
}

// Most names are plain ASCII: loading the Unicode tables takes longer than a short process needs to parse.
function readName(source: Source, offset: number): string | undefined {
  const plain = matchAt(PLAIN_NAME, source, offset);
  const next = source.text.charAt(offset + (plain?.length ?? 0));
  return next > '\x7f' ? matchAt(/[\p{L}_$][\p{L}\p{N}\p{M}_$]*/uy, source, offset) : plain;
}

function isWordPart(character: string): boolean {
  return character > '\x7f' ? /[\p{L}\p{N}]/u.test(character) : /[\w$]/.test(character);
}

function readNumber(source: Source, offset: number): Token {
  const text = matchAt(NUMBER, source, offset) as string;
  const tail = source.text.charAt(offset + text.length);
  if (offset + text.length < source.end && isWordPart(tail)) {
    const message = `found "${tail}" inside a number; write numbers as 10, 2.5 or 1e3, and text in quotes`;
    throw syntaxError(source, { offset: offset + text.length, message });
  }
  const value = Number(text);
  if (!Number.isFinite(value)) throw syntaxError(source, { offset, message: `the number ${text.slice(0, 40)} is too large` });
  return { kind: 'number', text, value, offset };
}

function readText(source: Source, offset: number): Token {
  const { text, end } = source;
  const quote = text.charAt(offset);
  let value = '';
  let at = offset + 1;
  while (at < end && text.charAt(at) !== quote) {
    if (text.charAt(at) === '\\') {
      const escaped = readEscape(source, at);
      value += escaped.value;
      at += escaped.length;
    } else {
      value += text.charAt(at);
      at += 1;
    }
  }
  if (at >= end) throw syntaxError(source, { offset, message: `the text that starts here has no closing ${quote}` });
  return { kind: 'text', text: text.slice(offset, at + 1), value, offset };
}

function readEscape(source: Source, offset: number): { value: string; length: number } {
  const next = source.text.charAt(offset + 1);
  if (Object.hasOwn(ESCAPES, next)) return { value: ESCAPES[next] as string, length: 2 };
  const code = source.text.slice(offset + 2, Math.min(offset + 6, source.end));
  if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(code)) return { value: String.fromCharCode(Number.parseInt(code, 16)), length: 6 };
  const message = `found \\${next} inside quotes; the escapes are \\n \\t \\r \\\\ \\' \\" \\/ and \\u1234, and a backslash itself is \\\\`;
  throw syntaxError(source, { offset, message });
}

function unknownCharacter(source: Source, found: { offset: number; character: string }): Error {
  const { offset, character } = found;
  return syntaxError(source, { offset, message: `${character} is not part of the language; ${characterHint(character)}` });
}

function skipSpace(source: Source, offset: number): number {
  return offset + (matchAt(SPACE, source, offset)?.length ?? 0);
}

function matchAt(pattern: RegExp, source: Source, offset: number): string | undefined {
  pattern.lastIndex = offset;
  const found = pattern.exec(source.text)?.[0];
  if (found === undefined) return undefined;
  return offset + found.length > source.end ? found.slice(0, source.end - offset) : found;
}
