// Owns what checks ask a forge: words on the pull request of a run, and conclusions about its head. Which pull request
// that is, is decided by whoever wires the forge to the runs.

import type { JsonObject } from '../../base/json.ts';
import type { Approval, CheckRun, ForgeAnswer } from '../../forge/forge.ts';
import type { Groups } from '../../forge/people.ts';

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
