// Owns the identity of a workflow: one digest of its data and one of its functions.
//
// - The digest of the data depends only on the data: not on the order of keys or the way it was written.
// - The digest of the code depends on the text of each function and on its step and role, not on the order in which
//   functions were found. Imports are not part of the text: a host that knows the import graph uses that instead.

import { digestJson } from '../base/digest.ts';
import type { Json } from '../base/json.ts';
import type { Definition } from './model.ts';

/** A function of a workflow and its role: `postcondition 0` of step `writer`. */
export interface CodeRole {
  readonly step: string;
  readonly role: string;
  readonly code: (...args: never[]) => unknown;
}

/** The digest of a definition. */
export function hashDefinition(definition: Definition): string {
  // The round trip drops fields that are `undefined`, as storing the definition would.
  return digestJson(JSON.parse(JSON.stringify(definition)) as Json);
}

/** The digest of the functions of a workflow. */
export function hashCode(roles: Iterable<CodeRole>): string {
  const sources = [...roles].map(({ step, role, code }) => [step, role, code.toString()] as const);
  return digestJson(sources.sort((a, b) => compare(`${a[0]}\n${a[1]}`, `${b[0]}\n${b[1]}`)));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
