// Owns which edges a workflow of a file has: what its steps can settle with, and where each of those leads, by the
// definition or by the rules of the engine. And which of them a run has taken.

import type { Definition, StepKind, StepModel, Target } from '../../src/definition/model.ts';
import type { EventOf, RunEvent } from '../../src/kernel/event.ts';

/** What a step of a kind can settle with; a skip needs a condition, and a timeout of these, but for agents, a limit. */
const OUTCOMES: Partial<Record<StepKind, readonly string[]>> = {
  // The driver of an agent has watchdogs of its own, so it can time out without a limit of the step.
  agent: ['ok', 'fail', 'reject', 'error', 'timeout'],
  gate: ['ok', 'fail', 'error'],
  action: ['ok', 'error'],
  delay: ['ok'],
  parallel: ['ok', 'reject', 'fail'],
};

/** Every edge that a run can take, as `step outcome → target`. */
export function possibleEdges({ steps }: Definition): string[] {
  return steps.flatMap((step) => outcomesOf(step).flatMap((outcome) => edgesFor(step, outcome))).sort();
}

/** Entries of the definition's tables that no run can take, since the step never settles so. */
export function impossibleEntries({ steps }: Definition): string[] {
  return steps
    .flatMap((step) => {
      const taken = outcomesOf(step).map((outcome) => sourceOf(step, outcome));
      return Object.keys(step.next).flatMap((way) => (taken.includes(way) ? [] : [`${step.id} ${way}`]));
    })
    .sort();
}

/** The edges that a run took; where a person sent it is none of them. */
export function takenEdges(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'edge.taken' && event.from !== undefined ? [nameOf(event.from.replaceAll(/#\d+/g, ''), event)] : [],
  );
}

/** How each step and each branch settled in a run, as `step outcome`. */
export function settledSteps(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'step.settled' ? [`${event.path.replaceAll(/#\d+/g, '')} ${event.outcome}`] : []));
}

function outcomesOf(step: StepModel): string[] {
  const { kind, condition, timeoutMs } = step;
  const own = OUTCOMES[kind] ?? [];
  return [
    ...own,
    ...(step.kind === 'action' && step.config.action === 'merge_pr' ? ['conflict', 'ci_failure', 'stale_head', 'stale_tree'] : []),
    ...(condition === undefined ? [] : ['skip']),
    ...(timeoutMs === undefined || own.includes('timeout') ? [] : ['timeout']),
  ];
}

function sourceOf({ next }: StepModel, outcome: string): string {
  return next[outcome] === undefined && outcome !== 'error' && outcome !== 'timeout' ? '_default' : outcome;
}

function edgesFor(step: StepModel, outcome: string): string[] {
  const entry = step.next[sourceOf(step, outcome)];
  if (entry === undefined)
    return step.side === true ? [] : [nameOf(step.id, { outcome, to: outcome === 'reject' ? 'reject' : 'escalate' })];
  if ('condition' in entry) throw new Error('no stage of a file chooses by an expression');
  const onward = nameOf(step.id, { outcome, to: targetOf(entry.to) });
  return entry.then === undefined ? [onward] : [onward, nameOf(step.id, { outcome, to: targetOf(entry.then), exhausted: true })];
}

function nameOf(from: string, { outcome, to, exhausted }: Pick<EventOf<'edge.taken'>, 'outcome' | 'to' | 'exhausted'>): string {
  return `${from} ${outcome} → ${to}${exhausted === true ? ' (used up)' : ''}`;
}

function targetOf(target: Target): string {
  return 'step' in target ? target.step : target.end;
}
