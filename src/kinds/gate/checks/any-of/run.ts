// Runs the check `any_of`: several checks of which one must pass. All of them run, so that the record shows each.

import { omitUndefined } from '../../../../base/fields.ts';
import type { JsonObject } from '../../../../base/json.ts';
import type { CheckModel, CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, errorOf, timedOutVerdict, whyUndecided } from '../../../../steps/check.ts';

/** `{ checks }`: passes if any check passes. Otherwise: error if any errored, pending if any is pending, fail if all failed. */
export async function run(config: CheckOf<'any_of'>, context: CheckContext): Promise<CheckVerdict> {
  const runs: CheckRun[] = [];
  const limitMs = config.timeoutMs;
  const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
  // One after the other: some of them may be programs.
  for (const check of config.checks) runs.push({ config: check, verdict: await context.check(check, limit) });
  const verdict = conclude(runs);
  return limit?.aborted === true && verdict.passed !== true ? timedOutVerdict(limitMs) : verdict;
}

interface CheckRun {
  readonly config: CheckModel;
  readonly verdict: CheckVerdict;
}

function conclude(runs: readonly CheckRun[]): CheckVerdict {
  const result = { checks: runs.map(recordOf) };
  if (runs.some(({ verdict }) => verdict.passed === true)) return { passed: true, result };
  const open = runs.filter(({ verdict }) => whyUndecided(verdict) === 'pending');
  const errored = runs.filter(({ verdict }) => verdict.passed === null && verdict.why !== 'pending');
  if (errored.length > 0) {
    const why = errored.every(({ verdict }) => whyUndecided(verdict) === 'timeout') ? 'timeout' : 'unable';
    return { passed: null, why, result, error: `none passed, and one could not run: ${sentence(errored)}` };
  }
  if (open.length > 0) return { passed: null, why: 'pending', result, error: `none passed yet: ${sentence(open)}` };
  return { passed: false, result, error: `none of ${runs.length} passed: ${sentence(runs)}` };
}

function recordOf({ config, verdict }: CheckRun): JsonObject {
  const { passed, result } = verdict;
  const pending = whyUndecided(verdict) === 'pending' || undefined;
  return { config, passed, result, ...omitUndefined({ error: errorOf(verdict), pending }) };
}

function sentence(runs: readonly CheckRun[]): string {
  return runs.map(({ config, verdict }) => `${config.name ?? config.check}: ${errorOf(verdict)}`).join('; ');
}
