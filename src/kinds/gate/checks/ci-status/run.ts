// Owns the check `ci_status`: that the forge's own checks of the head have concluded as they should.

import type { CheckOf } from '../../../../definition/check.ts';
import type { CheckRun } from '../../../../forge/forge.ts';
import { type CheckScene, type CheckVerdict, notAnswered } from '../../../../steps/check.ts';

const DEFAULT_EXPECT = 'success';

/** `{ workflows?, expect? }`: pending until each of them has concluded; without names, all that the head has. */
export async function run(config: CheckOf<'ci_status'>, { forge }: CheckScene): Promise<CheckVerdict> {
  if (forge === undefined) return { passed: null, result: null, error: 'there is no forge to ask for checks; connect one in the config' };
  const answer = await forge.checks();
  if (answer.result !== 'ok') return notAnswered(answer);
  const { headSha, checks } = answer.value;
  const { workflows: named = [], expect = DEFAULT_EXPECT } = config;
  const names = named.length > 0 ? named : [...new Set(checks.map(({ name }) => name))];
  return judge({ headSha, checks, names, expect });
}

interface JudgeRequest {
  readonly headSha: string;
  readonly checks: readonly CheckRun[];
  readonly names: readonly string[];
  readonly expect: string;
}

// Several checks can have one name, such as the jobs of a matrix; then each of them must conclude as expected.
function judge({ headSha, checks, names, expect }: JudgeRequest): CheckVerdict {
  const states = names.map((name) => ({ name, runs: checks.filter((check) => check.name === name || check.workflow === name) }));
  const result = { headSha, expect, workflows: states.map(({ name, runs }) => ({ name, conclusions: runs.map(conclusionOf) })) };
  const red = states.filter(({ runs }) => runs.some((run) => run.status === 'completed' && run.conclusion !== expect));
  if (red.length > 0) {
    const failed = red.map(({ name, runs }) => `${name}: ${[...new Set(runs.map(conclusionOf))].join(', ')}`);
    return { passed: false, result, error: `${failed.join('; ')}; ${expect} is expected` };
  }
  const open = states.filter(({ runs }) => runs.length === 0 || runs.some(({ status }) => status !== 'completed'));
  if (open.length === 0 && names.length > 0) return { passed: true, result };
  const waiting = open.map(({ name, runs }) => `${name} (${runs.length === 0 ? 'not there yet' : runs.map(conclusionOf).join(', ')})`);
  return { passed: null, pending: true, result, error: `it waits for ${waiting.join(', ') || 'the first check of the head'}` };
}

function conclusionOf({ status, conclusion }: CheckRun): string {
  return status === 'completed' ? (conclusion ?? 'without a conclusion') : status;
}
