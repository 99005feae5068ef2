// Owns the graph of a workflow as DOT, the language of Graphviz.

import { arrowText, type GraphArrow, type GraphDescription, type GraphNode, type NodeState, nodeText } from '../../definition/describe.ts';

const STATE_STYLES: Readonly<Record<NodeState, string>> = {
  done: 'color="#1a7f37", penwidth=2',
  current: 'color="#bf8700", penwidth=3',
  failed: 'color="#cf222e", penwidth=3',
  skipped: 'style="rounded,dashed"',
  ahead: 'color="#8c959f", fontcolor="#6e7781"',
};

/** The graph as DOT; steps are named by position, so that no id or title can break it. */
export function drawDot({ name, title, nodes, arrows }: GraphDescription): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `s${index}`]));
  const ends = [...new Set(arrows.filter(({ toEnd }) => toEnd).map(({ to }) => to))];
  const lines = [
    `digraph ${quoted(name)} {`,
    `  graph [label=${quoted(title)}, labelloc=t, rankdir=TB, fontname="sans-serif"];`,
    '  node [shape=box, style=rounded, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
    ...nodes.map((node, index) => `  s${index} [${nodeFields(node)}];`),
    ...ends.map((end) => `  end_${end} [label=${quoted(end)}, shape=plaintext];`),
    ...arrows.map(
      (arrow) => `  ${names.get(arrow.from)} -> ${arrow.toEnd ? `end_${arrow.to}` : names.get(arrow.to)} [${arrowFields(arrow)}];`,
    ),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

function nodeFields(node: GraphNode): string {
  const { asksPerson, state, isEntry } = node;
  return [
    `label=${quoted(`${nodeText(node)}\n${node.kind}${state === undefined ? '' : `, ${state}`}`)}`,
    ...(asksPerson ? ['shape=hexagon'] : []),
    ...(isEntry ? ['peripheries=2'] : []),
    ...(state === undefined ? [] : [STATE_STYLES[state]]),
  ].join(', ');
}

function arrowFields(arrow: GraphArrow): string {
  const { via, isBack, taken = 0 } = arrow;
  return [
    `label=${quoted(arrowText(arrow))}`,
    ...(via === 'bound' ? ['style=dashed'] : []),
    ...(isBack ? ['constraint=false'] : []),
    ...(taken > 0 ? ['penwidth=2.5'] : []),
  ].join(', ');
}

/** A DOT string: quotes, backslashes and line ends are escaped, other control characters removed. */
function quoted(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, (character) => `\\${character}`)
    .replace(/\r?\n/g, '\\n')
    .replace(/\p{Cc}/gu, '');
  return `"${escaped}"`;
}
