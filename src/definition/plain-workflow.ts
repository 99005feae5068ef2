// Owns workflows without functions, such as those of files: the definition is all they have.

import { omitUndefined } from '../base/fields.ts';
import type { CheckCode } from './check.ts';
import { type CompiledWorkflow, NO_CODE, type StepCode } from './code.ts';
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

/** A workflow as data, which can be sent to another process. */
export interface DescribedWorkflow {
  readonly definition: Definition;
  /** The steps that have functions, by path. Step kinds and checks of the application do not count: they are found by name. */
  readonly functions: readonly string[];
  /** Whether a function builds its context. */
  readonly hasContext: boolean;
  /** The workflows that its steps start and that were passed as values. */
  readonly children: readonly string[];
  /** The checks of the application that its gates contain: `PATH NAME`. */
  readonly checks: readonly string[];
  /** The command in a comment that starts it. */
  readonly command?: string;
}

/** Returns a workflow as data. */
export function describeWorkflow({ definition, code, context, children, command }: CompiledWorkflow): DescribedWorkflow {
  const functions = [...code].flatMap(([id, step]) => functionsIn(id, step));
  const hasContext = context !== undefined;
  return {
    definition,
    functions,
    hasContext,
    children: [...children.keys()],
    checks: [...checksContained(code).keys()],
    ...omitUndefined({ command }),
  };
}

/** The checks of the application that the gates of a workflow contain, by `PATH NAME`. Others are found by their names. */
export function checksContained(code: CompiledWorkflow['code']): ReadonlyMap<string, CheckCode> {
  const within = (path: string, { checks = {}, members }: StepCode): (readonly [string, CheckCode])[] => [
    ...Object.entries(checks).map(([name, check]) => [`${path} ${name}`, check] as const),
    ...Object.entries(members).flatMap(([id, member]) => within(`${path}/${id}`, member)),
  ];
  return new Map([...code].flatMap(([id, step]) => within(id, step)));
}

function functionsIn(path: string, { members, preconditions, postconditions, custom: _, checks: __, ...single }: StepCode): string[] {
  const has = [...Object.values(single), ...preconditions, ...postconditions].some((part) => part !== undefined);
  return [...(has ? [path] : []), ...Object.entries(members).flatMap(([id, member]) => functionsIn(`${path}/${id}`, member))];
}
