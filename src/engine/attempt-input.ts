// Owns the conversion of an attempt's result into a kernel input. The result's data goes into the record.

import type { Json } from '../base/json.ts';
import type { Path, Ref } from '../kernel/activation.ts';
import type { RunInput } from '../kernel/input.ts';
import type { AttemptResult } from '../steps/attempt.ts';
import type { RunRecord } from './record.ts';

/** Identifies the attempt and the time its result arrived. */
export interface ResultSource {
  readonly at: number;
  readonly path: Path;
  readonly attempt: number;
}

/** Converts the result of an attempt into an input for the kernel. */
export function inputOf(record: RunRecord, result: Exclude<AttemptResult, { readonly type: 'observed' }>, source: ResultSource): RunInput {
  if (result.type === 'handed') return { type: 'handed', ...source, handover: record.keep(result.handover) };
  if (result.type === 'asked') {
    const saved = result.saved === undefined ? {} : { saved: record.keep(result.saved) };
    return { type: 'asked', ...source, questions: record.keep(result.questions) as Ref, ...saved };
  }
  if (result.type === 'ready') {
    const merge = result.found === undefined ? undefined : record.keep(result.found);
    const handsOut = result.handsOut === undefined ? {} : { handsOut: result.handsOut };
    const prompt = result.prompt === undefined ? {} : { prompt: result.prompt };
    return { type: 'prepared', ...source, ...(merge === undefined ? {} : { merge }), ...handsOut, ...prompt };
  }
  if (result.type === 'errored') {
    const output = result.output === undefined ? undefined : record.keep(result.output);
    return { type: 'errored', ...source, error: result.error, ...(output === undefined ? {} : { output }) };
  }
  const { at, path, attempt } = source;
  const { outcome, assumptions = [] } = result;
  const output = record.keep(result.output);
  const assumed = assumptions.length === 0 ? {} : { assumed: record.keep(assumptions as unknown as Json) as Ref };
  return output === undefined
    ? { type: 'settled', at, path, attempt, outcome, ...assumed }
    : { type: 'settled', at, path, attempt, outcome, output, ...assumed };
}
