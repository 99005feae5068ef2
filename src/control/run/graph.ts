// Owns the graph of a run: the definition's graph with the state of each step and the transitions taken. A flow has no
// graph before it runs; the graph of its run is the path it took.

import { topStepOf } from '../../definition/address.ts';
import { describeGraph, type GraphArrow, type GraphDescription, type GraphNode, type NodeState } from '../../definition/describe.ts';
import type { Definition, StepKind } from '../../definition/model.ts';
import type { EventOf, RunEvent } from '../../kernel/event.ts';
import type { PlanReport, RunReport } from '../schema/run.ts';

/** The graph of a run with its state. */
export function graphOfRun(definition: Definition, report: RunReport, events: readonly RunEvent[]): GraphDescription {
  const graph = definition.form === 'flow' ? pathOf(definition, report, events) : describeGraph(definition);
  const rows = new Map(report.plan.map((row) => [row.step, row]));
  const nodes = graph.nodes.map((node): GraphNode => {
    const row = rows.get(node.id);
    return row === undefined ? node : { ...node, state: stateOf(row), visits: row.visits };
  });
  return { ...graph, nodes, arrows: definition.form === 'flow' ? graph.arrows : takenArrows(graph.arrows, events) };
}

function stateOf({ status }: PlanReport): NodeState {
  switch (status) {
    case 'completed':
      return 'done';
    case 'failed':
    case 'cancelled':
      return 'failed';
    case 'skipped':
      return 'skipped';
    case 'pending':
      return 'ahead';
    default:
      return 'current';
  }
}

/** The arrows with how often each was taken, plus transitions that the engine took by its own rules. */
function takenArrows(declared: readonly GraphArrow[], events: readonly RunEvent[]): GraphArrow[] {
  const arrows = [...declared];
  const counts = new Map<GraphArrow, number>();
  const chosen = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'run.changed' && event.change === 'decided') chosen.set(event.decision.step, event.decision.option);
    if (event.type !== 'edge.taken' || event.from === undefined) continue;
    const from = topStepOf(event.from);
    const known = arrowFor(arrows, { ...event, from }, chosen.get(from));
    const arrow = known ?? { from, to: event.to, toEnd: true, on: [event.outcome], via: 'edge', isBack: false };
    if (known === undefined) arrows.push(arrow);
    counts.set(arrow, (counts.get(arrow) ?? 0) + 1);
    chosen.delete(from);
  }
  return arrows.map((arrow) => ({ ...arrow, taken: counts.get(arrow) ?? 0 }));
}

function arrowFor(arrows: readonly GraphArrow[], taken: EventOf<'edge.taken'>, option: string | undefined): GraphArrow | undefined {
  const candidates = arrows.filter((arrow) => arrow.from === taken.from && arrow.to === taken.to);
  const exhausted = taken.exhausted === true;
  return (
    candidates.find(({ via, on }) => via === 'option' && option !== undefined && on.includes(option)) ??
    candidates.find(({ via, on }) => (via === 'bound') === exhausted && via !== 'option' && on.includes(taken.outcome)) ??
    candidates.find(({ via, on }) => (via === 'bound') === exhausted && (on.includes('_default') || on.includes('reject_all')))
  );
}

/** The path of a flow: its steps in the order they were opened, one after the other. */
function pathOf(definition: Definition, report: RunReport, events: readonly RunEvent[]): GraphDescription {
  const opened = events.flatMap((event) =>
    event.type === 'step.opened' && event.activation.member === undefined ? [event.activation] : [],
  );
  const nodes = [...new Map(opened.map(({ step, kind }) => [step, kind]))].map(([step, kind], index) => nodeOf(step, kind, index === 0));
  const arrows = opened.slice(1).map(({ step }, index) => ({ from: opened[index]?.step ?? '', to: step, toEnd: false }));
  const last = opened.at(-1);
  const end = { completed: 'complete', overridden: 'complete', failed: 'fail', escalated: 'escalate', rejected: 'reject' }[
    report.run.status as string
  ];
  const ends = last === undefined || end === undefined ? [] : [{ from: last.step, to: end, toEnd: true }];
  return {
    name: definition.name,
    title: definition.title,
    nodes,
    arrows: [...arrows, ...ends].map((arrow) => ({ ...arrow, on: [], via: 'edge', isBack: false, taken: 1 })),
  };
}

function nodeOf(id: string, kind: StepKind, isEntry: boolean): GraphNode {
  return { id, title: id, kind, isEntry, isTerminal: false, asksPerson: kind === 'human', members: [] };
}
