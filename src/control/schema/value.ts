// Owns small schemas that the others share. Only a server loads these files: they need zod.

import * as z from 'zod';
import type { DeepReadonly } from '../../base/deep-readonly.ts';
import type { Json, JsonObject } from '../../base/json.ts';

/** Any JSON. */
export const json = z.unknown().meta({ description: 'any JSON' }) as unknown as z.ZodType<Json, Json>;
/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>;
/** A time in UTC. */
export const time = z.string().meta({ format: 'date-time' });
/** The status of a run. */
export const runStatus = z.enum([
  ...(['pending', 'running', 'waiting', 'completed', 'overridden', 'failed', 'escalated', 'rejected', 'cancelled'] as const),
]);

/** What agents used. */
export const usage = z.object({
  attempts: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: z.number().nullable().meta({ description: 'null if no cost is known; a lower bound if unknownCost is above 0' }),
  turns: z.number(),
  ms: z.number(),
  unknownCost: z.number(),
  unknownTokens: z.number(),
  unknownTurns: z.number(),
});
/** What agents used. */
export type UsageReport = DeepReadonly<z.output<typeof usage>>;

/** Where a run came from. */
export const origin = z.looseObject({
  event: z.string().optional(),
  deliveryId: z.string().optional(),
  issue: z.number().optional(),
  pr: z.number().optional(),
  actor: z.string().optional(),
  repository: z.string().optional(),
  file: z.string().optional(),
  workspace: z.string().optional(),
  priority: z.number().optional(),
  tags: z.array(z.string()).optional(),
});
