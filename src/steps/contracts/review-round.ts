// Checks the report of a reviewer before its round counts: a verdict with evidence on every item that can stop the
// round, with the items of round 1; or, in a review without items, findings for a rejection. The reviewer can still fix
// these faults; the gate decides what follows.

import { digestText } from '../../base/digest.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { filled } from '../../definition/contract/step-contract.ts';
import { judgeDocuments, openReview, reportFaults } from '../../definition/review/review-loop.ts';
import type { ReviewDocuments } from '../../definition/step-terms.ts';
import { REVIEWED } from '../run-records.ts';
import type { Job } from '../work.ts';
import type { TextFiles } from './contract-files.ts';

/** The digests of the documents that a reviewer reported, for the run's data. The gate reads no others. */
export async function reviewedNow({ request }: Job, { gate, items, verdicts }: ReviewDocuments, texts: TextFiles): Promise<JsonObject> {
  if (items === undefined || verdicts === undefined) return {};
  const paths = [items, verdicts].map((path) => filled(path, request.params));
  const digests = await Promise.all(paths.map(async (path) => [path, digestText((await texts.load(path)) ?? '')] as const));
  return REVIEWED.of(gate).with(Object.fromEntries(digests));
}

/** The digests of the documents that were reported for the gate that runs now, by path; undefined if there are none. */
export function reviewedFor({ request, context }: Job): Readonly<Record<string, string>> | undefined {
  return REVIEWED.of(request.bound.model.id).in(context.snapshot.data);
}

/** Returns the faults of a reviewer's report and documents. */
export async function reviewFaults(
  { request, context }: Job,
  { reviewOf, output }: { readonly reviewOf: ReviewDocuments; readonly output: Json },
  texts: TextFiles,
): Promise<readonly string[]> {
  const { gate, items, verdicts } = reviewOf;
  if (items === undefined || verdicts === undefined) return reportFaults(output);
  const document = async (path: string) => ({ path, text: await texts.load(path) });
  const judged = judgeDocuments(gate, openReview(context.snapshot.results[gate]), {
    items: await document(filled(items, request.params)),
    verdicts: await document(filled(verdicts, request.params)),
  });
  return 'faults' in judged ? judged.faults : [];
}
