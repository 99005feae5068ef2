// Runs the check `label_present`: the issue or the pull request of the run must have the given labels.

import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, forgeFailureVerdict, notRunVerdict } from '../../../../steps/check.ts';

/** `{ label, target?, pr? }`: pending until every label is present. Default target: the issue, if the run has one. */
export async function run({ label, target, pr }: CheckOf<'label_present'>, { forge }: CheckContext): Promise<CheckVerdict> {
  if (forge?.labels === undefined) return notRunVerdict('there is no forge to ask for labels; connect one in the config');
  const answer = await forge.labels(pr === undefined ? target : 'pr', pr);
  if (answer.result !== 'ok') return forgeFailureVerdict(answer);
  const { number, labels } = answer.value;
  const missing = [label].flat().filter((name) => !labels.includes(name));
  const result = { number, labels: [...labels], missing };
  if (missing.length === 0) return { passed: true, result };
  return {
    passed: null,
    why: 'pending',
    result,
    error: `it waits for the label ${missing.map((name) => `"${name}"`).join(' and ')} on #${number}`,
  };
}
