// Owns the check `any_of`: several checks of which one must pass. All of them run, so that the record shows each.

import { present } from '../../../../base/fields.ts';
import type { JsonObject } from '../../../../base/json.ts';
import type { CheckModel, CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, timedOutVerdict } from '../../../../steps/check.ts';

/** `{ checks }`: passes if one does; otherwise an error if one was, pending if one is, and a fail if all failed. */
export async function run(config: CheckOf<'any_of'>, scene: CheckContext): Promise<CheckVerdict> {
  const made: CheckRun[] = [];
  const limitMs = config.timeoutMs;
  const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
  // One after the other: some of them may be programs.
  for (const one of config.checks) made.push({ config: one, verdict: await scene.check(one, limit) });
  const verdict = conclude(made);
  return limit?.aborted === true && verdict.passed !== true ? timedOutVerdict(limitMs) : verdict;
}

interface CheckRun {
  readonly config: CheckModel;
  readonly verdict: CheckVerdict;
}

function conclude(made: readonly CheckRun[]): CheckVerdict {
  const result = { checks: made.map(recordOf) };
  if (made.some(({ verdict }) => verdict.passed === true)) return { passed: true, result };
  const unmade = made.filter(({ verdict }) => verdict.passed === null && verdict.pending !== true);
  if (unmade.length > 0) {
    const timedOut = unmade.every(({ verdict }) => verdict.timedOut === true);
    return {
      passed: null,
      result,
      error: `none passed, and one could not be made: ${sentence(unmade)}`,
      ...(timedOut ? { timedOut } : {}),
    };
  }
  const open = made.filter(({ verdict }) => verdict.pending === true);
  if (open.length > 0) return { passed: null, pending: true, result, error: `none passed yet: ${sentence(open)}` };
  return { passed: false, result, error: `none of ${made.length} passed: ${sentence(made)}` };
}

function recordOf({ config, verdict }: CheckRun): JsonObject {
  const { passed, result, error, pending } = verdict;
  return { config, passed, result, ...present({ error, pending: pending || undefined }) };
}

function sentence(made: readonly CheckRun[]): string {
  return made.map(({ config, verdict }) => `${config.name ?? config.check}: ${verdict.error ?? 'it did not pass'}`).join('; ');
}
