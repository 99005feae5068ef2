// Owns what a driver has to load before it decides: the values that inputs bring and the checkpoint refers to, and the
// members of its groups.

import type { RunInput } from '../kernel/input.ts';
import type { Path, Ref, RunState } from '../kernel/run-state.ts';
import { refsOf } from './record.ts';

/** The values that deciding these inputs reads. */
export function refsFor(state: RunState, batch: readonly { readonly input: RunInput }[]): Ref[] {
  const refs = refsOf(state);
  for (const { input } of batch) {
    const ref = refOf(input);
    if (ref !== undefined) refs.push(ref);
  }
  return refs;
}

/** The value that an input brings and that deciding it reads. */
function refOf(input: RunInput): Ref | undefined {
  switch (input.type) {
    case 'settled':
    case 'errored':
    case 'decided':
    case 'reported':
    case 'childEnded':
      return input.output;
    case 'start':
      return input.facts;
    case 'prepared':
      return input.merge;
    case 'observed':
      return 'facts' in input ? input.facts : input.subjects;
    case 'answered':
      return input.answers;
    case 'signalled':
      return input.payload;
    case 'control':
      return 'output' in input.action ? input.action.output : undefined;
    default:
      return undefined;
  }
}

/** The groups whose members a decision may read. */
export function groupsFor(state: RunState): Path[] {
  const groups = Object.keys(state.groups);
  if (state.halt?.group !== undefined && state.halt.path !== undefined) groups.push(state.halt.path);
  return groups;
}
