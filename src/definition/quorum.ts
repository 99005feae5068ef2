// Owns how many people of which groups the questions and approvals of a workflow take, for whoever knows the groups.

import { isJsonObject, type Json } from '../base/json.ts';
import type { StepModel } from './model.ts';

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
    return [...asked, ...quorumsOfChecks(step.config.checks, name), ...quorumsIn(step.members, name)];
  });
}

function quorumsOfChecks(checks: Json | undefined, step: string): Quorum[] {
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: Json) => {
    if (!isJsonObject(check)) return [];
    const { from, count = 1 } = check;
    const names = (Array.isArray(from) ? from : [from]).filter((name) => typeof name === 'string');
    // One that passes when another check does is no place where they have to agree.
    return check.check === 'pr_approval' && typeof count === 'number' && names.length > 0 ? [{ step, from: names, count }] : [];
  });
}
