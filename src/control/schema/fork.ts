// Owns the schema of the preview of a fork.

import * as z from 'zod';
import type { DeepReadonly } from '../../base/deep-readonly.ts';
import { usage } from './value.ts';

/** What a fork would do. */
export const forkTable = z.object({
  run: z.string(),
  from: z.string(),
  steps: z.array(
    z.object({
      path: z.string(),
      step: z.string(),
      kind: z.string(),
      outcome: z.string().nullable().meta({ description: 'its outcome in the original; null while it is open' }),
      inFork: z.enum(['reused', 'again']),
      mayRepeatEffects: z.boolean().meta({ description: 'running it again may have external effects' }),
      means: z.string(),
    }),
  ),
  askedAgain: z.array(z.string()).meta({ description: 'approvals that are requested again' }),
  asksFirst: z.array(z.string()).meta({ description: 'earlier approvals, which are requested before the fork starts at its step' }),
  passed: z.array(z.string()).meta({
    description: 'earlier checks whose results are reused without a new check, so that the fork ends "overridden"',
  }),
  usedBefore: usage.nullable().meta({
    description: 'what agents used at the steps that run again: an estimate of what the fork will cost; null if no agent ran there',
  }),
});
/** What a fork would do. */
export type ForkTable = DeepReadonly<z.output<typeof forkTable>>;
