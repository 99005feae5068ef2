// Owns which branches of a group may touch the same files: what each says it writes, compared with the others.

import type { StepModel } from './model.ts';
import { fixedStart, isPlain } from './pattern.ts';

/** The ids of the members whose `writes` overlap with those of another; one that says nothing is not among them. */
export function overlappingWriters(members: readonly StepModel[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [index, one] of members.entries()) {
    for (const other of members.slice(index + 1)) {
      if (!(one.writes ?? []).some((pattern) => (other.writes ?? []).some((rival) => mayMeet(pattern, rival)))) continue;
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
