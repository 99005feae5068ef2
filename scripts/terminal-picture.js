// Owns the picture of a terminal: reads what a program sent to it, as far as programs here steer one, and draws the
// screen that comes of it as SVG.

/**
 * @typedef {{ bold: boolean, dim: boolean, color: string | undefined }} Style
 * @typedef {{ text: string, style: Style }} Cell
 */

/** @type {Style} */
const PLAIN = { bold: false, dim: false, color: undefined };

/** @type {Readonly<Record<number, Partial<Style>>>} */
const STYLES = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  22: { bold: false, dim: false },
  31: { color: '#ff7b72' },
  32: { color: '#7ee787' },
  33: { color: '#e3b341' },
  34: { color: '#79c0ff' },
  36: { color: '#76e3ea' },
  39: { color: undefined },
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what programs send to a terminal.
const PIECES = /\u001b\[([?\d;]*)([A-Za-z])|\r|\n|\u0007|[^\u001b\r\n\u0007]/gu;

/**
 * The lines of the screen after all of this was sent. What it does not know how to follow is an error: a wrong picture
 * would be worse than none.
 * @param {string} sent
 * @param {number} columns where the terminal wraps
 * @returns {Cell[][]}
 */
export function readScreen(sent, columns = Number.POSITIVE_INFINITY) {
  const screen = new Screen(columns);
  for (const [piece, numbers, letter] of sent.matchAll(PIECES)) {
    if (letter !== undefined) screen.steer(letter, numbers ?? '');
    else if (piece === '\n') screen.row += 1;
    else if (piece === '\r') screen.column = 0;
    else if (piece !== '\u0007') screen.put(piece);
  }
  return screen.lines();
}

class Screen {
  row = 0;
  column = 0;
  /** @type {Style} */
  #style = PLAIN;
  /** @type {Cell[][]} */
  #rows = [];
  /** @type {number} */
  #columns;

  /** @param {number} columns */
  constructor(columns) {
    this.#columns = columns;
  }

  /** @param {string} text */
  put(text) {
    if (this.column >= this.#columns) {
      this.row += 1;
      this.column = 0;
    }
    const line = this.#line();
    while (line.length < this.column) line.push({ text: ' ', style: PLAIN });
    line[this.column] = { text, style: this.#style };
    this.column += 1;
  }

  /** @param {string} letter @param {string} numbers */
  steer(letter, numbers) {
    const count = Number(numbers.split(';')[0]) || 0;
    if (letter === 'm') this.#paint(numbers);
    else if (letter === 'G') this.column = Math.max(1, count) - 1;
    else if (letter === 'A') this.row = Math.max(0, this.row - Math.max(1, count));
    else if (letter === 'B') this.row += Math.max(1, count);
    else if (letter === 'C') this.column += Math.max(1, count);
    else if (letter === 'D') this.column = Math.max(0, this.column - Math.max(1, count));
    else if (letter === 'K') this.#line().length = Math.min(this.#line().length, count === 2 ? 0 : this.column);
    else if (letter === 'J') this.#eraseBelow();
    else if (!numbers.startsWith('?')) throw new Error(`the picture cannot follow ESC[${numbers}${letter}`);
  }

  lines() {
    const rows = Array.from(this.#rows, (row) => row ?? []);
    const isBlank = (/** @type {Cell[] | undefined} */ row) => row === undefined || row.every(({ text }) => text === ' ');
    while (rows.length > 0 && isBlank(rows.at(-1))) rows.pop();
    return rows;
  }

  #line() {
    this.#rows[this.row] ??= [];
    return /** @type {Cell[]} */ (this.#rows[this.row]);
  }

  #eraseBelow() {
    const line = this.#line();
    line.length = Math.min(line.length, this.column);
    this.#rows.length = this.row + 1;
  }

  /** @param {string} numbers */
  #paint(numbers) {
    for (const number of numbers.split(';')) {
      const change = STYLES[Number(number)];
      if (change === undefined) throw new Error(`the picture has no style for ESC[${number}m`);
      this.#style = { ...this.#style, ...change };
    }
  }
}

const CELL = { width: 8.4, height: 19, font: 14 };
const MARGIN = { side: 20, top: 44, bottom: 16 };
const DOTS = ['#ff5f57', '#febc2e', '#28c840'];

/**
 * The screen as an SVG image, at least so many columns wide.
 * @param {readonly (readonly Cell[])[]} lines
 * @param {number} columns
 */
export function drawScreen(lines, columns) {
  const width = Math.ceil(Math.max(columns, ...lines.map((line) => line.length)) * CELL.width + 2 * MARGIN.side);
  const height = MARGIN.top + lines.length * CELL.height + MARGIN.bottom;
  const dots = DOTS.map((color, index) => `<circle cx="${22 + index * 20}" cy="20" r="6" fill="${color}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>A terminal, and what a command printed in it</title>',
    `<rect width="${width}" height="${height}" rx="10" fill="#161b22"/>`,
    dots.join(''),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}" fill="#e6edf3" xml:space="preserve">`,
    ...lines.flatMap((line, row) => drawLine(line, MARGIN.top + (row + 0.75) * CELL.height)),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** @param {readonly Cell[]} line @param {number} y */
function drawLine(line, y) {
  const spans = spansOf(line).filter(({ text }) => text.trim() !== '');
  return spans.map(({ text, column, style }) => {
    const place = `x="${(MARGIN.side + column * CELL.width).toFixed(1)}" y="${y.toFixed(1)}" textLength="${(text.length * CELL.width).toFixed(1)}"`;
    return `<text ${place}${attributesOf(style)}>${escaped(text)}</text>`;
  });
}

/** Neighbours of one style as one text, without the blanks around it. @param {readonly Cell[]} line */
function spansOf(line) {
  /** @type {{ text: string, column: number, style: Style }[]} */
  const spans = [];
  line.forEach(({ text, style }, column) => {
    const last = spans.at(-1);
    if (last !== undefined && last.style === style) last.text += text;
    else spans.push({ text, column, style });
  });
  return spans.map(({ text, column, style }) => ({ text: text.trim(), column: column + text.search(/\S|$/), style }));
}

/** @param {Style} style */
function attributesOf({ bold, dim, color }) {
  return `${color === undefined ? '' : ` fill="${color}"`}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.65"' : ''}`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
