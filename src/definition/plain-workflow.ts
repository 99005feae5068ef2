// Owns workflows without functions, such as files: the definition is all there is.

import { type CompiledWorkflow, NO_CODE } from './code.ts';
import { hashCode } from './hash.ts';
import { type Definition, membersOf } from './model.ts';

/** Returns the workflow of a run whose definition is all it needs. It was validated and hashed when the run started. */
export function frozenWorkflow({ definition, hash }: { readonly definition: Definition; readonly hash: string }): CompiledWorkflow {
  const code = new Map(definition.steps.map(({ id }) => [id, NO_CODE]));
  return { definition, hash, codeHash: hashCode([]), code, children: new Map() };
}

/** Whether a run's stored definition is all it needs to continue: no functions, and no other workflow. */
export function isWhole({ definition, codeHash }: { readonly definition: Definition; readonly codeHash: string }): boolean {
  const starts = definition.steps.some((step) => [step, ...membersOf(step)].some(({ kind }) => kind === 'workflow'));
  return definition.form === 'graph' && !starts && codeHash === hashCode([]);
}
