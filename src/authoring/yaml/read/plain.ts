// Owns a quick reading of YAML as workflows are mostly written: block maps and lists, single-line texts, short flow lists
// and `|` texts. It is there for speed alone: a project's files are all read each time somebody lists them.
//
// P1. What it gives is exactly what the full reader gives; a test compares the two on thousands of files.
// P2. Whatever it does not know, and whatever is wrong, it leaves to the full reader: it has no messages of its own.

import type { Json } from '../../../base/json.ts';
import type { Located } from './source.ts';

/** So that no file that is read here has more values than a file may have. */
const LENGTH_MAX = 30_000;
const DEPTH_MAX = 30;

const KEY = /([A-Za-z_][\w.-]*):(?=[ \n])/y;
const DOUBLE = /"([^"\\\n]*)"/y;
const SINGLE = /'([^'\n]*)'/y;
const PLAIN = /[A-Za-z0-9_/$(][^\n]*/y;
const FLOW_PLAIN = /[A-Za-z0-9_/][\w./%-]*(?: [\w./%-]+)*/y;
const FLOW_KEY = /([A-Za-z_][\w.-]*): +/y;
const BLANKS = / */y;
/** The rest of a line that has nothing more to say. */
const REST = /(?: *| +#[^\n]*)\n/y;
const SKIPPED = /(?: *(?:#[^\n]*)?\n)*( *)/y;
const ROW = /( *)([^\n]*)\n/y;

const SPECIAL = /^(?:true|false|null)$/i;
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
const MEASURE = /^[1-9]\d*(?:ms|[smhdw%])$/;

/** Signs that are refused, or that YAML or an editor counts as the end of a line. */
const STRANGE = /[^\n\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** Ends the quick reading. */
class Unsure extends Error {}
/** One for all, since making one takes longer than reading many a file. */
const UNSURE = new Unsure();

/** The data of a file, if it is one that can be read quickly. */
export function readPlain(text: string): Located | undefined {
  if (text.length > LENGTH_MAX || !text.endsWith('\n') || STRANGE.test(text)) return undefined;
  try {
    return new PlainReader(text).read();
  } catch (thrown) {
    if (thrown !== UNSURE) throw thrown;
    return undefined;
  }
}

class PlainReader {
  private readonly text: string;
  private at = 0;
  /** Of the row that is read next; -1 at the end of the file. */
  private indent = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  read(): Located {
    if (this.toContent() !== 0) throw UNSURE;
    const root = this.map(0, undefined);
    if (this.indent !== -1) throw UNSURE;
    return root;
  }

  /** Goes to the first sign of the next row that holds anything, and gives its indent. */
  private toContent(): number {
    const found = this.match(SKIPPED);
    this.indent = this.at === this.text.length ? -1 : (found?.[1] ?? '').length;
    return this.indent;
  }

  private map(column: number, keyStart: number | undefined): Located {
    const start = this.at;
    const members = new Map<string, Located>();
    this.enter();
    do {
      const key = this.key(KEY, members);
      members.set(key.name, this.value(column, key.start));
      if (this.indent > column) throw UNSURE;
    } while (this.indent === column);
    this.depth -= 1;
    return mapOf(members, start, keyStart);
  }

  private key(pattern: RegExp, members: ReadonlyMap<string, Located>): { readonly name: string; readonly start: number } {
    const start = this.at;
    const name = this.match(pattern)?.[1];
    if (name === undefined || members.has(name) || name in {} || name === 'prototype') throw UNSURE;
    return { name, start };
  }

  /** What stands after a key: in its row, or below it. */
  private value(column: number, keyStart: number): Located {
    if (this.match(REST) === undefined) return this.inline(column, keyStart);
    this.toContent();
    if (this.isItem() && this.indent >= column) return this.list(this.indent, keyStart);
    if (this.indent <= column) throw UNSURE;
    return this.map(this.indent, keyStart);
  }

  private isItem(): boolean {
    return this.text.startsWith('- ', this.at);
  }

  private list(column: number, keyStart: number): Located {
    const start = this.at;
    const items: Located[] = [];
    this.enter();
    while (this.indent === column && this.isItem()) {
      this.at += 1;
      const gap = this.match(BLANKS)?.[0].length ?? 0;
      items.push(this.isKey() ? this.map(column + 1 + gap, undefined) : this.inline(column, undefined));
    }
    if (this.indent > column) throw UNSURE;
    this.depth -= 1;
    return listOf(items, start, keyStart);
  }

  private isKey(): boolean {
    KEY.lastIndex = this.at;
    return KEY.test(this.text);
  }

  /** A value in the rest of a row. Rows that are indented more than the parent would go on with it, so there may be none. */
  private inline(parent: number, keyStart: number | undefined): Located {
    this.match(BLANKS);
    const sign = this.text[this.at];
    const read =
      sign === '|'
        ? this.literal(parent, keyStart)
        : sign === '[' || sign === '{'
          ? this.flow(keyStart)
          : (this.quoted(keyStart) ?? this.plain(keyStart));
    if (sign !== '|' && this.match(REST) === undefined) throw UNSURE;
    this.toContent();
    if (this.indent > parent) throw UNSURE;
    return read;
  }

  private quoted(keyStart: number | undefined): Located | undefined {
    const start = this.at;
    const isDouble = this.text[start] === '"';
    const value = this.match(isDouble ? DOUBLE : SINGLE)?.[1];
    return value === undefined
      ? undefined
      : textOf(value, { start, end: this.at, style: isDouble ? 'QUOTE_DOUBLE' : 'QUOTE_SINGLE' }, keyStart);
  }

  private plain(keyStart: number | undefined): Located {
    const start = this.at;
    const row = this.match(PLAIN)?.[0] ?? '';
    const comment = row.indexOf(' #');
    const words = (comment === -1 ? row : row.slice(0, comment)).trimEnd();
    if (words === '' || words.includes(': ') || words.endsWith(':')) throw UNSURE;
    this.at = start + words.length;
    return wordsOf(words, start, keyStart);
  }

  private flow(keyStart: number | undefined): Located {
    const start = this.at;
    this.at += 1;
    this.enter();
    const isList = this.text[start] === '[';
    const items: Located[] = [];
    const members = new Map<string, Located>();
    this.match(BLANKS);
    const end = isList ? ']' : '}';
    while (this.text[this.at] !== end) {
      if (isList) items.push(this.flowValue(undefined));
      else {
        const key = this.key(FLOW_KEY, members);
        members.set(key.name, this.flowValue(key.start));
      }
      this.match(BLANKS);
      if (this.text[this.at] === end) break;
      if (this.match(/, */y) === undefined || this.text[this.at] === end) throw UNSURE;
    }
    this.at += 1;
    this.depth -= 1;
    return isList ? listOf(items, start, keyStart) : mapOf(members, start, keyStart);
  }

  private flowValue(keyStart: number | undefined): Located {
    const start = this.at;
    const sign = this.text[start];
    if (sign === '[' || sign === '{') return this.flow(keyStart);
    const read = this.quoted(keyStart);
    if (read !== undefined) return read;
    const words = this.match(FLOW_PLAIN)?.[0];
    if (words === undefined) throw UNSURE;
    return wordsOf(words, start, keyStart);
  }

  /** A text of several rows after `|`. */
  private literal(parent: number, keyStart: number | undefined): Located {
    const start = this.at;
    this.at += 1;
    if (this.match(REST) === undefined) throw UNSURE;
    const rows: string[] = [];
    let indent: number | undefined;
    let end = this.at;
    for (let row = this.match(ROW); row !== undefined; row = this.match(ROW)) {
      const [whole = '', spaces = '', words = ''] = row;
      indent ??= spaces.length;
      if (words === '' ? spaces !== '' || rows.length === 0 : spaces.length < indent) {
        if (words === '') throw UNSURE;
        break;
      }
      rows.push(words === '' ? '' : whole.slice(indent, -1));
      if (words !== '') end = this.at;
    }
    this.at = end;
    while (rows.at(-1) === '') rows.pop();
    if (rows.length === 0 || (indent ?? 0) <= parent) throw UNSURE;
    return textOf(`${rows.join('\n')}\n`, { start, end, style: 'BLOCK_LITERAL' }, keyStart);
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) throw UNSURE;
  }

  /** Matches here, and goes on behind. */
  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? undefined;
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }
}

function mapOf(members: ReadonlyMap<string, Located>, start: number, keyStart: number | undefined): Located {
  const value: Record<string, Json> = {};
  for (const [key, member] of members) value[key] = member.value;
  return keyStart === undefined ? { value, members, start } : { value, members, start, keyStart };
}

function listOf(items: readonly Located[], start: number, keyStart: number | undefined): Located {
  const value = items.map((item) => item.value);
  return keyStart === undefined ? { value, items, start } : { value, items, start, keyStart };
}

function textOf(
  value: string,
  { start, end, style }: { readonly start: number; readonly end: number; readonly style: string },
  keyStart: number | undefined,
): Located {
  const scalar = { style, end };
  return keyStart === undefined ? { value, scalar, start } : { value, scalar, start, keyStart };
}

/** Words without quotes: a number, one of the words that mean something, or a text. */
function wordsOf(words: string, start: number, keyStart: number | undefined): Located {
  const known = NUMBER.test(words) ? Number(words) : WORDS.get(words);
  if (known !== undefined) return keyStart === undefined ? { value: known, start } : { value: known, start, keyStart };
  const first = words.charCodeAt(0);
  const isDigit = first >= 48 && first <= 57;
  if (SPECIAL.test(words) || (isDigit && !MEASURE.test(words))) throw UNSURE;
  return textOf(words, { start, end: start + words.length, style: 'PLAIN' }, keyStart);
}
