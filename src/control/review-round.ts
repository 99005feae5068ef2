// Presents the result of a review in progress lines and `pawl show`. For the engine, a reviewer with findings and a round
// that did not pass have completed their work; for the reader, both are a rejection.

import { isJsonObject, type Json } from '../base/json.ts';
import type { Definition } from '../definition/model.ts';

/** A step that has ended, as far as a review is concerned. */
export interface ReviewedStep {
  readonly outcome: string;
  /** The only members in the workflow of a review are its reviewers. */
  readonly isMember: boolean;
}

/** Whether a workflow is a review, whose reviewers verify one item each. */
export function isReviewWorkflow({ steps }: Pick<Definition, 'steps'>): boolean {
  return steps.some(({ kind }) => kind === 'review');
}

/** Whether the output of a step has to be read to know whether it rejects the work. */
export function mayReject({ outcome, isMember }: ReviewedStep, isReview: boolean): boolean {
  return outcome === 'again' || outcome === 'exhausted' || (isReview && isMember && outcome === 'ok');
}

/** Why a step of a review rejects the work, in one sentence; undefined if it does not. */
export function rejectionOf(reviewed: ReviewedStep, output: Json, isReview: boolean): string | undefined {
  if (!mayReject(reviewed, isReview) || !isJsonObject(output)) return undefined;
  const { outcome } = reviewed;
  if (outcome === 'ok') {
    if (output.status === 'fail') return String(output.evidence);
    const { findings } = output;
    const grave = (Array.isArray(findings) ? findings : []).filter((finding) => isJsonObject(finding) && finding.severity === 'MUST');
    const [first] = grave;
    return isJsonObject(first ?? null) ? `found beside its item: ${String((first as { readonly text?: Json }).text)}` : undefined;
  }
  const open = output.blocking ?? output.findings;
  // A kind of the user may have outcomes of these names too.
  if (typeof output.round !== 'number' || !Array.isArray(open)) return undefined;
  const found = `round ${output.round} did not pass: ${open.length} ${open.length === 1 ? 'finding stops' : 'findings stop'} the work`;
  return `${found}; ${outcome === 'again' ? 'it is fixed and reviewed again' : 'it was the last round, so a person decides'}`;
}
