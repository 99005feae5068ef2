// Selects the part of a graph that is drawn: steps without the members of groups, which are counted; the ends of the run;
// one line per pair of steps, with its outcomes. The transition to an escalation, which every step has, is drawn only if it
// was taken.

import type { GraphData, GraphNode, NodeState } from '../connection/contract.ts';
import { plainLine } from '../text/plain-text.ts';
import type { Drawing } from './arrange.ts';

/** A step of the graph, with its size and state. */
export interface DrawnStep extends Box {
  readonly is: 'step';
  readonly kind: string;
  readonly state: NodeState | undefined;
  /** How many members the group has; 0 for other steps. */
  readonly members: number;
}

/** A step, or an end of the run. */
export type DrawnNode = DrawnStep | (Box & { readonly is: 'end' });

interface Box {
  readonly id: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

/** A line from one step to another. */
export interface DrawnEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** How often the run took it. */
  readonly times: number;
}

/** A graph as it is drawn. */
export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

const USUAL = new Set(['ok', 'skip']);
const TITLE_PX = 7.4;
const WIDTH_MIN = 118;
const WIDTH_MAX = 250;
const LABEL_MAX = 28;

const LETTER_PX = 6.6;

/** How wide a label is drawn. */
export function labelWidth(label: string): number {
  return label.length * LETTER_PX + 8;
}

/** Prepares a graph for drawing. */
export function drawnGraph({ nodes, edges, state = {}, taken = [] }: GraphData): DrawnGraph {
  const steps = nodes.filter(({ group }) => group === undefined);
  const known = new Set(steps.map(({ id }) => id));
  const members = Map.groupBy(nodes, ({ group }) => group);
  const lines = new Map<string, { from: string; to: string; outcomes: Set<string>; times: number }>();
  const line = (from: string, to: string) => {
    const id = `${from}\u0000${to}`;
    const found = lines.get(id) ?? { from, to, outcomes: new Set<string>(), times: 0 };
    lines.set(id, found);
    return found;
  };
  for (const { from, to, outcome } of edges) {
    if (!known.has(from) || to === 'escalate') continue;
    line(from, to).outcomes.add(outcome);
  }
  for (const { from, to, outcome, times } of taken) {
    if (!known.has(from)) continue;
    const found = line(from, to);
    found.outcomes.add(outcome);
    found.times += times;
  }
  const ends = new Set([...lines.values()].map(({ to }) => to).filter((to) => !known.has(to)));
  return {
    nodes: [
      ...steps.map((step) => drawnStep(step, state[step.id], members.get(step.id)?.length ?? 0)),
      ...[...ends].map((id) => ({ is: 'end', id, title: id, width: 30 + id.length * TITLE_PX, height: 26 }) as const),
    ],
    edges: [...lines].map(([id, { from, to, outcomes, times }]) => ({ id, from, to, label: labelOf(outcomes), times })),
  };
}

/** What the layout needs to know of a graph. */
export function drawingOf({ nodes, edges }: DrawnGraph): Drawing {
  return {
    nodes: nodes.map(({ id, width, height }) => ({ id, width, height })),
    edges: edges.map(({ id, from, to, label }) => ({ id, from, to, label })),
  };
}

function drawnStep({ id, title, kind }: GraphNode, state: NodeState | undefined, members: number): DrawnStep {
  const shown = plainLine(title);
  const width = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, 56 + Math.max(shown.length * TITLE_PX, kind.length * 6.5)));
  const isGroup = members > 0 || state?.members !== undefined;
  return { is: 'step', id, title: shown, kind, width, height: isGroup ? 64 : 44, state, members };
}

/** The outcomes of a line, without the usual ones. */
function labelOf(outcomes: ReadonlySet<string>): string {
  const words = [...outcomes].filter((each) => !USUAL.has(each)).map(plainLine);
  const label = words.join(', ');
  return label.length <= LABEL_MAX ? label : `${label.slice(0, LABEL_MAX - 1)}…`;
}
