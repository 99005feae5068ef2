// Owns how text that Pawl did not write stands in the instructions of an agent: marked as a quotation, line by line, so
// that nothing in it can pass for the instructions around it, and bounded. What does not fit is kept in a file, whose
// path is given instead.

import type { Json } from '../../base/json.ts';
import { textWithin } from '../../base/short-text.ts';

/** Keeps a text that is too long for the instructions, and returns where; undefined when there is no place for it. */
export type KeepText = (name: string, text: string) => string | undefined;

/** Which part of a text is worth keeping when it is cut: programs say what went wrong at the end. */
type Kept = 'beginning' | 'end';

/** Quotations that share one bound, in bytes. The first ones get what they need. */
export class Quotes {
  #left: number;
  readonly #keep: KeepText;

  constructor(bytesMax: number, keep: KeepText) {
    this.#left = bytesMax;
    this.#keep = keep;
  }

  /** A text, as lines that begin with `> `. */
  text(name: string, text: string, kept: Kept = 'beginning'): string {
    return this.#within(name, text.trimEnd(), { kept, mark: quoted });
  }

  /** A value as JSON between tags; nothing inside can look like the closing tag. */
  json(name: string, value: Json): string {
    const mark = (text: string): string => `<${name}>\n${text}\n</${name}>`;
    return this.#within(name, JSON.stringify(value, null, 2).replaceAll('<', '\\u003c'), { kept: 'beginning', mark });
  }

  /** A value in one line, after its name. */
  line(name: string, value: Json): string {
    const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' ');
    return this.#within(name, text, { kept: 'beginning', mark: (one) => one });
  }

  #within(name: string, text: string, { kept, mark }: { readonly kept: Kept; readonly mark: (text: string) => string }): string {
    const bytes = Buffer.byteLength(text);
    const path = bytes > this.#left ? this.#keep(name, text) : undefined;
    if (path === undefined) {
      this.#left -= bytes;
      return mark(text);
    }
    const part = textWithin(text, Math.max(0, this.#left), kept).trim();
    this.#left = 0;
    return [...(part === '' ? [] : [mark(part)]), `(Truncated; all ${bytes} bytes are in ${path})`].join('\n');
  }
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
