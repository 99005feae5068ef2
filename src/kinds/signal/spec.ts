// Owns what authors write for a `signal` step, as types: the name of the signal it waits for.

import type { Get, OutputSchema } from '../../authoring/spec/step.ts';
import type { Json } from '../../base/json.ts';

/** A step that waits for a named signal. */
export interface SignalStep<X> {
  fields: { signal: string; output: OutputSchema };
  list: { readonly signal?: string };
  result: Json;
  signals: Name<Get<X, 'signal'>>;
}

/** A name may be a template. */
type Name<Written> = Written extends `${string}{{${string}` ? string : Written;
