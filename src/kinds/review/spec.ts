// Owns what authors write for a `review`, as types: its subject, and who verifies and fixes it.

import type { ReviewResult } from '../../authoring/flow/result.ts';
import type { ReviewFields } from '../../authoring/spec/part.ts';

/** A quality review that ends; `reject` if a person stops the work. */
export interface ReviewStep {
  fields: { review: ReviewFields };
  list: { readonly review?: ReviewFields | { readonly part: string } };
  result: ReviewResult;
}
