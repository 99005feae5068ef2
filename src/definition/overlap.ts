// Owns which branches of a group may touch the same files: what each says it writes, compared with the others.

import { isJsonObject, type Json } from '../base/json.ts';
import type { StepModel } from './model.ts';
import { fixedStart, isPlain } from './pattern.ts';

/** The patterns that a step writes: what it says, or else the files that it declares as outputs. */
export function writtenBy({ writes, config }: Pick<StepModel, 'writes' | 'config'>): readonly string[] {
  if (writes !== undefined) return writes;
  const outputs: readonly Json[] = Array.isArray(config.outputs) ? config.outputs : [];
  return outputs.filter(isJsonObject).flatMap(({ type, pattern }) => {
    return (type === 'file' || type === 'artifact') && typeof pattern === 'string' ? [pattern] : [];
  });
}

/** The ids of the members that may write what another writes; one that neither says so nor declares files is not among them. */
export function overlappingWriters(members: readonly StepModel[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [index, one] of members.entries()) {
    for (const other of members.slice(index + 1)) {
      if (!writtenBy(one).some((pattern) => writtenBy(other).some((rival) => mayMeet(pattern, rival)))) continue;
      found.add(one.id);
      found.add(other.id);
    }
  }
  return found;
}

/** Whether two patterns can match one path, as far as what is spelled out before their first wildcard tells. */
function mayMeet(one: string, other: string): boolean {
  const [a, b] = [fixedStart(one), fixedStart(other)];
  if (isPlain(one) && isPlain(other)) return a === b;
  return (!isPlain(other) && a.startsWith(b)) || (!isPlain(one) && b.startsWith(a));
}
