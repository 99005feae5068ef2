// Lists what a driver must load before it decides: the values that inputs and the checkpoint refer to, and the members
// of its groups.

import type { Ref } from '../base/digest.ts';
import type { Path } from '../kernel/activation.ts';
import type { RunInput } from '../kernel/input.ts';
import type { Program } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import { observedRefs, refsOf } from './run-cache.ts';

/** Returns the values that deciding these inputs reads. */
export function refsFor(state: RunState, batch: readonly { readonly input: RunInput }[]): Ref[] {
  const refs = refsOf(state);
  for (const { input } of batch) {
    for (const ref of [...refsIn(input), ...refsOfAnswer(state, input)]) if (ref !== undefined) refs.push(ref);
  }
  return refs;
}

/** The values that an input refers to and that deciding it reads. */
function refsIn(input: RunInput): readonly (Ref | undefined)[] {
  switch (input.type) {
    case 'settled':
      return [input.output, input.assumed];
    case 'assumed':
      return [input.assumed];
    case 'errored':
    case 'decided':
    case 'childEnded':
      return [input.output];
    case 'reported':
      return input.error === undefined ? [input.output] : [];
    case 'start':
    case 'facts':
      return [input.facts];
    case 'prepared':
      return [input.merge];
    case 'observed':
      return observedRefs(input.seen);
    case 'asked':
      return [input.saved];
    case 'answered':
      return [input.answers];
    case 'signalled':
      return [input.payload];
    case 'control':
      return 'output' in input.action ? [input.action.output] : input.action.do === 'again' ? [input.action.place.group?.items] : [];
    default:
      return [];
  }
}

/** Steps that start because of an answer get the answer together with its assumption, so both are loaded. */
function refsOfAnswer({ assumptions = [] }: RunState, input: RunInput): readonly (Ref | undefined)[] {
  if (input.type !== 'control' || input.action.do !== 'answer') return [];
  const { assumption, text, place } = input.action;
  return [assumptions.find(({ id }) => id === assumption)?.list, text, place?.group?.items];
}

/** Returns the groups whose members a decision may read. */
export function groupsFor(state: RunState, batch: readonly { readonly input: RunInput }[]): Path[] {
  const groups = Object.keys(state.groups);
  for (const { input } of batch) {
    const place = input.type === 'control' && 'place' in input.action ? input.action.place : undefined;
    if (place?.group !== undefined) groups.push(place.path);
  }
  if (state.halt?.group !== undefined && state.halt.path !== undefined) groups.push(state.halt.path);
  return groups;
}

/** The parts of the external facts that a program's decisions read; undefined means all of them. */
export function outsidePartsOf({ reads }: Program): readonly (string | undefined)[] {
  return [...new Set(reads.flatMap((need) => (need.read === 'outside' ? [need.part] : [])))];
}
