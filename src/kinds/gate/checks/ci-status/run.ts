// Runs the check `ci_status`: the forge's own checks of the head must have the expected conclusion.

import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckRun, OWN_CHECK_PREFIX } from '../../../../forge/forge.ts';
import { type CheckContext, type CheckVerdict, forgeFailureVerdict, notRunVerdict } from '../../../../steps/check.ts';

const DEFAULT_EXPECT = 'success';

/**
 * `{ workflows?, expect? }`: pending until each of them has concluded. Without names: all checks of the head, and those that
 * the base branch requires, which may not have started when the first of the others is done.
 */
export async function run(config: CheckOf<'ci_status'>, { forge }: CheckContext): Promise<CheckVerdict> {
  if (forge === undefined) return notRunVerdict('there is no forge to ask for checks; connect one in the config');
  const answer = await forge.checks(config.pr);
  if (answer.result !== 'ok') return forgeFailureVerdict(answer);
  const { headSha } = answer.value;
  // Without Pawl's own checks of its gates, which would make a gate wait for itself.
  const checks = answer.value.checks.filter(({ own }) => own !== true);
  const { workflows = [], expect = DEFAULT_EXPECT } = config;
  if (workflows.length > 0) return conclude({ headSha, checks, names: workflows, expect });
  const required = (await forge.requiredChecks?.(config.pr)) ?? { result: 'ok' as const, value: [] };
  if (required.result !== 'ok') return forgeFailureVerdict(required);
  const counted = checks.filter((check) => !isIgnored(check, expect)).map(({ name }) => name);
  const names = new Set([...counted, ...required.value.filter((name) => !name.startsWith(OWN_CHECK_PREFIX))]);
  return conclude({ headSha, checks, names: [...names], expect });
}

interface RequiredChecks {
  readonly headSha: string;
  readonly checks: readonly CheckRun[];
  readonly names: readonly string[];
  readonly expect: string;
}

// Several checks can have one name, such as the jobs of a matrix; then each of them must conclude as expected.
function conclude({ headSha, checks, names, expect }: RequiredChecks): CheckVerdict {
  const states = names.map((name) => ({ name, runs: runsNamed(checks, name, expect) }));
  const result = { headSha, expect, workflows: states.map(({ name, runs }) => ({ name, conclusions: runs.map(conclusionOf) })) };
  const red = states.filter(({ runs }) => runs.some((run) => run.status === 'completed' && run.conclusion !== expect));
  if (red.length > 0) {
    const failed = red.map(({ name, runs }) => `${name}: ${[...new Set(runs.map(conclusionOf))].join(', ')}`);
    return { passed: false, result, error: `${failed.join('; ')}; ${expect} is expected` };
  }
  const open = states.filter(({ runs }) => runs.length === 0 || runs.some(({ status }) => status !== 'completed'));
  if (open.length === 0 && names.length > 0) return { passed: true, result };
  const waiting = open.map(({ name, runs }) => `${name} (${runs.length === 0 ? 'not started' : runs.map(conclusionOf).join(', ')})`);
  return { passed: null, why: 'pending', result, error: `it waits for ${waiting.join(', ') || 'the first check of the head'}` };
}

/**
 * The checks with a name, or of the workflow with that name. Jobs that a workflow skipped by its own condition do not count
 * while others of it do, as on GitHub; a named check that is skipped itself does not have the expected conclusion.
 */
function runsNamed(checks: readonly CheckRun[], name: string, expect: string): CheckRun[] {
  const runs = checks.filter((check) => check.name === name || check.workflow === name);
  const ran = runs.filter((check) => !isIgnored(check, expect));
  return ran.length > 0 ? ran : runs;
}

/** Whether the conclusion of a check does not count: it was skipped, or it is neutral. */
function isIgnored({ conclusion }: CheckRun, expect: string): boolean {
  return conclusion !== expect && (conclusion === 'skipped' || conclusion === 'neutral');
}

function conclusionOf({ status, conclusion }: CheckRun): string {
  return status === 'completed' ? (conclusion ?? 'without a conclusion') : status;
}
