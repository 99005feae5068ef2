// Owns what is known of the branch that a run works on, in a worktree of its own.

/** The branch of a run that works in a worktree of its own. */
export interface WorkHead {
  /** The branch in the worktree. */
  readonly local: string;
  /** The branch at the forge that its commits are pushed to. */
  readonly branch: string;
  /** The commit it began with. */
  readonly from: string;
  /** The pull request that the run works on. */
  readonly pr?: number;
  /** The head of that pull request is in a fork, which nothing can be pushed to. */
  readonly fork?: true;
}
