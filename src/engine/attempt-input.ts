// Owns what a run is told of an attempt: what the runner brought back becomes the input that the kernel decides on, and
// its data is kept in the record.

import type { Path, Ref } from '../kernel/activation.ts';
import type { RunInput } from '../kernel/input.ts';
import type { AttemptResult } from '../steps/attempt.ts';
import type { RunRecord } from './record.ts';

/** The attempt, and when it was heard of. */
export interface Heard {
  readonly at: number;
  readonly path: Path;
  readonly attempt: number;
}

/** The input that a result of an attempt is. */
export function inputOf(record: RunRecord, result: Exclude<AttemptResult, { readonly type: 'observed' }>, heard: Heard): RunInput {
  if (result.type === 'handed') return { type: 'handed', ...heard, handover: record.keep(result.handover) as Ref };
  if (result.type === 'asked') return { type: 'asked', ...heard, questions: record.keep(result.questions) as Ref };
  if (result.type === 'ready') {
    const merge = result.found === undefined ? undefined : record.keep(result.found);
    const handsOut = result.handsOut === undefined ? {} : { handsOut: result.handsOut };
    return { type: 'prepared', ...heard, ...(merge === undefined ? {} : { merge }), ...handsOut };
  }
  if (result.type === 'errored') {
    const output = result.output === undefined ? undefined : record.keep(result.output);
    return { type: 'errored', ...heard, error: result.error, ...(output === undefined ? {} : { output }) };
  }
  const { at, path, attempt } = heard;
  const { outcome } = result;
  const output = record.keep(result.output);
  return output === undefined ? { type: 'settled', at, path, attempt, outcome } : { type: 'settled', at, path, attempt, outcome, output };
}
