// Owns the graph of a definition: its transitions, and the steps that can be reached, can end or are on cycles.
// Everything is linear in steps and transitions and uses lists instead of the call stack, so that a definition of any
// size can be analysed.

import type { Choice, Definition, Edge, StepModel, Target } from './model.ts';
import type { OutcomeName } from './outcome.ts';

/** One transition from a step to another or to an end. */
export interface Transition {
  readonly from: string;
  readonly to: Target;
  /** The key of the table, or the label of a person's option. */
  readonly on: OutcomeName;
  /** `edge` is taken by an outcome, `bound` when an edge is used up, `option` when a person chose it. */
  readonly via: 'edge' | 'bound' | 'option';
  /** How often it is taken at most in a run. */
  readonly max?: number;
  /** The expression that decides, and the value that leads here. */
  readonly condition?: { readonly source: string; readonly is: boolean };
}

/** Returns all transitions of a step. */
export function transitionsOf(step: StepModel): Transition[] {
  const found: Transition[] = [];
  for (const [on, entry] of Object.entries(step.next)) {
    if (!isChoice(entry)) addEdge(found, entry, { from: step.id, on });
    else {
      addEdge(found, entry.onTrue, { from: step.id, on, condition: { source: entry.condition, is: true } });
      addEdge(found, entry.onFalse, { from: step.id, on, condition: { source: entry.condition, is: false } });
    }
  }
  for (const option of step.question?.options ?? []) {
    if (option.to !== undefined) found.push({ from: step.id, to: option.to, on: option.label, via: 'option' });
  }
  return found;
}

/** True for a transition that an expression chooses. */
export function isChoice(entry: Edge | Choice): entry is Choice {
  return 'condition' in entry;
}

function addEdge(found: Transition[], edge: Edge, base: Pick<Transition, 'from' | 'on' | 'condition'>): void {
  found.push({ ...base, to: edge.to, via: 'edge', ...(edge.max === undefined ? {} : { max: edge.max }) });
  if (edge.then !== undefined) found.push({ ...base, to: edge.then, via: 'bound' });
}

/** The steps of a definition by position, with the transitions of each. */
export interface Graph {
  /** The position of a step; the first one for duplicate ids. */
  readonly position: ReadonlyMap<string, number>;
  readonly transitions: readonly (readonly Transition[])[];
}

/** Creates the graph of a definition. Unknown targets are transitions without a position. */
export function createGraph(steps: readonly StepModel[]): Graph {
  const position = new Map<string, number>();
  steps.forEach((step, index) => {
    if (!position.has(step.id)) position.set(step.id, index);
  });
  return { position, transitions: steps.map(transitionsOf) };
}

/** Returns the successors of each step by position, over the wanted transitions. */
export function successorsOf({ position, transitions }: Graph, wanted: (transition: Transition) => boolean = () => true): number[][] {
  return transitions.map((ways) => {
    const targets: number[] = [];
    for (const way of ways) {
      const target = 'step' in way.to ? position.get(way.to.step) : undefined;
      if (target !== undefined && wanted(way)) targets.push(target);
    }
    return targets;
  });
}

/** Returns which positions can be reached from the given ones, including those. */
export function reachable(successors: readonly (readonly number[])[], starts: readonly number[]): boolean[] {
  const seen = successors.map(() => false);
  const waiting: number[] = [];
  const visit = (node: number) => {
    if (seen[node] === true) return;
    seen[node] = true;
    waiting.push(node);
  };
  starts.forEach(visit);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) successors[node]?.forEach(visit);
  return seen;
}

/** Returns the graph with every edge reversed. */
export function reversed(successors: readonly (readonly number[])[]): number[][] {
  const predecessors: number[][] = successors.map(() => []);
  successors.forEach((targets, from) => {
    for (const target of targets) predecessors[target]?.push(from);
  });
  return predecessors;
}

/** Returns groups of positions on common cycles: strongly connected components with at least one edge. */
export function cyclesOf(successors: readonly (readonly number[])[]): number[][] {
  return components(successors).filter((members) => members.length > 1 || successors[members[0] as number]?.includes(members[0] as number));
}

/** Tarjan's algorithm with an explicit stack. */
function components(successors: readonly (readonly number[])[]): number[][] {
  const order = successors.map(() => -1);
  const low = successors.map(() => -1);
  const open: number[] = [];
  const isOpen = successors.map(() => false);
  const found: number[][] = [];
  let count = 0;
  const enter = (node: number) => {
    order[node] = low[node] = count;
    count += 1;
    open.push(node);
    isOpen[node] = true;
  };
  const lower = (node: number, to: number) => {
    low[node] = Math.min(low[node] as number, to);
  };
  const close = (node: number) => {
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) isOpen[member] = false;
    found.push(members);
  };
  for (let root = 0; root < successors.length; root += 1) {
    if (order[root] !== -1) continue;
    enter(root);
    const visits = [{ node: root, next: 0 }];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const target = successors[visit.node]?.[visit.next];
      visit.next += 1;
      if (target === undefined) {
        visits.pop();
        if (low[visit.node] === order[visit.node]) close(visit.node);
        const parent = visits.at(-1);
        if (parent !== undefined) lower(parent.node, low[visit.node] as number);
      } else if (order[target] === -1) {
        enter(target);
        visits.push({ node: target, next: 0 });
      } else if (isOpen[target] === true) lower(visit.node, order[target] as number);
    }
  }
  return found;
}

/** Returns the ids of steps that a run can visit more than once. */
export function stepsOnCycles(definition: Definition): ReadonlySet<string> {
  const cycles = cyclesOf(successorsOf(createGraph(definition.steps)));
  return new Set(cycles.flat().map((position) => (definition.steps[position] as StepModel).id));
}
