// Owns how many people of which groups the questions and approvals of a workflow take, for whoever knows the groups.

import { membersOf, type StepModel } from './model.ts';

/** So many different people of these groups have to agree at a step. */
export interface Quorum {
  readonly step: string;
  readonly from: readonly string[];
  readonly count: number;
}

/** Every place of a workflow where people of named groups have to agree, in its order. */
export function quorumsIn(steps: readonly StepModel[], group?: string): Quorum[] {
  return steps.flatMap((step) => {
    const name = group === undefined ? step.id : `${group}/${step.id}`;
    const { from, count = 1 } = step.gate ?? {};
    const asked = from === undefined ? [] : [{ step: name, from, count }];
    return [...asked, ...approvalsOf(step, name), ...quorumsIn(membersOf(step), name)];
  });
}

// One that passes when another check does is no place where they have to agree.
function approvalsOf(step: StepModel, name: string): Quorum[] {
  const checks = step.kind === 'gate' ? step.config.checks : [];
  return checks.flatMap((check) =>
    check.check === 'pr_approval' ? [{ step: name, from: [check.from].flat(), count: check.count ?? 1 }] : [],
  );
}
