// Owns what ties the questions of a workflow to its gates and its landings: where a gate judges files, or an action
// merges them, a person who is asked decides about the tree of the workspace as it is then, and nothing else.

import { isJsonObject, type Json } from '../base/json.ts';
import type { StepModel } from './model.ts';

const LOOKS_ELSEWHERE: ReadonlySet<string> = new Set(['pr_approval', 'ci_status', 'webhook']);

/** Whether any of these checks looks at files at all. */
export function judgesFiles(checks: readonly Json[]): boolean {
  return checks.filter(isJsonObject).some(({ check, checks: inner }) => {
    return check === 'any_of' && Array.isArray(inner) ? judgesFiles(inner) : !LOOKS_ELSEWHERE.has(String(check));
  });
}

/** Whether a step merges a pull request, by itself or in one of its branches. */
export function landsWork({ kind, config, members }: StepModel): boolean {
  return (kind === 'action' && config.action === 'merge_pr') || members.some(landsWork);
}

/** Whether a step judges files, by itself or in one of its branches. */
export function judgesTree({ kind, config, members }: StepModel): boolean {
  return (kind === 'gate' && Array.isArray(config.checks) && judgesFiles(config.checks)) || members.some(judgesTree);
}

/** The step whose question, if it has one, is about the tree of the workspace too. */
export function askingAboutTree<Step extends Pick<StepModel, 'gate'>>(step: Step): Step {
  return step.gate === undefined ? step : { ...step, gate: { ...step.gate, subjects: { ...step.gate.subjects, tree: true as const } } };
}

/** The steps of a workflow with their questions tied to the tree, where any of them judges it or lands it. */
export function tiedToTree(steps: readonly StepModel[]): readonly StepModel[] {
  return steps.some((step) => judgesTree(step) || landsWork(step)) ? steps.map(tied) : steps;
}

function tied(step: StepModel): StepModel {
  return askingAboutTree(step.members.length === 0 ? step : { ...step, members: step.members.map(tied) });
}
