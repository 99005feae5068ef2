// Owns how workflows of this application are defined: as they are written, on the protected database "book". What a
// definition does not have to know about it is added here: each step works on a copy of the books, and what it changed
// there becomes part of them when its conditions hold.

import { defineWorkflow as define, type GraphSpec, type StepSpec } from '../../src/compat/index.ts';

/** Commands that measure and show: a change of the books fails them. */
const READERS: readonly string[] = ['review:chapters', 'w1:human-gate'];
/** How often a writer begins again because another one changed the same chapter meanwhile. */
const CONFLICTS_MAX = 8;

/** A workflow whose steps work on the books. */
export function defineWorkflow<Ctx>(spec: GraphSpec<Ctx>): ReturnType<typeof define<Ctx>> {
  return define<Ctx>({ ...spec, databases: ['book'], steps: spec.steps.map(onBooks) });
}

function onBooks<Ctx>(step: StepSpec<Ctx>): StepSpec<Ctx> {
  const { command, parallel } = step as { readonly command?: unknown; readonly parallel?: unknown };
  if (READERS.some((name) => name === command)) return { ...step, databases: { book: 'read' } };
  return parallel === true ? { ...step, retry: { max: CONFLICTS_MAX } } : step;
}
