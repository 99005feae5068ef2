// Owns workflows that are data alone, as files are: whoever has the definition has all of it.

import { type CompiledWorkflow, NO_CODE } from './code.ts';
import { hashCode } from './hash.ts';
import { type Definition, membersOf } from './model.ts';

/** The workflow of a run that is frozen to a definition and needs nothing else; it was checked and hashed when the run began. */
export function frozenWorkflow({ definition, hash }: { readonly definition: Definition; readonly hash: string }): CompiledWorkflow {
  const code = new Map(definition.steps.map(({ id }) => [id, NO_CODE]));
  return { definition, hash, codeHash: hashCode([]), code, children: new Map() };
}

/** Whether a run that was frozen so needs nothing else to go on: no functions, and no other workflow. */
export function isWhole({ definition, codeHash }: { readonly definition: Definition; readonly codeHash: string }): boolean {
  const starts = definition.steps.some((step) => [step, ...membersOf(step)].some(({ kind }) => kind === 'workflow'));
  return definition.form === 'graph' && !starts && codeHash === hashCode([]);
}
