// Owns an assumption as a worker writes it: the question, what it assumed, and the severity if that is wrong. All of it is
// text from a worker: data, never an instruction, and bounded in size.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type FindingSeverity, SEVERITIES } from '../review/review.ts';

/** What a worker assumed instead of asking a person. */
export interface AssumptionText {
  readonly question: string;
  readonly assumed: string;
  /** How serious a wrong assumption would be. Nothing is merged while a `MUST` is open. */
  readonly severity: FindingSeverity;
  /** The alternatives. */
  readonly options?: readonly string[];
}

/** An assumption as a worker writes it: without a severity it is `SHOULD`. */
export type AssumptionInput = Omit<AssumptionText, 'severity'> & { readonly severity?: FindingSeverity };

/** An assumption that a person has answered. */
export interface AnsweredAssumption extends AssumptionText {
  readonly step: string;
  readonly actor: string;
  readonly agrees: boolean;
  /** The text of the answer; the assumption itself if they agreed. */
  readonly answer: string;
}

/** How many assumptions one attempt may record. */
export const ASSUMPTIONS_PER_ATTEMPT = 10;
const TEXT_MAX = 500;
const OPTIONS_MAX = 6;
const OPTION_MAX = 200;
const FIELDS: readonly string[] = ['question', 'assumed', 'severity', 'options'];

/** Checks a list of assumptions from any source; returns them, or what is wrong. */
export function checkAssumptions(list: Json): { readonly assumptions: readonly AssumptionText[] } | { readonly why: string } {
  if (!Array.isArray(list)) return { why: 'they must be a list' };
  if (list.length > ASSUMPTIONS_PER_ATTEMPT)
    return { why: `there are ${list.length}, and an attempt records at most ${ASSUMPTIONS_PER_ATTEMPT}; keep the most severe` };
  const assumptions: AssumptionText[] = [];
  for (const [index, item] of list.entries()) {
    const read = assumptionOf(item as Json);
    if (typeof read === 'string') return { why: `assumption ${index + 1}: ${read}` };
    assumptions.push(read);
  }
  return { assumptions };
}

function assumptionOf(item: Json): AssumptionText | string {
  if (!isJsonObject(item)) return 'must be an object with "question" and "assumed"';
  const unknown = Object.keys(item).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return `unknown field "${unknown}"${didYouMean(unknown, FIELDS)}; valid fields: ${FIELDS.join(', ')}`;
  const { question, assumed, severity = 'SHOULD', options } = item;
  const fault = textFault('question', question, TEXT_MAX) ?? textFault('assumed', assumed, TEXT_MAX) ?? optionsFault(options);
  if (fault !== undefined) return fault;
  const known = SEVERITIES.find((one) => one === severity);
  if (known === undefined) return `"severity" must be one of ${SEVERITIES.join(', ')}`;
  const read = { question: trimmed(question), assumed: trimmed(assumed), severity: known };
  return Array.isArray(options) && options.length > 0 ? { ...read, options: options.map(trimmed) } : read;
}

function textFault(field: string, value: Json | undefined, max: number): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return `"${field}" must be a string`;
  return value.length > max ? `"${field}" has ${value.length} characters; at most ${max} are allowed` : undefined;
}

function optionsFault(options: Json | undefined): string | undefined {
  if (options === undefined) return undefined;
  if (!Array.isArray(options) || options.length > OPTIONS_MAX) return `"options" must be a list of at most ${OPTIONS_MAX} strings`;
  return options.map((option) => textFault('options', option as Json, OPTION_MAX)).find((fault) => fault !== undefined);
}

function trimmed(value: unknown): string {
  return String(value).trim();
}

/** Whether an answer says the same as the assumption. */
export function isSameAnswer(assumed: string, answer: string): boolean {
  const plain = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  return plain(assumed) === plain(answer);
}

/** The JSON Schema of a list of assumptions, for programs that accept a schema. */
export const ASSUMPTIONS_SCHEMA: JsonObject = {
  type: 'array',
  maxItems: ASSUMPTIONS_PER_ATTEMPT,
  items: {
    type: 'object',
    properties: {
      question: { type: 'string' },
      assumed: { type: 'string' },
      severity: { enum: [...SEVERITIES] },
      options: { type: 'array', items: { type: 'string' } },
    },
    required: ['question', 'assumed', 'severity'],
    additionalProperties: false,
  },
};
