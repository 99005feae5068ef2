// Computes what a run skips when it leaves the defined order: which steps are on every path to a step or from it to a
// successful end, which of them are questions to people, and which answers continue.

import { createGraph, type Graph, reachable, successorsOf } from './analysis.ts';
import { type KindFacts, traitsOf } from './kind.ts';
import { type Definition, membersOf, type StepModel } from './model.ts';

/** A question before a step, and the steps its answers lead to from which that step is reached without asking again. */
export interface QuestionBefore {
  readonly step: string;
  readonly on: readonly string[];
}

/** The path of a run that starts after questions: each is asked again before the run continues at its starting step. */
export interface Detour {
  /** An answer that leads to one of the steps in `on` continues the detour, any other leaves it. */
  readonly asks: readonly QuestionBefore[];
  /** The step at which the run continues after the last question. */
  readonly to: string;
}

/** What a person skipped or accepted, without the check, the question or the work that the definition requires. */
export type Override = {
  readonly actor: string;
  /** The steps that were skipped. */
  readonly passed: readonly string[];
  readonly note?: string | undefined;
} /** A step was taken as done. */ & (
  | { readonly how: 'accept' | 'done' }
  /** The run continued at another step. */
  | { readonly how: 'goto'; readonly to: string }
  /** It began at another step, or with results in place of steps. */
  | { readonly how: 'from' | 'fork'; readonly to?: string }
  /** It happened in a run that this one started. */
  | { readonly how: 'child'; readonly child: string }
);

/** True for a step that asks a person: it is a question, has one after its work, or a member of it does. */
export function asksPerson(step: StepModel): boolean {
  return step.kind === 'human' || step.question !== undefined || membersOf(step).some(asksPerson);
}

/** True for a step at which the engine checks work. */
export function checksWork(facts: Pick<KindFacts, 'kinds'>, step: StepModel): boolean {
  return traitsOf(facts, step.kind).checksWork === true || membersOf(step).some((member) => checksWork(facts, member));
}

/** Returns the steps on every path from one step to another, without the second; only the first if there is no path. */
export function stepsBetween(definition: Definition, from: string, to: string): string[] {
  const paths = createPathFinder(definition);
  if (!paths.leads(from, to, undefined)) return [from];
  return idsOf(definition).filter((id) => id !== to && (id === from || !paths.leads(from, to, id)));
}

/** Returns the steps on every path from a step to a successful end of the run, without the step itself. */
export function stepsAfter(definition: Definition, from: string): string[] {
  const paths = createPathFinder(definition);
  return idsOf(definition).filter((id) => id !== from && !paths.completes(from, id));
}

/**
 * Returns what a run skips if it continues at `to` instead of at `at`: the steps on every path between the two, unless
 * every path from `to` to a successful end reaches them again.
 */
export function stepsPassed(definition: Definition, at: string, to: string): string[] {
  const again = new Set([to, ...stepsAfter(definition, to)]);
  return stepsBetween(definition, at, to).filter((id) => !again.has(id));
}

/**
 * Returns the questions among some steps that a run starting at `from` would skip, in the order in which they are
 * asked: those that are not asked on every path from there.
 */
export function questionsPassed(definition: Definition, from: string, among: readonly string[]): QuestionBefore[] {
  const paths = createPathFinder(definition);
  const again = new Set([from, ...stepsAfter(definition, from)]);
  return definition.steps
    .filter((step) => among.includes(step.id) && !again.has(step.id) && asksPerson(step))
    .sort((a, b) => (paths.leads(a.id, b.id, undefined) && !paths.leads(b.id, a.id, undefined) ? -1 : 0))
    .map((step) => ({ step: step.id, on: paths.targets(step.id).filter((id) => id === from || paths.leads(id, from, step.id)) }));
}

function idsOf({ steps }: Definition): string[] {
  return steps.map(({ id }) => id);
}

interface PathFinder {
  /** Whether there is a path from one step to another without a third. */
  leads(from: string, to: string, without: string | undefined): boolean;
  /** Whether there is a path from a step to a successful end without another. */
  completes(from: string, without: string): boolean;
  targets(from: string): string[];
}

function createPathFinder(definition: Definition): PathFinder {
  const graph = createGraph(definition.steps);
  const successors = successorsOf(graph);
  const id = (index: number): string => (definition.steps[index] as StepModel).id;
  const reachedFrom = (from: string, without: string | undefined): boolean[] => {
    const cut = without === undefined ? undefined : graph.position.get(without);
    const open = successors.map((targets, index) => (index === cut ? [] : targets.filter((target) => target !== cut)));
    const start = graph.position.get(from);
    return reachable(open, start === undefined || start === cut ? [] : [start]);
  };
  return {
    leads: (from, to, without) => from !== without && reachedFrom(from, without)[graph.position.get(to) ?? -1] === true,
    completes: (from, without) => reachedFrom(from, without).some((seen, index) => seen && endsWell(graph, index)),
    targets: (from) => [...new Set(successors[graph.position.get(from) ?? -1] ?? [])].map(id),
  };
}

function endsWell({ transitions }: Graph, index: number): boolean {
  return (transitions[index] ?? []).some(({ to }) => 'end' in to && to.end === 'complete');
}
