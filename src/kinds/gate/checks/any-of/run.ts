// Owns the check `any_of`: several checks of which one must pass. All of them run, so that the record shows each.

import { omitUndefined } from '../../../../base/fields.ts';
import type { JsonObject } from '../../../../base/json.ts';
import type { CheckModel, CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, errorOf, timedOutVerdict, whyUndecided } from '../../../../steps/check.ts';

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
  const open = made.filter(({ verdict }) => whyUndecided(verdict) === 'pending');
  const unmade = made.filter(({ verdict }) => verdict.passed === null && verdict.why !== 'pending');
  if (unmade.length > 0) {
    const why = unmade.every(({ verdict }) => whyUndecided(verdict) === 'timeout') ? 'timeout' : 'unable';
    return { passed: null, why, result, error: `none passed, and one could not be made: ${sentence(unmade)}` };
  }
  if (open.length > 0) return { passed: null, why: 'pending', result, error: `none passed yet: ${sentence(open)}` };
  return { passed: false, result, error: `none of ${made.length} passed: ${sentence(made)}` };
}

function recordOf({ config, verdict }: CheckRun): JsonObject {
  const { passed, result } = verdict;
  const pending = whyUndecided(verdict) === 'pending' || undefined;
  return { config, passed, result, ...omitUndefined({ error: errorOf(verdict), pending }) };
}

function sentence(made: readonly CheckRun[]): string {
  return made.map(({ config, verdict }) => `${config.name ?? config.check}: ${errorOf(verdict)}`).join('; ');
}
