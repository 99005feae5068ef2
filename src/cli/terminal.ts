// Owns the look of text: colour, symbols, widths, tables. Untrusted text (from agents, commands, files) goes through `plain`
// first, so that it cannot control the terminal.

/** What an output stream can display. */
export interface Display {
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly hasUnicode: boolean;
  readonly columns: number;
}

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], cyan: [36, 39] } as const;

/** The name of a style. */
export type StyleName = keyof typeof STYLES;

const SYMBOLS = {
  done: ['✓', 'ok'],
  failed: ['✗', 'x'],
  running: ['●', '*'],
  waiting: ['◌', '?'],
  skipped: ['–', '-'],
  pending: ['○', '.'],
  arrow: ['→', '->'],
  dot: ['·', '-'],
  ellipsis: ['…', '...'],
  rule: ['─', '-'],
  bar: ['│', '|'],
  point: ['❯', '>'],
} as const;

/** The name of a symbol. */
export type SymbolName = keyof typeof SYMBOLS;

const WIDTH_DEFAULT = 80;

/** Detects what a stream can display, from its type and the environment. */
export function detectDisplay(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly noColor: boolean },
): Display {
  const isTerminal = stream.isTTY === true;
  const dumb = env.TERM === 'dumb';
  const off = options.noColor || (env.NO_COLOR ?? '') !== '' || dumb;
  const forced = (env.FORCE_COLOR ?? '') !== '' && env.FORCE_COLOR !== '0';
  return {
    isTerminal: isTerminal && !dumb,
    hasColor: !off && (isTerminal || forced),
    hasUnicode: isUtf8(env),
    // A terminal may be resized while a command runs.
    get columns() {
      return [stream.columns, Number(env.COLUMNS)].find((columns) => columns !== undefined && columns > 0) ?? WIDTH_DEFAULT;
    },
  };
}

function isUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return process.platform === 'win32' || (locale !== undefined && /utf-?8/i.test(locale));
}

/** The text in a style, if there is colour. */
export function styled(display: Display, style: StyleName, text: string): string {
  if (!display.hasColor || text === '') return text;
  const [on, off] = STYLES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** A symbol, or its ASCII form if the terminal is not UTF-8. */
export function symbol(display: Display, name: SymbolName): string {
  return SYMBOLS[name][display.hasUnicode ? 0 : 1];
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Marks that change the writing direction, which can disguise a line. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text without control characters and escape sequences; tabs and newlines stay. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ESCAPES, '').replace(CONTROLS, '').replace(DIRECTION_MARKS, '');
}

/** Text for the log of this process. GitHub Actions executes lines such as `::add-mask::x`, so they are broken up there. */
export function logText(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const shown = plain(text);
  return env.GITHUB_ACTIONS === 'true' ? shown.replaceAll('::', ':\u200b:').replaceAll('##[', '#\u200b#[') : shown;
}

/** A number with its noun: `1 run`, `2 runs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Plain text on one line. */
export function oneLine(text: string): string {
  return plain(text).replace(/\s+/g, ' ').trim();
}

const HIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** One line in which control and invisible characters are spelled out, for text whose every character matters. */
export function spelledOut(line: string): string {
  return line.replace(HIDDEN, (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

const ANSI = /\u001b\[[0-9;]*m/g;
/** East Asian wide characters, and those that a terminal shows as a picture. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
/** Characters without a width. */
const ZERO = /^[\p{Mn}\p{Me}\u200b-\u200d\u2060\ufeff]+$/u;
/** Text in which every code unit is one column wide, including our symbols. */
const NARROW = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2026\u2190-\u2193\u2500-\u257f\u25cb-\u25cf\u2713\u2717\u276f]*$/;

/** The graphemes of a text. Plain text is split directly: loading the Unicode tables takes longer than most commands. */
export function characters(text: string): readonly string[] {
  return NARROW.test(text) ? text.split('') : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** The first `max` names, with an ellipsis if there are more. */
export function firstNames(names: readonly string[], max: number): string {
  return [...names.slice(0, max), ...(names.length > max ? ['…'] : [])].join(', ');
}

/** The width of a text in columns. */
export function widthOf(text: string): number {
  const bare = text.replace(ANSI, '');
  if (NARROW.test(bare)) return bare.length;
  let width = 0;
  for (const character of characters(bare)) width += WIDE.test(character) ? 2 : ZERO.test(character) ? 0 : 1;
  return width;
}

/** The text truncated to a width, with an ellipsis. Text must be truncated before it is styled. */
export function shorten(display: Display, text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const mark = symbol(display, 'ellipsis').slice(0, Math.max(0, width));
  return `${firstOf(characters(text), width - mark.length).join('')}${mark}`;
}

/** The same with the ellipsis in the middle, for names, which often differ only at their end. */
export function shortenName(display: Display, text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const mark = symbol(display, 'ellipsis').slice(0, Math.max(0, width));
  const room = width - mark.length;
  const all = characters(text);
  const end = firstOf(all.toReversed(), Math.ceil(room / 2))
    .toReversed()
    .join('');
  return `${firstOf(all, room - widthOf(end)).join('')}${mark}${end}`;
}

/** As many of the characters as fit into a width. */
function firstOf(all: readonly string[], width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const character of all) {
    used += widthOf(character);
    if (used > width) break;
    kept.push(character);
  }
  return kept;
}

/** Splits a text into pieces of at most a width, between characters. */
export function slices(text: string, width: number): string[] {
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of characters(text)) {
    const next = widthOf(character);
    if (used + next > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += next;
  }
  return [...parts, part];
}

/** A column of a table. `shrinks`: may be truncated if the line is too long, a text at its end, a name in the middle. */
export interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly shrinks?: 'text' | 'name';
  readonly style?: (cell: string, row: number) => string;
}

const GAP = 2;
const SHRUNK_MIN = 8;

/** The lines of a table that fits the terminal; in a pipe nothing is truncated. */
export function table(display: Display, columns: readonly Column[]): string[] {
  const widths = columns.map(({ title, cells }) => Math.max(widthOf(title), ...cells.map(widthOf)));
  if (display.isTerminal) shrink(columns, widths, display.columns);
  const line = (texts: readonly string[], style: (text: string, column: number) => string): string =>
    texts
      .map((text, column) => {
        const cut = (columns[column]?.shrinks === 'name' ? shortenName : shorten)(display, text, widths[column] as number);
        const last = column === texts.length - 1;
        return style(cut, column) + (last ? '' : ' '.repeat((widths[column] as number) - widthOf(cut) + GAP));
      })
      .join('')
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    (text) => styled(display, 'dim', text),
  );
  const rows = columns[0]?.cells.map((_, row) =>
    line(
      columns.map(({ cells }) => cells[row] ?? ''),
      (text, column) => columns[column]?.style?.(text, row) ?? text,
    ),
  );
  return [head, ...(rows ?? [])];
}

function shrink(columns: readonly Column[], widths: number[], room: number): void {
  const gaps = GAP * (widths.length - 1);
  while (widths.reduce((sum, width) => sum + width, gaps) > room) {
    const widest = Math.max(...widths.filter((width, index) => columns[index]?.shrinks !== undefined && width > SHRUNK_MIN));
    if (widest === Number.NEGATIVE_INFINITY) return;
    widths[widths.findIndex((width, index) => width === widest && columns[index]?.shrinks !== undefined)] = widest - 1;
  }
}
