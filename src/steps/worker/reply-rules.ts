// Owns the rules for the reply of every worker: a driven agent, an in-process agent or an attended agent. Drivers may use the
// same rules to let their agent correct a reply.
//
// - A successful output matches the schema of its step, and is text if the step returns text.
// - A verdict is `approve` or `reject`, without contradiction. A reviewer that did not fail must give one.

import type { AgentReply } from '../../agents/driver.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ArgModel, StepModel } from '../../definition/model.ts';
import { isReview } from '../../definition/overlap.ts';
import { argumentFault, argumentLines } from '../../definition/param/arg.ts';
import { schemaMismatch } from '../../definition/param/json-schema.ts';
import { type AssumptionText, checkAssumptions } from '../../definition/question/assumption.ts';
import type { WorkerConfig } from './worker-task.ts';

/** The rules for a reply. */
export interface ReplyRules {
  /** The JSON Schema that the output must fit. */
  readonly schema?: JsonObject;
  /** The output is text and nothing else. */
  readonly givesText?: true;
  /** The worker is a reviewer: its verdict must be `approve` or `reject`. */
  readonly reviews?: true;
  /** A gate decides by the findings of the review. */
  readonly findings?: true;
  /** The arguments of the step: fields of the output with their names must have allowed values. */
  readonly args?: Readonly<Record<string, ArgModel>>;
}

/** A reply that has not been checked. */
export interface RawReply {
  readonly success: boolean;
  readonly output: Json;
  readonly verdict?: Json | undefined;
  readonly assumptions?: unknown;
}

/** Returns the rules for the workers of a step. `group`: the group that it is a member of. */
export function replyRulesOf(worker: WorkerConfig, step: StepModel, group: StepModel | undefined): ReplyRules {
  const { schema, givesText, script, role } = worker;
  const isReviewer = worker.reviews ?? (step.kind === 'agent' && (isReview(step) || (group !== undefined && isReview(group))));
  const isDispatched = script !== undefined && role === QUALITY_REVIEWER;
  return {
    ...omitUndefined({ schema, givesText }),
    ...(isReviewer || isDispatched ? { reviews: true } : {}),
    ...(step.reviewOf !== undefined && step.reviewOf.items === undefined ? { findings: true } : {}),
    ...(Object.keys(step.args).length === 0 ? {} : { args: step.args }),
  };
}

const QUALITY_REVIEWER = 'quality-reviewer';

/** Returns the instructions for a worker's reply, besides the schema. `field`: the field with the values of its arguments. */
export function ruleInstructions({ reviews, findings, args }: ReplyRules, field: string): string[] {
  return [
    ...(args === undefined ? [] : [`${field} must be a JSON object with these fields:\n${argumentLines(args).join('\n')}`]),
    ...(reviews === true
      ? [
          `${VERDICT_INSTRUCTIONS} Say what is wrong in ${findings === true ? FINDINGS : '"feedback"'} of ${field.toLowerCase()}: the worker that repeats the work reads it.`,
        ]
      : []),
  ];
}

const FINDINGS = '"findings": [{ "severity": "MUST", "SHOULD" or "COULD", "text": "…" }]';

const VERDICT_INSTRUCTIONS =
  'This is a review: reply with a JSON object that has "verdict": "approve" or "verdict": "reject". A review without a verdict, or with one that contradicts the rest of the reply, does not count.';

/** Returns why a reply is invalid, or undefined. */
export function replyFault({ schema, givesText, reviews, args }: ReplyRules, reply: RawReply): string | undefined {
  const { success, output } = reply;
  if (success && givesText === true && typeof output !== 'string') return '"output" must be a string';
  const unfit = success && schema !== undefined ? schemaMismatch(schema, output) : undefined;
  const wrongArg = success && args !== undefined ? argumentFault(args, output) : undefined;
  return unfit ?? wrongArg ?? verdictFault(reply, reviews === true) ?? assumptionsFault(reply);
}

function assumptionsFault({ assumptions }: RawReply): string | undefined {
  const read = checkAssumptions((assumptions ?? []) as Json);
  return 'why' in read ? `"assumptions" cannot be used: ${read.why}` : undefined;
}

/** Returns the worker's assumptions in a reply that passed the rules. */
export function assumptionsOf({ assumptions }: Pick<RawReply, 'assumptions'>): { readonly assumptions?: readonly AssumptionText[] } {
  const read = checkAssumptions((assumptions ?? []) as Json);
  return 'why' in read || read.assumptions.length === 0 ? {} : read;
}

const OPINIONS: Readonly<Record<string, 'approve' | 'reject'>> = { approve: 'approve', reject: 'reject', PASS: 'approve', FAIL: 'reject' };

function verdictFault({ success, output, verdict }: RawReply, isReviewer: boolean): string | undefined {
  if (verdict !== undefined && verdict !== null && verdict !== 'approve' && verdict !== 'reject')
    return `"verdict" must be "approve" or "reject", not ${JSON.stringify(verdict)}`;
  const inner = isJsonObject(output) ? output.verdict : undefined;
  // An unknown word, such as "rejected", is an error even if another field approves.
  if (isReviewer && inner !== undefined && inner !== null && !(typeof inner === 'string' && Object.hasOwn(OPINIONS, inner)))
    return `"verdict" must be "approve" or "reject", not ${JSON.stringify(inner)}`;
  const inOutput = isJsonObject(output) ? [output.verdict, output.status] : [];
  const opinions = [verdict, ...inOutput].flatMap((word) =>
    typeof word === 'string' && Object.hasOwn(OPINIONS, word) ? [OPINIONS[word]] : [],
  );
  if (opinions.includes('approve') && opinions.includes('reject')) return 'the reply approves and rejects at the same time';
  const isVerdict = verdict === 'approve' || (isJsonObject(output) && output.verdict === 'approve');
  if (isVerdict && !success) return '"verdict" is "approve" although "success" is false';
  if (isReviewer && success && opinions.length === 0) return 'a review needs "verdict": "approve" or "verdict": "reject"';
  return undefined;
}

/** Returns the verdict of a reply that passed the rules: next to the output, or in it. */
export function verdictOf({ output, verdict }: RawReply): AgentReply['verdict'] {
  const stated = verdict ?? (isJsonObject(output) ? output.verdict : undefined);
  return stated === 'approve' || stated === 'reject' ? stated : undefined;
}
