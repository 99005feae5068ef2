// Declares the kind `review`: the engine's own part of a quality review. It begins the review, judges each round
// and returns the result. The work of agents and people in between is in steps of their own (`compile.ts`).

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { fieldReader, oneOf } from '../../definition/field-reader.ts';
import { isCount, isText, type KindDeclaration, type KindReport } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';
import { itemFaults, REVIEW_ROUNDS_MAX, type ReviewItem, SEVERITIES } from '../../definition/review/review.ts';

/** Which part of the review a step is. */
export type ReviewConfig = {
  readonly part: 'begin' | 'judge' | 'end';
  /** The name of the review in its banner. */
  readonly name: string;
  /** After this many rounds a person decides. */
  readonly rounds: number;
  /** The items, if they are fixed; otherwise an agent creates them at the step `split`. */
  readonly items?: readonly ReviewItem[];
};

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    review: ReviewConfig;
  }
}

/** The step of a review at which an agent splits the subject into items. */
export const SPLIT = 'split';
/** The step of a review at which its items are verified. */
export const VERIFY = 'verify';

/** What a person can choose after the last round, and what it does. */
export const OPTIONS = {
  accept: 'the review ends as accepted by a person, with these findings still open',
  again: 'they are fixed, and one more round is run; then you are asked again if something still stops the work',
  stop: 'the review ends as rejected',
} as const;

/** A part of a review. */
export const review: KindDeclaration = {
  kind: 'review',
  judgesTree: true,
  effects: 'none',
  again: 'judged again',
  outcomes: ['again', 'exhausted'],
  recovery: 'rerun',
  validate({ config }: StepOf<'review'>, report) {
    parseReview(config, report);
  },
};

const ROUNDS = `\`rounds\` must be a whole number from 1 to ${REVIEW_ROUNDS_MAX}`;
const ITEMS = `write items as { id, severity: ${SEVERITIES.join(' | ')}, question }`;

/** Parses which part of a review a step is; undefined if it does not say so. */
export function parseReview(given: unknown, report: KindReport): ReviewConfig | undefined {
  const { optional, required } = fieldReader(given, report);
  const isRounds = (value: unknown): value is number => isCount(value, 1) && value <= REVIEW_ROUNDS_MAX;
  const items = optional('items', isItems, ['items have an `id`, a `severity` and a `question`', ITEMS]);
  for (const fault of items === undefined ? [] : itemFaults(items)) report.fault(fault, ITEMS);
  const part = required('part', oneOf('begin', 'judge', 'end'), ['`part` must be a part of a review', 'write begin, judge or end']);
  const name = required('name', isText, ['`name` must be a string', 'write one']);
  const rounds = required('rounds', isRounds, [ROUNDS, 'write one, or leave it out']);
  if (part === undefined || name === undefined || rounds === undefined) return undefined;
  return { part, name, rounds, ...omitUndefined({ items }) };
}

/** Whether a value has the shape of items; their content may still be invalid. */
export function isItems(value: unknown): value is readonly ReviewItem[] {
  const isItem = (item: Json) => isJsonObject(item) && [item.id, item.severity, item.question].every((part) => typeof part === 'string');
  return Array.isArray(value) && value.every(isItem);
}
