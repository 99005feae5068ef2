// Owns the drawing of a graph for a terminal: the steps from top to bottom, a line down to the next one, and a branch for
// every other transition. A branch to an earlier step points up.

import { arrowText, type GraphArrow, type GraphDescription, type GraphNode, type NodeState } from '../../definition/describe.ts';
import { type Display, oneLine, type StyleName, shorten, styled, widthOf } from '../terminal.ts';

const LINES = {
  down: ['│', '|'],
  branch: ['├─', '|-'],
  last: ['└─', '`-'],
  to: ['→', '->'],
  back: ['↑', '^'],
  end: ['■', '#'],
  step: ['○', 'o'],
} as const;

const STATES: Readonly<Record<NodeState, readonly [unicode: string, ascii: string, style: StyleName]>> = {
  done: ['✓', '+', 'green'],
  current: ['●', '*', 'yellow'],
  failed: ['✗', 'x', 'red'],
  skipped: ['–', '-', 'dim'],
  ahead: ['○', 'o', 'dim'],
};

/** The graph as lines of text, within the columns of the terminal. */
export function drawText({ name, title, nodes, arrows }: GraphDescription, display: Display): string {
  const heading = title === name ? oneLine(name) : `${oneLine(name)}: ${oneLine(title)}`;
  const width = Math.min(24, Math.max(...nodes.map(({ id }) => widthOf(oneLine(id)))));
  const steps = nodes.flatMap((node, index) => stepLines(display, { node, width, next: nodes[index + 1], arrows }));
  return `${[styled(display, 'bold', shorten(display, heading, display.columns)), '', ...steps].join('\n').trimEnd()}\n`;
}

interface StepContext {
  readonly node: GraphNode;
  /** The width of the column of ids. */
  readonly width: number;
  readonly next: GraphNode | undefined;
  readonly arrows: readonly GraphArrow[];
}

function stepLines(display: Display, { node, width, next, arrows }: StepContext): string[] {
  const line = (name: keyof typeof LINES): string => LINES[name][display.hasUnicode ? 0 : 1];
  const outgoing = arrows.filter(({ from }) => from === node.id);
  const isDown = ({ to, toEnd }: GraphArrow): boolean => !toEnd && to === next?.id;
  const [down, others] = [outgoing.filter(isDown), outgoing.filter((arrow) => !isDown(arrow))];
  const dim = (text: string): string => styled(display, 'dim', text);
  const members = node.members.map(({ id, kind }) => `${line('down')}    ${line('step')} ${oneLine(id)}  ${dim(kind)}`);
  const branches = others.map((arrow, index) => {
    const isLast = down.length === 0 && index === others.length - 1;
    const mark = arrow.toEnd ? line('end') : arrow.isBack ? line('back') : line('to');
    const head = `${line(isLast ? 'last' : 'branch')} `;
    const target = ` ${mark} ${oneLine(arrow.to)}`;
    return `${head}${dim(shorten(display, oneLine(arrowText(arrow)), Math.max(8, display.columns - widthOf(head + target))))}${target}`;
  });
  const onward = down.map((arrow) => `${line('down')} ${dim(shorten(display, oneLine(arrowText(arrow)), display.columns - 2))}`);
  return [headOf(display, node, width), ...members, ...branches, ...onward, ...(down.length === 0 ? [''] : [])];
}

function headOf(display: Display, { id, title, kind, state, visits = 0 }: GraphNode, width: number): string {
  const [unicode, ascii, style] = state === undefined ? [LINES.step[0], LINES.step[1], 'cyan' as const] : STATES[state];
  const mark = styled(display, style, display.hasUnicode ? unicode : ascii);
  const name = oneLine(id);
  const more = [kind, ...(title === id ? [] : [oneLine(title)]), ...(visits > 1 ? [`${visits} visits`] : [])].join('  ');
  const gap = ' '.repeat(Math.max(2, width - widthOf(name) + 2));
  return `${mark} ${styled(display, 'bold', name)}${gap}${styled(display, 'dim', shorten(display, more, Math.max(8, display.columns - width - 4)))}`;
}
