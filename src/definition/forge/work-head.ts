// Owns the facts about the branch of a run that works in its own worktree.

/** The branch of a run that works in its own worktree. */
export interface WorkHead {
  /** The branch in the worktree. */
  readonly local: string;
  /** The branch at the forge that its commits are pushed to. */
  readonly branch: string;
  /** The commit it started from. */
  readonly from: string;
  /** The pull request that the run works on. */
  readonly pr?: number;
  /** True if the head of that pull request is in a fork, to which nothing can be pushed. */
  readonly fork?: true;
}
