// Executes the engine's part of a review: `definition/review/review.ts` decides, from what the reviewers reported.
// The state of the review is stored under a `$`-name, which no result of a step can overwrite.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import {
  itemFaults,
  itemsToVerify,
  judgeRound,
  type OpenFinding,
  type ReviewRound,
  type ReviewState,
  reviewBanner,
  roundFaults,
  startReview,
} from '../../definition/review/review.ts';
import { readFindings } from '../../definition/review/review-documents.ts';
import { questionAfter } from '../../definition/review/review-loop.ts';
import { REVIEW } from '../../steps/run-records.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';
import { reviewedTree } from '../../steps/workspace/tree-verdict.ts';
import { isItems, OPTIONS, SPLIT, VERIFY } from './declare.ts';

/** Begins a review, judges a round, or returns the result. */
export function execute(job: Job<StepOf<'review'>>): Work {
  const { part } = job.request.bound.model.config;
  if (part === 'begin') return begin(job);
  const state = REVIEW.in(job.context.snapshot.data);
  if (state === undefined) return { error: stepError('STEP_FAILED', 'the review has not begun', { retryable: false }) };
  return part === 'judge' ? judge(job, state) : end(job, state);
}

/** Begins a review. Invalid items are sent back to the agent that created them. */
function begin({ request, context }: Job<StepOf<'review'>>): Work {
  const { items: fixed, name } = request.bound.model.config;
  const split = context.snapshot.results[SPLIT] ?? null;
  const items = fixed ?? (isJsonObject(split) ? split.items : undefined);
  const faults = isItems(items) ? itemFaults(items) : ['there is no list of items'];
  if (!isItems(items) || faults.length > 0) return { outcome: 'fail', output: { error: `the items cannot be used: ${faults.join('; ')}` } };
  const state = startReview(items.map(({ id, severity, question }) => ({ id, severity, question })));
  return { outcome: 'ok', output: nextRound(state, name), remember: REVIEW.with(state) };
}

function judge(job: Job<StepOf<'review'>>, state: ReviewState): Work {
  const { request, context } = job;
  const { rounds, name } = request.bound.model.config;
  const round = roundOf(state, context.snapshot.results[VERIFY] ?? null);
  const faults = roundFaults(state, round);
  if (faults.length > 0)
    return { error: stepError('STEP_OUTPUT_INVALID', `the round cannot be judged: ${faults.join('; ')}`, { retryable: false }) };
  const decision = judgeRound(state, round, rounds);
  const { status, blocking, followUps, trend } = decision;
  const summary = { round: decision.state.round, trend, blocking: plain(blocking), follow_ups: plain(followUps) };
  const remember = { ...REVIEW.with(decision.state), ...reviewedTree(job, { step: VERIFY, passed: status === 'passed' }) };
  if (status === 'passed') return { outcome: 'ok', output: summary, remember };
  const error = `${blocking.length} of ${decision.state.items.length} items failed in round ${decision.state.round}`;
  return {
    outcome: status,
    output: {
      ...summary,
      ...nextRound(decision.state, name),
      error: status === 'again' ? error : `${error}, the last one`,
      ...(status === 'exhausted' ? { question: questionAfter(name, decision, OPTIONS) } : {}),
    },
    remember,
  };
}

function end({ context }: Job<StepOf<'review'>>, { round, items, history }: ReviewState): Work {
  const judged = context.snapshot.results.judge;
  const { blocking = [], follow_ups: followUps = [] } = isJsonObject(judged ?? null) ? (judged as JsonObject) : {};
  const accepted = (blocking as readonly Json[]).length === 0 ? 'by the review' : 'by a person';
  return { outcome: 'ok', output: { accepted, rounds: round, items: plain(items), open: blocking, follow_ups: followUps, history } };
}

/** The data of the next round, as the steps of the review read it. */
function nextRound(state: ReviewState, name: string): JsonObject {
  const round = state.round + 1;
  return { next_round: round, banner: reviewBanner(name, round, true), to_verify: plain(itemsToVerify(state)) };
}

/** The reviewers' results of a round. The verdicts are in the order of the items. */
function roundOf(state: ReviewState, results: Json): ReviewRound {
  const items = itemsToVerify(state);
  const list: readonly Json[] = Array.isArray(results) ? results : [];
  const replies = items.map((_, index): JsonObject => {
    const reply = list[index] ?? null;
    return isJsonObject(reply) ? reply : {};
  });
  return {
    verdicts: replies.map(({ status, evidence }, index) => ({
      id: items[index]?.id ?? '',
      status: status === 'pass' ? 'pass' : 'fail',
      evidence: textOf(evidence),
    })),
    findings: replies.flatMap(({ findings }) => readFindings(findings)),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function plain(list: readonly OpenFinding[] | ReviewState['items']): Json {
  return list as unknown as Json;
}
