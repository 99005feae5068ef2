// Owns what of a graph is drawn: steps without the members of groups, which are folded into counts; ends of the run; one
// line per pair of steps with what leads along it. Transitions that every step has to an escalation are drawn only when taken.

import type { GraphData, GraphNode, NodeState } from '../connection/contract.ts';
import { plainLine } from '../text/plain-text.ts';
import type { Drawing } from './arrange.ts';

/** A step or an end, with its size and state. */
export interface DrawnNode {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly isEnd: boolean;
  readonly width: number;
  readonly height: number;
  readonly state: NodeState | undefined;
  /** How many steps are folded into it. */
  readonly folded: number;
}

/** A line from one step to another. */
export interface DrawnEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** How often the run went along it. */
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
  const folded = Map.groupBy(nodes, ({ group }) => group ?? '');
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
      ...steps.map((step) => drawnStep(step, state[step.id], folded.get(step.id)?.length ?? 0)),
      ...[...ends].map((id) => ({
        id,
        title: id,
        kind: '',
        isEnd: true,
        width: 30 + id.length * TITLE_PX,
        height: 26,
        state: undefined,
        folded: 0,
      })),
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

function drawnStep({ id, title, kind }: GraphNode, state: NodeState | undefined, folded: number): DrawnNode {
  const shown = plainLine(title);
  const width = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, 56 + Math.max(shown.length * TITLE_PX, kind.length * 6.5)));
  const members = folded > 0 || state?.members !== undefined;
  return { id, title: shown, kind, isEnd: false, width, height: members ? 64 : 44, state, folded };
}

/** Nobody needs to read that `ok` leads on. */
function labelOf(outcomes: ReadonlySet<string>): string {
  const words = [...outcomes].filter((each) => !USUAL.has(each)).map(plainLine);
  const label = words.join(', ');
  return label.length <= LABEL_MAX ? label : `${label.slice(0, LABEL_MAX - 1)}…`;
}
