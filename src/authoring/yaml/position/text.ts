// Finds the positions of a string's characters in the file. A YAML value differs from its source: quotes and indentation are
// removed, lines are folded, escapes become characters. A position in a template must survive all of it.

/** A string in the source of a file. */
export interface SourceText {
  readonly value: string;
  /** `PLAIN`, `QUOTE_SINGLE`, `QUOTE_DOUBLE`, `BLOCK_LITERAL` or `BLOCK_FOLDED`. */
  readonly style: string;
  readonly start: number;
  readonly end: number;
}

/** For each character of the value, and for its end, the offset in the source. */
export interface ValueOffsets {
  readonly offsets: readonly number[];
  /** The indentation of further lines, if it is the same for all of them. */
  readonly indent: number;
}

/** Finds the offset of each character of a string in the source. */
export function valueOffsets(file: string, text: SourceText): ValueOffsets {
  return text.style.startsWith('BLOCK') ? blockOffsets(file, text) : { offsets: flowOffsets(file, text), indent: 0 };
}

function blockOffsets(file: string, { value, start, end }: SourceText): ValueOffsets {
  const first = file.indexOf('\n', start) + 1;
  const indent = indentOf(file.slice(first, end), value);
  const offsets: number[] = [];
  let at = lineContent(file, first, indent);
  for (let index = 0; index < value.length; index += 1) {
    offsets.push(at);
    const written = file.charAt(at);
    if (written === value.charAt(index) && written !== '\n') at += 1;
    else if (isBreak(file, at))
      at = pastBreaks(file, at, { indent, keepsLines: value.charAt(index) === '\n' && isBreakRepeated(value, index) });
  }
  offsets.push(at);
  return { offsets, indent };
}

/** Blank lines of the value are consumed one by one; a folded line end takes the blank lines that fold into it along. */
function isBreakRepeated(value: string, index: number): boolean {
  return value.charAt(index + 1) === '\n';
}

function pastBreaks(file: string, from: number, { indent, keepsLines }: { readonly indent: number; readonly keepsLines: boolean }): number {
  let at = lineContent(file, pastBreak(file, from), indent);
  while (!keepsLines && isBreak(file, at)) at = lineContent(file, pastBreak(file, at), indent);
  return at;
}

function indentOf(written: string, value: string): number {
  const leading = (text: string): number => /^ */.exec(text.split('\n').find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  return Math.max(0, leading(written) - leading(value));
}

function lineContent(file: string, start: number, indent: number): number {
  let at = start;
  while (at < start + indent && file.charAt(at) === ' ') at += 1;
  return at;
}

function isBreak(file: string, at: number): boolean {
  return file.charAt(at) === '\n' || file.startsWith('\r\n', at);
}

function pastBreak(file: string, at: number): number {
  return at + (file.charAt(at) === '\n' ? 1 : 2);
}

const FOLD = /[ \t]*(?:\r?\n[ \t]*)+/y;
const SPACES = /[ \t]*/y;
const ESCAPED_BREAK = /\\\r?\n[ \t]*(?:\r?\n[ \t]*)*/y;
const ESCAPE_LENGTH: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function flowOffsets(file: string, { value, style, start }: SourceText): number[] {
  const offsets: number[] = [];
  let at = style === 'PLAIN' ? start : start + 1;
  let index = 0;
  // The end of a run of spaces without a line end, so that it is scanned once and not once per space.
  let spacesEnd = 0;
  while (index < value.length) {
    const fold = at < spacesEnd ? '' : matchAt(FOLD, file, at);
    if (fold === '' && at >= spacesEnd) spacesEnd = at + matchAt(SPACES, file, at).length;
    const skipped = style === 'QUOTE_DOUBLE' ? matchAt(ESCAPED_BREAK, file, at) : '';
    if (skipped !== '') {
      at += skipped.length;
      continue;
    }
    // A line end is a space; further line ends after it are line ends.
    const characters = fold === '' ? charactersAt(file, at, style) : { taken: fold.length, made: Math.max(1, fold.split('\n').length - 2) };
    for (let made = 0; made < characters.made && index < value.length; made += 1, index += 1) offsets.push(at);
    at += characters.taken;
  }
  offsets.push(at);
  return offsets;
}

function charactersAt(file: string, at: number, style: string): { taken: number; made: number } {
  if (style === 'QUOTE_SINGLE' && file.startsWith("''", at)) return { taken: 2, made: 1 };
  if (style !== 'QUOTE_DOUBLE' || file.charAt(at) !== '\\') return { taken: 1, made: 1 };
  const taken = ESCAPE_LENGTH[file.charAt(at + 1)] ?? 2;
  return { taken, made: taken === 10 && Number.parseInt(file.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1 };
}

function matchAt(pattern: RegExp, file: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(file)?.[0] ?? '';
}
