// Owns what attended agents try with their tokens. Each trick returns what the engine accepted but should have refused.

import type { RunHandle } from '../../api/run.ts';
import { isEngineError } from '../../base/error.ts';
import type { OpenStep } from '../../engine/request/open-steps.ts';
import type { ReportVerdict } from '../../engine/request/reports.ts';

/** Where a trick is played: a step that was handed out, what the agent reports, and what it was handed before. */
export interface TokenAttackContext {
  readonly run: Pick<RunHandle, 'report' | 'get' | 'wait'>;
  readonly step: OpenStep;
  readonly result: unknown;
  readonly earlier: readonly OpenStep[];
}

/** Tries something with tokens; returns what was accepted but should have been refused. */
export type TokenAttack = (context: TokenAttackContext) => Promise<readonly string[]>;

/** Reports with tokens that nobody gave it. */
export const forges: TokenAttack = async (context) => {
  const { token, path, run } = context.step;
  const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  const breaches: string[] = [];
  for (const forged of ['', 'A'.repeat(token.length), other, `${token} `, `${run}/${path}/1`]) {
    if ((await reported(context, forged, context.result)) !== undefined) breaches.push(`the forged token "${forged}" was taken`);
  }
  return breaches;
};

/** Reports this step, and with its token the next one. */
export const skips: TokenAttack = async (context) => {
  const { token, step } = context.step;
  await reported(context, token, context.result);
  const next = await reported(context, token, { skipped: true });
  return next === undefined ? [] : [`a second result for step "${step}" was taken`];
};

/** Reports, before its step, another result for every step that is over. */
export const reorders: TokenAttack = async (context) => {
  const breaches: string[] = [];
  for (const { token, step, attempt } of context.earlier) {
    const late = await reported(context, token, { late: true });
    if (late !== undefined) breaches.push(`a late result for attempt ${attempt} of step "${step}" was taken`);
  }
  return breaches;
};

/** Reports the same twice: the second time, the engine has to say the same and to count nothing. */
export const repeats: TokenAttack = async (context) => {
  const { token, step } = context.step;
  const first = await reported(context, token, context.result);
  if (first === undefined) return [];
  const second = await reported(context, token, context.result);
  await context.run.wait('idle');
  const isSame = second === undefined || (second.repeated && second.accepted === first.accepted);
  const rows = (await context.run.get()).steps.filter(({ path, attempt }) => path === first.path && attempt === first.attempt);
  return isSame && rows.length <= 1 ? [] : [`the second report of step "${step}" counted`];
};

/** Reports, and gives the verdict; undefined when the report was refused. */
export async function reported({ run }: TokenAttackContext, token: string, result: unknown): Promise<ReportVerdict | undefined> {
  try {
    return await run.report({ token, result });
  } catch (error) {
    if (isEngineError(error)) return undefined;
    throw error;
  }
}
