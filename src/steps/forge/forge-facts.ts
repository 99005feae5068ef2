// Owns the facts about the pull request of a run that checks read from a forge: approvals, labels, and the checks of its
// head.

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type CheckRun, type Forge, type ForgeAnswer, type ForgeApproval, mapAnswer, type PullRequestFacts } from '../../forge/forge.ts';
import type { Groups } from '../../forge/people.ts';

/** The run whose facts are needed. */
export interface ForgeSubject {
  readonly runId: string;
  readonly params: JsonObject;
  /** The data that the run has gathered. */
  readonly data: JsonObject;
}

/** The latest review of each person on the current head. */
export interface ApprovalFacts {
  readonly state: PullRequestFacts['state'];
  readonly headSha: string;
  readonly author: string;
  readonly approvals: readonly ForgeApproval[];
}

/** The checks of the current head. */
export interface CheckFacts {
  readonly headSha: string;
  readonly checks: readonly CheckRun[];
}

/** The labels of an issue or a pull request. */
export interface LabelFacts {
  readonly number: number;
  readonly labels: readonly string[];
}

/** Whether a pull request has every commit of its base branch. */
export interface BranchFacts {
  readonly headSha: string;
  readonly baseBranch: string;
  readonly isUpToDate: boolean;
}

/** Reads facts about the pull request of a run; if it has several, about that of the named step. */
export interface ForgeFacts {
  readonly groups: Groups;
  approvals(pr?: string): Promise<ForgeAnswer<ApprovalFacts>>;
  checks(pr?: string): Promise<ForgeAnswer<CheckFacts>>;
  /** The names of the checks that the rules of the base branch require. */
  requiredChecks?(pr?: string): Promise<ForgeAnswer<readonly string[]>>;
  /** Without a target: of the issue that the run is about, else of its pull request. */
  labels?(target?: 'issue' | 'pr', pr?: string): Promise<ForgeAnswer<LabelFacts>>;
  isUpToDate?(pr?: string): Promise<ForgeAnswer<BranchFacts>>;
}

/** The facts of the pull request that a run is about, by its number in the run's data. */
export function factsOf(forge: Forge, groups: Groups, { data }: Pick<ForgeSubject, 'data'>): ForgeFacts {
  const pullRequest = async (step?: string): Promise<ForgeAnswer<PullRequestFacts>> => {
    const number = pullRequestNumber(data, step);
    return typeof number === 'number' ? forge.pullRequest(number) : { result: 'not_found', message: number };
  };
  const ofPullRequest = async <T>(step: string | undefined, read: (pr: PullRequestFacts) => Promise<ForgeAnswer<T>>) => {
    const pr = await pullRequest(step);
    return pr.result === 'ok' ? await read(pr.value) : pr;
  };
  return {
    groups,
    approvals: (step) =>
      ofPullRequest(step, async ({ number, state, headSha, author }) =>
        mapAnswer(await forge.approvals(number), (approvals) => ({ state, headSha, author, approvals })),
      ),
    checks: (step) => ofPullRequest(step, async ({ headSha }) => mapAnswer(await forge.checks(headSha), (checks) => ({ headSha, checks }))),
    requiredChecks: (step) => ofPullRequest(step, ({ baseBranch }) => forge.requiredChecks(baseBranch)),
    labels: async (target, step) => {
      const { issue_number: issue } = data;
      const isIssue = target === undefined ? typeof issue === 'number' : target === 'issue';
      if (!isIssue) return mapAnswer(await pullRequest(step), ({ number, labels }) => ({ number, labels }));
      if (typeof issue !== 'number') return { result: 'not_found', message: 'this run is not about an issue' };
      return mapAnswer(await forge.issue(issue), ({ number, labels }) => ({ number, labels }));
    },
    isUpToDate: (step) =>
      ofPullRequest(step, async ({ number, headSha, baseBranch }) =>
        mapAnswer(await forge.isUpToDate(number), (isUpToDate) => ({ headSha, baseBranch, isUpToDate })),
      ),
  };
}

/** The number of a run's pull request, or of the one that a step opened; otherwise the reason why there is none. */
export function pullRequestNumber(data: JsonObject, step: string | undefined): number | string {
  const { pr_number: only, pr_numbers: several } = data;
  if (step === undefined) return typeof only === 'number' ? only : 'this run has no pull request yet; an earlier stage must open one';
  const opened = isJsonObject(several) ? several : {};
  const number = Object.hasOwn(opened, step) ? opened[step] : undefined;
  if (typeof number === 'number') return number;
  const known = Object.keys(opened);
  return `"${step}" has not opened a pull request${didYouMean(step, known)}; ${known.length === 0 ? 'no stage has' : `${known.join(', ')} did`}`;
}
