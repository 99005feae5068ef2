// Owns the graph of a workflow as a self-contained SVG picture: no script, font or link, readable on light and dark
// backgrounds. States are shown as text and by line style, not by colour alone.

import { escapeXml } from '../../base/xml.ts';
import { arrowText, type GraphArrow, type GraphDescription, type GraphNode, nodeText } from '../../definition/describe.ts';
import { wrap } from '../help.ts';
import { slices } from '../terminal.ts';
import { type Box, type Layout, type Link, layOut, type Point } from './layout.ts';

const CHARACTER = 7.2;
const SMALL_CHARACTER = 6.2;
const LINE = 17;
const TITLE_CHARACTERS = 28;
const TITLE_LINES = 3;
const LABEL_LINE = 14;
const LABEL_CHARACTERS = 34;
const LABEL_LINES = 3;
const MARGIN = 24;

const STYLE = `
    .ground { fill: #ffffff }
    .box { fill: #f6f8fa; stroke: #57606a; stroke-width: 1.3 }
    .end { fill: none; stroke: #57606a; stroke-width: 1.3 }
    .arrow { fill: none; stroke: #57606a; stroke-width: 1.3 }
    .head { fill: #57606a }
    .bound { stroke-dasharray: 5 4 }
    .taken { stroke: #1a7f37; stroke-width: 2.6 }
    .taken-head { fill: #1a7f37 }
    .done { stroke: #1a7f37; stroke-width: 2 }
    .current { stroke: #9a6700; stroke-width: 3.2 }
    .failed { stroke: #cf222e; stroke-width: 3 }
    .skipped { stroke-dasharray: 5 4 }
    .ahead { opacity: 0.65 }
    text { fill: #1f2328; font: 13px ui-sans-serif, system-ui, sans-serif; text-anchor: middle }
    .small { fill: #57606a; font-size: 11px }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117 }
      .box { fill: #161b22; stroke: #8b949e }
      .end, .arrow { stroke: #8b949e }
      .head { fill: #8b949e }
      .taken, .done { stroke: #3fb950 }
      .taken-head { fill: #3fb950 }
      .current { stroke: #d29922 }
      .failed { stroke: #f85149 }
      text { fill: #e6edf3 }
      .small { fill: #9ea7b3 }
    }`;

interface GraphBox extends Box {
  readonly node: GraphNode | undefined;
  readonly lines: readonly string[];
  readonly small: string;
}

