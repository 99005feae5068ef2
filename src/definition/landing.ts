// Owns what ties the questions of a workflow to its gates and its landings: where a gate judges files, or an action
// merges them, a person who is asked decides about the tree of the workspace as it is then, and nothing else.

import { allChecks, type CheckModel } from './check.ts';
import { membersOf, type StepModel, withMembers } from './model.ts';

/** Checks that look at something else than files; `any_of` looks at what the checks inside it look at. */
export const LOOKS_ELSEWHERE: ReadonlySet<string> = new Set(['pr_approval', 'ci_status', 'webhook', 'any_of']);

/** Whether any of these checks looks at files at all. */
export function judgesFiles(checks: readonly CheckModel[]): boolean {
  return allChecks(checks).some(({ check }) => !LOOKS_ELSEWHERE.has(check));
}

/** Whether a step merges a pull request, by itself or in one of its branches. */
export function landsWork(step: StepModel): boolean {
  return (step.kind === 'action' && step.config.action === 'merge_pr') || membersOf(step).some(landsWork);
}

/** Whether a step judges files, by itself or in one of its branches. */
export function judgesTree(step: StepModel): boolean {
  return (step.kind === 'gate' && judgesFiles(step.config.checks)) || membersOf(step).some(judgesTree);
}

/** The step whose question, if it has one, is about the tree of the workspace too. */
export function askingAboutTree(step: StepModel): StepModel {
  return step.gate === undefined ? step : { ...step, gate: { ...step.gate, subjects: { ...step.gate.subjects, tree: true as const } } };
}

/** The steps of a workflow with their questions tied to the tree, where any of them judges it or lands it. */
export function tiedToTree(steps: readonly StepModel[]): readonly StepModel[] {
  return steps.some((step) => judgesTree(step) || landsWork(step)) ? steps.map(tied) : steps;
}

function tied(step: StepModel): StepModel {
  return askingAboutTree(withMembers(step, tied));
}
