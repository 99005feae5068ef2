// Owns the terms of a step: when its work counts, where it leads, and who may do it. Sub-agents do the steps of a child
// run; reviewers write documents for the step that decides their loop.

import type { StepContract } from './contract/step-contract.ts';
import type { OutcomeName } from './outcome.ts';

/** When the work of a step counts, and who may do it. */
export interface StepTerms {
  /** What the files of the workspace must contain when it is done. */
  readonly contract?: StepContract;
  /** The review loop that its result belongs to: the step that decides it, and the documents of the review. */
  readonly reviewOf?: ReviewDocuments;
  /** Outcomes besides the common ones that its code chooses when the work is accepted. They count as success. */
  readonly routes?: readonly OutcomeName[];
  /** It reviews work, so it must be done by an agent that did none of it. */
  readonly independent?: true;
}

/** A sub-agent that does the steps of a child run. */
export interface ChildDispatch {
  /** Its role, such as `quality-reviewer`. */
  readonly agent: string;
  /** The maximum number of words of its result. */
  readonly returns: number;
}

/** Where the reviewers of a loop write their findings, and the step that decides the loop. */
export interface ReviewDocuments {
  readonly gate: string;
  /** The path of the items to verify; absent if the report contains the findings. */
  readonly items?: string;
  /** The path of the verdicts. */
  readonly verdicts?: string;
}
