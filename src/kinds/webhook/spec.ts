// Owns what authors write for a `webhook`, as types: a request, and the answer that is expected.

import type { WebhookResult } from '../../authoring/flow/result.ts';
import type { Webhook } from '../../authoring/spec/part.ts';

/** A step that asks a web service. */
export interface WebhookStep<C> {
  fields: { webhook: Webhook<C> };
  /** Its texts may be templates. */
  list: { readonly webhook?: Webhook<C> };
  result: WebhookResult;
}
