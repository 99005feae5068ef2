// Defines workflows of this application: it adds the protected database "book" to a definition that does not
// mention it. Each step works on a copy of the books, and its changes are accepted when its conditions hold.

import { defineWorkflow as define, type GraphSpec, type StepSpec } from '../../src/compat/index.ts';

/** Commands that only read: they fail if they change the books. */
const READERS: readonly string[] = ['review:chapters', 'w1:human-gate'];
/** How often a writer starts again because another one changed the same chapter. */
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
