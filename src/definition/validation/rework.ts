// Owns the detection of rework that bypasses checks: a person sends the work back, and it returns to the same question
// without the checks that it had to pass before.

import { createGraph, reachable, reversed, successorsOf } from '../analysis.ts';
import { type KindFacts, pipelineOf, traitsOf } from '../kind.ts';
import type { Definition, StepKind, StepModel } from '../model.ts';

/** A path from a question through work and back to it that misses a check. */
interface Bypass {
  /** The step with the question. */
  readonly question: string;
  /** Where the person sends the work. */
  readonly rework: string;
  /** The check that is before the question on every path from the start. */
  readonly check: string;
}

/** Returns all bypasses. Unreachable steps are ignored. */
export function bypassesIn(steps: readonly StepModel[], entry: string, facts: Pick<KindFacts, 'kinds'>): Bypass[] {
  const graph = createGraph(steps);
  const start = graph.position.get(entry);
  const checks = steps.flatMap(({ kind }, index) => (traitsOf(facts, kind).checksWork === true ? [index] : []));
  if (start === undefined || checks.length === 0) return [];
  const successors = successorsOf(graph);
  return steps.flatMap((step, question) => {
    if (step.question === undefined) return [];
    return checks.flatMap((check) => {
      const without = successors.map((targets, from) => (from === check ? [] : targets.filter((target) => target !== check)));
      if (check === question || reachable(without, [start])[question] === true) return [];
      return bypassing({ steps, without, question }, facts).map((rework) => named(steps, { question, rework, check }));
    });
  });
}

/**
 * True if a step is before a question on every path from the start: going back there leads no further than the run
 * could go before it asked.
 */
export function isBefore(definition: Definition, step: string, question: string): boolean {
  if (definition.form === 'flow') return false;
  const graph = createGraph(definition.steps);
  const [start, at, asked] = [definition.entry, step, question].map((id) => graph.position.get(id));
  if (start === undefined || at === undefined || asked === undefined) return false;
  if (at === start || at === asked) return true;
  const without = successorsOf(graph).map((targets, from) => (from === at ? [] : targets.filter((target) => target !== at)));
  return reachable(without, [start])[asked] !== true;
}

interface Way {
  readonly steps: readonly StepModel[];
  /** The graph without the check. */
  readonly without: readonly (readonly number[])[];
  readonly question: number;
}

/** Returns where a person can send the work so that it is changed and comes back without the check. */
function bypassing({ steps, without, question }: Way, facts: Pick<KindFacts, 'kinds'>): number[] {
  const onward = without.map((targets, from) => (from === question ? [] : targets));
  const comesBack = reachable(reversed(onward), [question]);
  return [...new Set(without[question] ?? [])].filter((target) => {
    if (target === question || comesBack[target] !== true) return false;
    const passed = reachable(onward, [target]);
    return steps.some(
      ({ kind }, index) => index !== question && isWork(facts, kind) && passed[index] === true && comesBack[index] === true,
    );
  });
}

/** Whether steps of a kind are there to work, themselves or inside. */
function isWork(facts: Pick<KindFacts, 'kinds'>, kind: StepKind): boolean {
  const pipeline = pipelineOf(facts, kind);
  return traitsOf(facts, kind).worker !== undefined || pipeline === 'group' || pipeline === 'child';
}

function named(steps: readonly StepModel[], at: Readonly<Record<keyof Bypass, number>>): Bypass {
  const id = (index: number): string => (steps[index] as StepModel).id;
  return { question: id(at.question), rework: id(at.rework), check: id(at.check) };
}