/** The graph as an SVG document. */
export function drawSvg(graph: GraphDescription): string {
  // A reader begins with the entry, wherever the definition has it.
  const nodes = graph.nodes.toSorted((a, b) => Number(b.isEntry) - Number(a.isEntry));
  const boxes = nodes.map(stepBox);
  const positions = new Map(nodes.map(({ id }, index) => [id, index]));
  // Each end has a box beside its step; one box for all would need lines across the whole picture.
  const links = graph.arrows.map((arrow) => {
    const to = arrow.toEnd ? boxes.push(endBox(arrow.to)) - 1 : (positions.get(arrow.to) as number);
    const texts = labelLines(arrow);
    const label = { width: Math.max(2, ...texts.map(smallWidth)), height: Math.max(2, texts.length * LABEL_LINE) };
    return { from: positions.get(arrow.from) as number, to, label, arrow, texts };
  });
  const layout = layOut(boxes, links);
  const width = Math.ceil(layout.width + 2 * MARGIN);
  const height = Math.ceil(layout.height + 2 * MARGIN);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>${escapeXml(graph.title)}</title>`,
    `  <style>${STYLE}\n  </style>`,
    `  <rect class="ground" width="${width}" height="${height}"/>`,
    `  <g transform="translate(${MARGIN} ${MARGIN})">`,
    ...links.flatMap((link, index) => arrowMarks(link, layout.links[index] as Layout['links'][number])),
    ...boxes.flatMap((box, index) => boxMarks(box, layout.boxes[index] as Point)),
    '  </g>',
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

function stepBox(node: GraphNode): GraphBox {
  const lines = wrapped(nodeText(node), TITLE_CHARACTERS, TITLE_LINES);
  const asks = node.asksPerson ? ', asks a person' : '';
  const small = `${node.kind}${node.kind === 'human' ? '' : asks}${node.state === undefined ? '' : `, ${node.state}`}`;
  const text = Math.max(...lines.map((line) => lengthOf(line) * CHARACTER), smallWidth(small));
  const width = Math.max(90, text + (node.asksPerson ? 52 : 28));
  return { node, lines, small, width, height: (lines.length + 1) * LINE + 12 };
}

function endBox(end: string): GraphBox {
  return { node: undefined, lines: [end], small: '', width: end.length * CHARACTER + 28, height: 28 };
}

function labelLines(arrow: GraphArrow): string[] {
  const text = arrowText(arrow);
  return text === '' ? [] : wrapped(text, LABEL_CHARACTERS, LABEL_LINES);
}

function boxMarks({ node, lines, small, width, height }: GraphBox, { x, y }: Point): string[] {
  const [left, top] = [x - width / 2, y - height / 2];
  const shape =
    node === undefined
      ? `<rect class="end" x="${px(left)}" y="${px(top)}" width="${px(width)}" height="${px(height)}" rx="${px(height / 2)}"/>`
      : node.asksPerson
        ? `<polygon class="box ${node.state ?? ''}" points="${hexagon({ x, y }, { width, height })}"/>`
        : `<rect class="box ${node.state ?? ''}" x="${px(left)}" y="${px(top)}" width="${px(width)}" height="${px(height)}" rx="6"/>`;
  const first = small === '' ? y + 4.5 : top + LINE + 3;
  return [
    `    ${shape}`,
    ...lines.map((line, index) => `    <text x="${px(x)}" y="${px(first + index * LINE)}">${escapeXml(line)}</text>`),
    ...(small === '' ? [] : [`    <text class="small" x="${px(x)}" y="${px(first + lines.length * LINE)}">${escapeXml(small)}</text>`]),
    ...(node?.isEntry === true ? [`    <circle class="head" cx="${px(left)}" cy="${px(y)}" r="4.5"/>`] : []),
  ];
}

function hexagon({ x, y }: Point, { width, height }: Box): string {
  const [left, right, cut] = [x - width / 2, x + width / 2, 18];
  const corners = [
    [left, y],
    [left + cut, y - height / 2],
    [right - cut, y - height / 2],
    [right, y],
    [right - cut, y + height / 2],
    [left + cut, y + height / 2],
  ] as const;
  return corners.map(([a, b]) => `${px(a)},${px(b)}`).join(' ');
}

interface LabelledArrow extends Link {
  readonly arrow: GraphArrow;
  readonly texts: readonly string[];
}

function arrowMarks({ arrow, texts, label: { width, height } }: LabelledArrow, { points, label }: Layout['links'][number]): string[] {
  const taken = (arrow.taken ?? 0) > 0;
  const classes = ['arrow', arrow.via === 'bound' ? 'bound' : '', taken ? 'taken' : ''].filter((name) => name !== '').join(' ');
  const top = label.y - (height - LABEL_LINE) / 2 + 4;
  return [
    `    <path class="${classes}" d="${curve(points)}"/>`,
    `    <polygon class="${taken ? 'taken-head' : 'head'}" points="${arrowHead(points)}"/>`,
    ...(texts.length === 0
      ? []
      : [
          `    <rect class="ground" x="${px(label.x - width / 2 - 2)}" y="${px(label.y - height / 2)}" width="${px(width + 4)}" height="${px(height)}"/>`,
        ]),
    ...texts.map(
      (text, index) => `    <text class="small" x="${px(label.x)}" y="${px(top + index * LABEL_LINE)}">${escapeXml(text)}</text>`,
    ),
  ];
}

/** A smooth line through points, vertical at each of them and straight between points of the same height. */
function curve(points: readonly Point[]): string {
  const [start, ...rest] = points as [Point, ...Point[]];
  let at = start;
  const parts = [`M ${px(at.x)} ${px(at.y)}`];
  for (const point of rest) {
    const half = (at.y + point.y) / 2;
    parts.push(`C ${px(at.x)} ${px(half)}, ${px(point.x)} ${px(half)}, ${px(point.x)} ${px(point.y)}`);
    at = point;
  }
  return parts.join(' ');
}

/** The head of an arrow, which points down, up, or sideways if the arrow ends horizontally. */
function arrowHead(points: readonly Point[]): string {
  const [before, { x, y }] = points.slice(-2) as [Point, Point];
  const down = Math.sign(y - before.y);
  const right = down === 0 ? Math.sign(x - before.x) : 0;
  const corner = (side: number): string => `${px(x - 8 * right + side * down)},${px(y - 8 * down + side * right)}`;
  return [`${px(x)},${px(y)}`, corner(-4.5), corner(4.5)].join(' ');
}

/** The length of a text in letters of usual width; East Asian letters are twice as wide. */
function lengthOf(text: string): number {
  return [...text].reduce((sum, letter) => sum + ((letter.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1), 0);
}

function smallWidth(text: string): number {
  return lengthOf(text) * SMALL_CHARACTER;
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A text in at most `max` lines of at most `width` characters, truncated with an ellipsis. */
function wrapped(text: string, width: number, max: number): string[] {
  const words = text.split(/\s+/).flatMap((part) => slices(part, width));
  const lines = wrap(words.join(' '), width);
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), `${(lines[max - 1] as string).slice(0, width - 1)}…`];
}
