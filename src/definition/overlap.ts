// Finds the branches of a group that may write the same files.

import { type KindFacts, traitsOf } from './kind.ts';
import type { StepModel } from './model.ts';
import { isFileOutput } from './output-pattern.ts';
import { fixedStart, isPlain } from './pattern.ts';

/** Returns the patterns that a step writes: `writes`, or else the files it declares as outputs. */
export function writtenBy({ writes, outputs = [] }: Pick<StepModel, 'writes' | 'outputs'>): readonly string[] {
  return writes ?? outputs.filter(isFileOutput).map(({ pattern }) => pattern);
}

/** Whether an agent does not declare which files it writes, so that it may write any. */
export function isSilentWriter(facts: Pick<KindFacts, 'kinds'>, step: Pick<StepModel, 'kind' | 'writes' | 'outputs'>): boolean {
  return traitsOf(facts, step.kind).worker === 'agent' && step.writes === undefined && writtenBy(step).length === 0;
}

/** Whether the branches of a group are reviews: if a rejection has a transition, they review and do not write. */
export function isReview({ next }: Pick<StepModel, 'next'>): boolean {
  return next.reject !== undefined || next.reject_all !== undefined;
}

/** Returns the ids of the members that may write what another one writes, by their patterns. */
export function overlappingWriters(
  members: readonly StepModel[],
  patternsOf: (member: StepModel) => readonly string[] = writtenBy,
): ReadonlySet<string> {
  const found = new Set<string>();
  const written = members.map(patternsOf);
  for (const [index, first] of members.entries()) {
    for (const [at, second] of members.entries()) {
      if (at <= index || !written[index]?.some((pattern) => written[at]?.some((rival) => mayMeet(pattern, rival)))) continue;
      found.add(first.id);
      found.add(second.id);
    }
  }
  return found;
}

/** Whether two patterns can match the same path, judged by the fixed part before their first wildcard. */
export function mayMeet(first: string, second: string): boolean {
  const [a, b] = [fixedStart(first), fixedStart(second)];
  if (isPlain(first) && isPlain(second)) return a === b;
  return (!isPlain(second) && a.startsWith(b)) || (!isPlain(first) && b.startsWith(a));
}
