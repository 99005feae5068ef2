// Quotes text from outside in the instructions of an agent: each line is marked, so that it does not look like an
// instruction, and the length is limited. Text that does not fit is written to a file, whose path is given instead.
//
// - Every kind of line break ends a line. Characters that hide or reorder text are removed.

import { type Json, jsonText } from '../../base/json.ts';
import { textWithin } from '../../base/short-text.ts';

/** The headings of Pawl's own sections. */
export const SECTIONS = {
  goal: 'Goal',
  again: 'Why this step runs again',
  task: 'What to do',
  checks: 'What is checked',
  untouched: 'Do not change',
  report: 'How to report',
  people: 'Instructions from people',
} as const;

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const LINE_BREAKS = new RegExp(LINE_BREAK, 'g');
const CONTROL = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const JSON_ESCAPED = /[<\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** Returns a text with plain line breaks, without control characters and characters that reorder or hide text. */
function shown(text: string): string {
  return text.replaceAll(LINE_BREAKS, '\n').replaceAll(CONTROL, '').replaceAll(INVISIBLE, '');
}

/** A text from outside, on one line. */
export function inOneLine(text: string): string {
  return shown(text).replaceAll(/\s+/g, ' ').trim();
}

/** A text from outside whose first line continues a line; its other lines are quoted. */
export function quotedAfterFirst(text: string): string {
  return quoted(shown(text)).replace(/^> ?/, '');
}

const PAWL_HEADING = new RegExp(`^\\s*#{1,6}\\s*(?:${Object.values(SECTIONS).join('|')})(?!\\w)`, 'i');

/** The rendered text of a task, in which no value can look like one of Pawl's own sections. */
export function withoutForgedHeadings(written: string, filled: string): string {
  const own = new Set(written.split(LINE_BREAK).map((line) => line.trim()));
  return filled
    .split(LINE_BREAK)
    .map((line) => (PAWL_HEADING.test(shown(line)) && !own.has(line.trim()) ? `> ${line}` : line))
    .join('\n');
}

/** Writes a text that is too long for the instructions, and returns the file; undefined if that is not possible. */
export type KeepText = (name: string, text: string) => string | undefined;

/** The part of a text to keep when it is cut. The output of programs ends with the error. */
type KeptPart = 'beginning' | 'end';

/** Quotations that share one limit in bytes. The first ones get all they need. */
export class Quotes {
  #left: number;
  readonly #keep: KeepText;
  readonly #names: Map<string, number>;

  /** `names` counts the files with each name; the quotations of one attempt share it. */
  constructor(bytesMax: number, keep: KeepText, names = new Map<string, number>()) {
    this.#left = bytesMax;
    this.#keep = keep;
    this.#names = names;
  }

  /** A text, as lines that begin with `> `. */
  text(name: string, text: string, kept: KeptPart = 'beginning'): string {
    return this.#within(name, shown(text).trimEnd(), { kept, mark: quoted });
  }

  /** A value as JSON between tags; nothing inside can look like the closing tag. */
  json(name: string, value: Json): string {
    const mark = (text: string): string => `<${name}>\n${text}\n</${name}>`;
    return this.#within(name, escapedJson(value), { kept: 'beginning', mark });
  }

  /** A value in one line, after its name. */
  line(name: string, value: Json): string {
    const text = jsonText(value);
    return this.#within(name, inOneLine(text), { kept: 'beginning', mark: (one) => one });
  }

  /** A distinct name for each text, so that a later one does not replace an earlier one. */
  #nameFor(name: string): string {
    const times = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, times);
    return times === 1 ? name : `${name} ${times}`;
  }

  #within(name: string, text: string, { kept, mark }: { readonly kept: KeptPart; readonly mark: (text: string) => string }): string {
    const bytes = Buffer.byteLength(text);
    const path = bytes > this.#left ? this.#keep(this.#nameFor(name), text) : undefined;
    if (path === undefined) {
      this.#left -= bytes;
      return mark(text);
    }
    const part = textWithin(text, Math.max(0, this.#left), kept).trim();
    this.#left = 0;
    return [...(part === '' ? [] : [mark(part)]), `(Truncated; all ${bytes} bytes are in ${path})`].join('\n');
  }
}

/** A value as JSON without characters that look like a tag, break a line elsewhere, or hide text. */
function escapedJson(value: Json): string {
  const spelled = (character: string): string =>
    [...Array(character.length).keys()].map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');
  return JSON.stringify(value, null, 2).replaceAll(JSON_ESCAPED, spelled);
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
