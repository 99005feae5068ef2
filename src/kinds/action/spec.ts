// Owns the author-facing types of an `action`: a forge action by its name, with its fields.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { ForgeSpec } from '../../authoring/graph/spec.ts';
import type { AnyAction, ForgeActions } from '../../authoring/spec/part.ts';
import type { Get, Targets } from '../../authoring/spec/step.ts';
import type { Json } from '../../base/json.ts';

/** A step that does something on the forge. */
export interface ActionStep<C, X, Ids extends Targets> {
  fields: { forge: Action<Get<X, 'forge'>, C, Ids['pr']> };
  flow: {
    /** Does something on the forge: `{ action: 'comment', target: 'issue', message }`. The result is the forge's answer. */
    action(action: AnyAction<never>, options?: StepOptions): FlowCall<Json>;
  };
  /** Its strings may be templates. */
  list: { readonly forge?: ForgeSpec };
  outcomes: 'conflict' | 'ci_failure' | 'stale_head' | 'stale_tree';
  result: Json;
}

type Action<F, C, Pr> = unknown extends F
  ? AnyAction<C>
  : Get<F, 'action'> extends infer A extends keyof ForgeActions
    ? { readonly action: A } & { [Field in keyof ForgeActions<C>[A]]: Field extends 'pr' ? Pr : ForgeActions<C>[A][Field] }
    : { readonly action: keyof ForgeActions };
