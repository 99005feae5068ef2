// Owns the author-facing types of a `webhook`: a request, and the expected response.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { WebhookResult } from '../../authoring/flow/result.ts';
import type { Webhook } from '../../authoring/spec/part.ts';

/** A step that calls a web service. */
export interface WebhookStep<C> {
  fields: { webhook: Webhook<C> };
  flow: {
    /** Calls a web service; the step fails if the response is not the expected one. */
    webhook(webhook: Webhook, options?: StepOptions): FlowCall<WebhookResult>;
  };
  /** Its strings may be templates. */
  list: { readonly webhook?: Webhook<C> };
  result: WebhookResult;
}
