// Owns attacks of attended agents with their tokens. Each returns what the engine accepted but should have rejected.

import type { RunHandle } from '../../api/run.ts';
import { isEngineError } from '../../base/error.ts';
import type { OpenStep } from '../../engine/request/open-steps.ts';
import type { ReportVerdict } from '../../engine/request/reports.ts';

/** Where an agent attacks: an open step, what the agent reports, and the steps that it received before. */
export interface TokenAttackContext {
  readonly run: Pick<RunHandle, 'report' | 'get' | 'wait'>;
  readonly step: OpenStep;
  readonly result: unknown;
  readonly earlier: readonly OpenStep[];
}

/** Misuses tokens; returns what was accepted but should have been rejected. */
export type TokenAttack = (context: TokenAttackContext) => Promise<readonly string[]>;

/** Reports with forged tokens. */
export const forgeToken: TokenAttack = async (context) => {
  const { token, path, run } = context.step;
  const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  const breaches: string[] = [];
  for (const forged of ['', 'A'.repeat(token.length), other, `${token} `, `${run}/${path}/1`]) {
    if ((await reported(context, forged, context.result)) !== undefined) breaches.push(`the forged token "${forged}" was taken`);
  }
  return breaches;
};

/** Reports this step, and reports the next one with the same token. */
export const skipStep: TokenAttack = async (context) => {
  const { token, step } = context.step;
  await reported(context, token, context.result);
  const next = await reported(context, token, { skipped: true });
  return next === undefined ? [] : [`a second result for step "${step}" was taken`];
};

/** Before it reports its step, reports another result for every step that has ended. */
export const reportOutOfOrder: TokenAttack = async (context) => {
  const breaches: string[] = [];
  for (const { token, step, attempt } of context.earlier) {
    const late = await reported(context, token, { late: true });
    if (late !== undefined) breaches.push(`a late result for attempt ${attempt} of step "${step}" was taken`);
  }
  return breaches;
};

/** Reports the same result twice: the second report must get the same answer and must not count. */
export const reportTwice: TokenAttack = async (context) => {
  const { token, step } = context.step;
  const first = await reported(context, token, context.result);
  if (first === undefined) return [];
  const second = await reported(context, token, context.result);
  await context.run.wait('idle');
  const isSame = second === undefined || (second.repeated && second.accepted === first.accepted);
  const rows = (await context.run.get()).steps.filter(({ path, attempt }) => path === first.path && attempt === first.attempt);
  return isSame && rows.length <= 1 ? [] : [`the second report of step "${step}" counted`];
};

/** Reports, and returns the verdict; undefined if the report was rejected. */
export async function reported({ run }: TokenAttackContext, token: string, result: unknown): Promise<ReportVerdict | undefined> {
  try {
    return await run.report({ token, result });
  } catch (error) {
    if (isEngineError(error)) return undefined;
    throw error;
  }
}
