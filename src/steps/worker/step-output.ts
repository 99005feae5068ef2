// Parses a program's report: a StepOutput at the end of its standard output. Text that only resembles one is an error.
//
// - A StepOutput is a JSON object that begins a line, ends the output, has a boolean `success` and no unknown field.
// - Two of them, one with text after it, and one that is cut off or malformed are errors.

import { findJsonObjects } from '../../agents/json-in-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type AssumptionText, checkAssumptions } from '../../definition/question/assumption.ts';
import { typeName } from '../context.ts';

/** A program's report about its work, which is a claim. */
export interface StepOutput {
  readonly success: boolean;
  readonly result?: Json;
  readonly error?: string;
  readonly postconditionsPassed?: boolean;
  readonly nextStepHint?: string;
  /** Assumptions that the program made instead of asking a person. */
  readonly assumptions?: readonly AssumptionText[];
}

/** The report on a standard output. */
export type StepOutputReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'reported'; readonly output: StepOutput }
  | { readonly kind: 'invalid'; readonly why: string };

const FIELDS: Readonly<Record<string, 'boolean' | 'string' | 'any' | 'list'>> = {
  success: 'boolean',
  result: 'any',
  error: 'string',
  postconditionsPassed: 'boolean',
  nextStepHint: 'string',
  assumptions: 'list',
};
const LOOKS_LIKE_ONE = /"(success|postconditionsPassed)"\s*:/;

/** Reads the StepOutput at the end of an output, if there is one. */
export function readStepOutput(stdout: string): StepOutputReading {
  const text = stdout.trimEnd();
  const matches = findJsonObjects(text);
  const broken = matches.find(({ value, start, end }, index) => {
    const until = Math.min(end ?? text.length, matches[index + 1]?.start ?? text.length);
    return value === undefined && LOOKS_LIKE_ONE.test(text.slice(start, until));
  });
  if (broken !== undefined) return invalid(broken.end === undefined ? 'it is cut off' : 'it is not JSON');
  const reports = matches.filter(({ value }) => isStepOutput(value));
  const last = matches.at(-1);
  const closing = last?.end === text.length && isJsonObject(last.value) && 'success' in last.value ? last : undefined;
  if (reports.some((report) => report !== closing)) {
    return invalid(reports.length > 1 ? 'there is more than one' : 'there is output after it; it must be the last output');
  }
  if (closing !== undefined) return validated(closing.value as JsonObject);
  return embedded(text) ? invalid('it does not start at the beginning of a line') : { kind: 'none' };
}

function isStepOutput(value: Json | undefined): boolean {
  return isJsonObject(value) && typeof value.success === 'boolean' && Object.keys(value).every((field) => Object.hasOwn(FIELDS, field));
}

function validated(value: JsonObject): StepOutputReading {
  for (const [field, member] of Object.entries(value)) {
    const wanted = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (wanted === undefined) return invalid(`it has an unknown field "${field}"; put the result of the step into "result"`);
    if (wanted === 'list') {
      const read = checkAssumptions(member ?? []);
      if ('why' in read) return invalid(`"${field}" cannot be used: ${read.why}`);
      continue;
    }
    // A serialiser may write an absent text or flag as null.
    if (wanted !== 'any' && typeof member !== wanted && (member !== null || field === 'success'))
      return invalid(`"${field}" must be a ${wanted}, not ${typeName(member)}`);
  }
  const known = Object.entries(value).filter(([field, member]) => member !== null || field === 'result');
  return { kind: 'reported', output: Object.fromEntries(known) as unknown as StepOutput };
}

// Whether the last line has a report after other text; that text may belong to it.
function embedded(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return line.endsWith('}') && /\{\s*"success"\s*:\s*(true|false)/.test(line);
}

function invalid(why: string): StepOutputReading {
  return { kind: 'invalid', why };
}
