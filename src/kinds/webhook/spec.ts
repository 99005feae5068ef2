// Owns what authors write for a `webhook`, as types: a request, and the answer that is expected.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { WebhookResult } from '../../authoring/flow/result.ts';
import type { Webhook } from '../../authoring/spec/part.ts';

/** A step that asks a web service. */
export interface WebhookStep<C> {
  fields: { webhook: Webhook<C> };
  flow: {
    /** Asks a web service; an answer that is not the expected one fails the step. */
    webhook(webhook: Webhook, options?: StepOptions): FlowCall<WebhookResult>;
  };
  /** Its texts may be templates. */
  list: { readonly webhook?: Webhook<C> };
  result: WebhookResult;
}
