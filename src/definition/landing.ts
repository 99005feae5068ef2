// Owns what ties the questions of a workflow to its gates and merges: if a gate checks files, or an action merges them,
// a person who is asked decides about the current tree of the workspace and nothing else.

import { createGraph, reachable, successorsOf } from './analysis.ts';
import { allChecks, type CheckModel } from './check.ts';
import { type ApprovalOptionModel, type Definition, membersOf, type StepModel, withMembers } from './model.ts';
import { isBefore } from './rework.ts';

/** Checks that do not look at files. `any_of` looks at what its nested checks look at. */
export const LOOKS_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['pr_approval', 'pr_approvals_met', 'no_changes_requested', 'label_present', 'branch_up_to_date'],
  ...['ci_status', 'webhook', 'any_of'],
]);

/** Whether any of these checks looks at files. */
export function judgesFiles(checks: readonly CheckModel[]): boolean {
  return allChecks(checks).some(({ check }) => !LOOKS_ELSEWHERE.has(check));
}

/** Whether a step merges a pull request, itself or in one of its branches. */
export function landsWork(step: StepModel): boolean {
  return (step.kind === 'action' && step.config.action === 'merge_pr') || membersOf(step).some(landsWork);
}

/** Whether a step checks files, itself or in one of its branches, or judges a review of them. */
export function judgesTree(step: StepModel): boolean {
  return step.kind === 'review' || (step.kind === 'gate' && judgesFiles(step.config.checks)) || membersOf(step).some(judgesTree);
}

/** Returns the step with its question, if any, also about the tree of the workspace. */
export function askingAboutTree(step: StepModel): StepModel {
  return step.gate === undefined ? step : { ...step, gate: { ...step.gate, subjects: { ...step.gate.subjects, tree: true as const } } };
}

/** Returns the steps with their questions tied to the tree, if any of them checks or merges it. */
export function tiedToTree(steps: readonly StepModel[]): readonly StepModel[] {
  return steps.some((step) => judgesTree(step) || landsWork(step)) ? steps.map(tied) : steps;
}

function tied(step: StepModel): StepModel {
  return askingAboutTree(withMembers(step, tied));
}

/** Whether choosing an option at a question may lead on to a merge. A flow knows no more than that it asked. */
export function leadsToLanding(definition: Definition, question: string, { outcome, to }: ApprovalOptionModel): boolean {
  if (definition.form === 'flow' || outcome !== 'ok' || !definition.steps.some(landsWork)) return false;
  if (to !== undefined && (!('step' in to) || isBefore(definition, to.step, question))) return false;
  const graph = createGraph(definition.steps);
  const successors = successorsOf(graph);
  const start = to === undefined ? successors[graph.position.get(question) ?? -1] : [graph.position.get(to.step) ?? -1];
  const reached = reachable(successors, start ?? []);
  return definition.steps.some((step, index) => reached[index] === true && landsWork(step));
}
