// Owns the schema of one step in full: its attempts, with very long values cut off.

import * as z from 'zod';
import type { DeepReadonly } from '../../base/deep-readonly.ts';
import { stepReport } from './run.ts';

const boundedValue = z.object({ text: z.string(), bytes: z.number(), truncated: z.boolean(), digest: z.string() });
/** A value as JSON text, cut off where it is very long. */
export type BoundedValue = DeepReadonly<z.output<typeof boundedValue>>;

/** One attempt of a step, with values of bounded length. */
export const attemptDetail = stepReport.extend({
  output: boundedValue.nullable(),
  claim: boundedValue.nullable(),
  evidence: boundedValue.nullable(),
});
/** One attempt of a step, with values of bounded length. */
export type AttemptDetail = DeepReadonly<z.output<typeof attemptDetail>>;
