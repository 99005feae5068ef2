// Owns the names of the five reviews of planner and planner-executor: which sub-skill reviews, which gate gets its verdict,
// and how its documents and items are called. Both sides take them from here, so that they cannot differ.

import type { ReviewNames } from './review-skill.ts';

const OF_PLANNER = { parent: 'planner', parentSteps: 13 } as const;
const OF_EXECUTOR = { parent: 'planner-executor', parentSteps: 9, carries: ['plan', 'test', 'code'] } as const;

/** Is the plan whole? */
export const COMPLETENESS: ReviewNames = {
  ...OF_PLANNER,
  skill: 'qr-plan-completeness',
  qrName: 'Plan Completeness Review',
  gate: 6,
  slug: 'completeness',
  prefix: 'CO',
};

/** Are the diffs of the plan right? */
export const PLAN_CODE: ReviewNames = {
  ...OF_PLANNER,
  skill: 'qr-plan-code',
  qrName: 'Plan Code Review',
  gate: 9,
  slug: 'plan-code',
  prefix: 'PC',
};

/** Do the comments and documents of the plan outlive the change? */
export const PLAN_DOCS: ReviewNames = {
  ...OF_PLANNER,
  skill: 'qr-plan-docs',
  qrName: 'Plan Documentation Review',
  gate: 12,
  slug: 'plan-docs',
  prefix: 'PD',
};

/** Does the code do what the plan says? */
export const IMPLEMENTATION: ReviewNames = {
  ...OF_EXECUTOR,
  skill: 'qr-post-impl-code',
  qrName: 'Implementation Review',
  gate: 5,
  slug: 'implementation',
  prefix: 'IC',
};

/** Do the documents say what the code does? */
export const DOCUMENTATION: ReviewNames = {
  ...OF_EXECUTOR,
  skill: 'qr-post-impl-docs',
  qrName: 'Documentation Review',
  gate: 8,
  slug: 'documentation',
  prefix: 'ID',
};
