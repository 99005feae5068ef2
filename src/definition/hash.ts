// Owns the identity of a workflow: one digest of its data and one of its functions.
//
// - The digest of the data depends only on the data: not on the order of keys or the way it was written.
// - The digest of the code depends on the source of each function and on its step and role, not on the order in which
//   functions were found. Imports are not part of the text: a host that knows the import graph uses that instead.

import { digestJson } from '../base/digest.ts';
import type { Json } from '../base/json.ts';
import type { Definition } from './model.ts';

/** The source of a function of a workflow, and its role: `postcondition 0` of step `writer`. */
export interface CodeRole {
  /** Absent for a function of the workflow itself. */
  readonly step?: string;
  readonly role: string;
  readonly source: string;
}

type AnyFunction = (...args: never[]) => unknown;

const SOURCE = Symbol.for('pawl.source');

/** Sets the source of a function for the digest: the text of what its author wrote, if that is another function. */
export function withSource<F extends AnyFunction>(code: F, source: string): F {
  return Object.assign(code, { [SOURCE]: source });
}

/** Uses the source of the functions among these values for the digest. */
export function withSourceOf<F extends AnyFunction>(code: F, values: readonly unknown[]): F {
  const functions = values.filter((value): value is AnyFunction => typeof value === 'function');
  return withSource(code, functions.map(sourceOf).join('\n'));
}

/** The source of a function for the digest; of another value, which is rejected later, its text. */
export function sourceOf(code: (AnyFunction & { readonly [SOURCE]?: string }) | undefined): string {
  return code?.[SOURCE] ?? String(code);
}

/** The digest of a definition. Which stage a step was added for does not count: TypeScript can write the same step. */
export function hashDefinition(definition: Definition): string {
  const steps = definition.steps.map(({ addedFor: _, ...step }) => step);
  // The round trip drops fields that are `undefined`, as storing the definition would.
  return digestJson(JSON.parse(JSON.stringify({ ...definition, steps })) as Json);
}

/** The digest of the functions of a workflow. */
export function hashCode(roles: Iterable<CodeRole>): string {
  const sources = [...roles].map(({ step = '', role, source }) => [step, role, source] as const);
  return digestJson(sources.sort((a, b) => compare(`${a[0]}\n${a[1]}`, `${b[0]}\n${b[1]}`)));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
