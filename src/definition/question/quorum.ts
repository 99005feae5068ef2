// Owns how many people of which groups the questions and approvals of a workflow need.

import { checksIn, isBuiltIn } from '../check.ts';
import { membersOf, type StepModel } from '../model.ts';

/** The number of people of these groups who must agree at a step. */
export interface Quorum {
  readonly step: string;
  readonly from: readonly string[];
  readonly count: number;
}

/** Returns every place in a workflow where people of named groups must agree, in order. */
export function quorumsIn(steps: readonly StepModel[], group?: string): Quorum[] {
  return steps.flatMap((step) => {
    const name = group === undefined ? step.id : `${group}/${step.id}`;
    const { from, count = 1 } = step.question ?? {};
    const asked = from === undefined ? [] : [{ step: name, from, count }];
    return [...asked, ...approvalsOf(step, name), ...quorumsIn(membersOf(step), name)];
  });
}

// An approval inside `any_of` is not required, because another check can pass instead.
function approvalsOf(step: StepModel, name: string): Quorum[] {
  return checksIn(step).flatMap((check) =>
    isBuiltIn(check, 'pr_approval') ? [{ step: name, from: [check.from].flat(), count: check.count ?? 1 }] : [],
  );
}
