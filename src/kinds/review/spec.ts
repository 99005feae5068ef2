// Owns the author-facing types of a `review`: its subject, and who verifies and fixes it.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { ReviewResult } from '../../authoring/flow/result.ts';
import type { ReviewFields } from '../../authoring/spec/part.ts';

/** A quality review that ends; `reject` if a person stops the work. */
export interface ReviewStep {
  fields: { review: ReviewFields };
  flow: {
    /** Reviews work, item by item and round by round, until it passes; a person who stops it fails the step. */
    review(spec: ReviewSpec): FlowCall<ReviewResult>;
  };
  list: { readonly review?: ReviewFields | { readonly part: string } };
  result: ReviewResult;
}

/** A review in a flow, with what every step can have. */
export interface ReviewSpec extends ReviewFields, StepOptions {}
