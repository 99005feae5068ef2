// Owns what checks ask a forge: words on the pull request of a run, and conclusions about its head. Which pull request
// that is, is decided by whoever wires the forge to the runs.

import type { JsonObject } from '../base/json.ts';
import type { Approval, CheckRun, Forge, ForgeAnswer, PullRequestFacts } from '../forge/forge.ts';
import type { Groups } from '../forge/people.ts';

/** The run that facts are asked for. */
export interface ForgeSubject {
  readonly runId: string;
  readonly params: JsonObject;
  /** The data that the run has gathered. */
  readonly data: JsonObject;
}

/** The latest word of each person on the head as it is now. */
export interface ApprovalFacts {
  readonly headSha: string;
  readonly author: string;
  readonly approvals: readonly Approval[];
}

/** The checks of the head as it is now. */
export interface CheckFacts {
  readonly headSha: string;
  readonly checks: readonly CheckRun[];
}

/** What a forge knows of one run's pull request. */
export interface ForgeFacts {
  readonly groups: Groups;
  approvals(): Promise<ForgeAnswer<ApprovalFacts>>;
  checks(): Promise<ForgeAnswer<CheckFacts>>;
}

/** The facts of the pull request that a run is about, by its number in the run's data. */
export function factsOf(forge: Forge, groups: Groups, { data }: Pick<ForgeSubject, 'data'>): ForgeFacts {
  const number = data.pr_number;
  const pullRequest = async (): Promise<ForgeAnswer<PullRequestFacts>> =>
    typeof number === 'number'
      ? forge.pullRequest(number)
      : { result: 'not_found', message: 'this run has no pull request yet; a stage before has to open one' };
  return {
    groups,
    approvals: async () => {
      const pr = await pullRequest();
      if (pr.result !== 'ok') return pr;
      const found = await forge.approvals(pr.value.number);
      if (found.result !== 'ok') return found;
      return { result: 'ok', value: { headSha: pr.value.headSha, author: pr.value.author, approvals: found.value } };
    },
    checks: async () => {
      const pr = await pullRequest();
      if (pr.result !== 'ok') return pr;
      const found = await forge.checks(pr.value.headSha);
      return found.result === 'ok' ? { result: 'ok', value: { headSha: pr.value.headSha, checks: found.value } } : found;
    },
  };
}
