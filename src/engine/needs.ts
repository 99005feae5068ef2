// Owns what a driver has to load before it decides: the values that inputs bring and the checkpoint refers to, and the
// members of its groups.

import type { RunInput } from '../kernel/input.ts';
import type { Path, Ref, RunState } from '../kernel/run-state.ts';
import { refsOf } from './record.ts';

/** The values that deciding these inputs reads. */
export function refsFor(state: RunState, inputs: readonly RunInput[]): Ref[] {
  const refs = refsOf(state);
  for (const input of inputs) {
    if ('output' in input && input.output !== undefined) refs.push(input.output);
    if ('subjects' in input) refs.push(input.subjects);
    if ('answers' in input) refs.push(input.answers);
    if ('merge' in input && input.merge !== undefined) refs.push(input.merge);
    if ('facts' in input && input.facts !== undefined) refs.push(input.facts);
    if ('payload' in input && input.payload !== undefined) refs.push(input.payload);
    if (input.type === 'control' && 'output' in input.action && input.action.output !== undefined) refs.push(input.action.output);
  }
  return refs;
}

/** The groups whose members a decision may read. */
export function groupsFor(state: RunState): Path[] {
  const groups = Object.keys(state.groups);
  if (state.halt?.group !== undefined && state.halt.path !== undefined) groups.push(state.halt.path);
  return groups;
}
