// Owns which step kinds and checks of an application a workflow names.

import { allChecks, checksIn } from './check.ts';
import { type StepModel, stepsWithin } from './model.ts';

/** The names of own step kinds and of all gate checks in some steps. */
export interface UsedParts {
  readonly kinds: ReadonlySet<string>;
  readonly checks: ReadonlySet<string>;
}

/** Returns what the steps of a workflow use. Those of a flow are not known before it runs. */
export function usedParts(steps: readonly StepModel[]): UsedParts {
  const all = steps.flatMap(stepsWithin);
  return {
    kinds: new Set(all.flatMap((step) => ('config' in step && 'use' in step.config ? [step.config.use] : []))),
    checks: new Set(all.flatMap((step) => allChecks(checksIn(step)).map(({ check }) => check))),
  };
}
