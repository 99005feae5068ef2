// Owns the exhaustive walk over a small workflow: every state that any order of inputs can lead to, each visited once.

import type { JsonObject } from '../../src/base/json.ts';
import type { GraphDefinition } from '../../src/definition/model.ts';
import { isFinal, isHalted } from '../../src/definition/run-status.ts';
import { waitOf } from '../../src/kernel/activation.ts';
import type { RunInput } from '../../src/kernel/input.ts';
import type { RunState } from '../../src/kernel/run-state.ts';
import { progress } from './inputs.ts';
import { stateFaults } from './ledger.ts';
import { type MemoryHost, type SeenActivation, startGraph } from './memory-host.ts';

const STATES_MAX = 50_000;
/** Fields that are shown to people and decide nothing. */
const TEXTS = ['feedback', 'error', 'message', 'code'];

/** How far a walk goes. */
export interface WalkOptions {
  readonly params?: JsonObject;
  /** How often a halted run is taken up again. */
  readonly resumes?: number;
  /** True to let work end in six ways instead of ten, for workflows with several members. */
  readonly isNarrow?: boolean;
}

/** What the walk found. */
export interface Walk {
  readonly states: number;
  readonly decisions: number;
  /** How runs can end or halt, by status. */
  readonly ends: Readonly<Record<string, number>>;
  /** The first few states that are wrong, or from which no end can be reached. */
  readonly faults: readonly string[];
}

interface Node {
  readonly host: MemoryHost;
  /** How often a person may still take a halted run up again. */
  readonly resumes: number;
  readonly from: number[];
}

/** Visits every state of a workflow. */
export function walk(definition: GraphDefinition, given: WalkOptions = {}): Walk {
  const first: Node = { host: startGraph(definition, given.params), resumes: given.resumes ?? 0, from: [] };
  const nodes: Node[] = [first];
  const known = new Map([[keyOf(first), 0]]);
  const faults: string[] = [];
  let decisions = 0;
  for (let index = 0; index < nodes.length && faults.length < 5; index += 1) {
    if (nodes.length > STATES_MAX) throw new Error(`more than ${STATES_MAX} states; make the workflow smaller`);
    const node = nodes[index] as Node;
    faults.push(...stateFaults(node.host, definition.steps).map((fault) => `${fault} in ${JSON.stringify(node.host.state)}`));
    for (const { input, isProgress } of inputsFor(node)) {
      if (given.isNarrow && isVariant(input)) continue;
      decisions += 1;
      const reached = after(node, input);
      const key = keyOf(reached);
      const at = known.get(key) ?? nodes.push(reached) - 1;
      known.set(key, at);
      if (isProgress) nodes[at]?.from.push(index);
    }
  }
  return { states: nodes.length, decisions, ends: endsOf(nodes), faults: [...faults, ...strandedOf(nodes)].slice(0, 5) };
}

function inputsFor(node: Node): { input: RunInput; isProgress: boolean }[] {
  const { state, program } = node.host;
  if (isFinal(state.status) || (isHalted(state.status) && node.resumes === 0)) return [];
  const steer = (action: 'pause' | 'cancel'): RunInput => ({ type: 'control', at: state.at, actor: 'ann', action: { do: action } });
  const detours: RunInput[] = [{ type: 'recovered', at: state.at }, steer('cancel'), ...(state.paused ? [] : [steer('pause')])];
  return [
    ...progress(state, program).map((input) => ({ input, isProgress: true })),
    ...detours.map((input) => ({ input, isProgress: false })),
  ];
}

/** True for ends that lead where another one leads. */
function isVariant(input: RunInput): boolean {
  if (input.type === 'settled') return input.outcome === 'iterate';
  if (input.type !== 'errored') return false;
  const { error } = input;
  return (error.reason !== 'error' && error.reason !== 'contract') || error.retryable === false;
}

function after(node: Node, input: RunInput): Node {
  const host = node.host.fork();
  host.take(input);
  const resumed = isHalted(node.host.state.status) && !isHalted(host.state.status) && input.type === 'control';
  return { host, resumes: node.resumes - (resumed ? 1 : 0), from: [] };
}

/** What makes two states the same for everything that can still happen: times count from now, the past does not. */
function keyOf({ host, resumes }: Node): string {
  const { at, seq: _seq, createdAt: _createdAt, ...rest } = host.state;
  const live = Object.values(rest.live).map((activation) => {
    const { openedAt: _, startedAt: __, due = at, deadline = at, until = at, ...left } = activation as SeenActivation;
    const wait = waitOf(activation);
    const relative = wait?.kind === 'delay' ? { ...wait, until: wait.until - at } : wait;
    return { ...left, due: due - at, deadline: deadline - at, until: until - at, wait: relative };
  });
  live.sort((a, b) => (a.path < b.path ? -1 : 1));
  const members = [...host.view.groups].map(([path, group]) => [path, [...group.values()].sort((a, b) => a.index - b.index)]);
  return JSON.stringify([{ ...rest, live: null }, live, members, resumes], (key, value) => (TEXTS.includes(key) ? undefined : value));
}

function endsOf(nodes: readonly Node[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { host } of nodes) {
    const { status } = host.state;
    if (isOver(host.state)) ends[status] = (ends[status] ?? 0) + 1;
  }
  return ends;
}

function isOver(run: RunState): boolean {
  return isFinal(run.status) || isHalted(run.status);
}

/** States from which the run can neither end nor halt, however long it goes on. */
function strandedOf(nodes: readonly Node[]): string[] {
  const reaches = nodes.map(({ host }) => isOver(host.state));
  const queue = nodes.flatMap((_, index) => (reaches[index] ? [index] : []));
  for (let next = 0; next < queue.length; next += 1) {
    for (const from of nodes[queue[next] as number]?.from ?? []) {
      if (reaches[from]) continue;
      reaches[from] = true;
      queue.push(from);
    }
  }
  return nodes.filter((_, index) => !reaches[index]).map(({ host }) => `no end can be reached from ${JSON.stringify(host.state)}`);
}
