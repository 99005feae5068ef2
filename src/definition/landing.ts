// Ties the questions of a workflow to its gates and merges: if a gate checks files, or an action merges them, a person
// who is asked decides about the current tree of the workspace and nothing else.

import { createGraph, reachable, successorsOf } from './analysis.ts';
import { allChecks, type CheckModel, checksIn } from './check.ts';
import { type KindFacts, traitsOf } from './kind.ts';
import { type ApprovalOptionModel, type Definition, membersOf, type StepModel, withMembers } from './model.ts';
import { isBefore } from './validation/rework.ts';

/** Whether any of these checks reads files. */
export function anyReadsFiles({ checks: known }: Pick<KindFacts, 'checks'>, checks: readonly CheckModel[]): boolean {
  return allChecks(checks).some(({ check }) => known[check]?.readsFiles !== false);
}

/** Whether a step merges a pull request, itself or in one of its branches. */
export function landsWork(facts: Pick<KindFacts, 'kinds'>, step: StepModel): boolean {
  return traitsOf(facts, step.kind).lands?.(step) === true || membersOf(step).some((member) => landsWork(facts, member));
}

/** Whether a step checks files, itself or in one of its branches, or judges a review of them. */
export function judgesTree(facts: KindFacts, step: StepModel): boolean {
  if (traitsOf(facts, step.kind).judgesTree === true || anyReadsFiles(facts, checksIn(step))) return true;
  return membersOf(step).some((member) => judgesTree(facts, member));
}

/** Returns the step with its question, if any, also about the tree of the workspace. */
export function askingAboutTree(step: StepModel): StepModel {
  return step.question === undefined
    ? step
    : { ...step, question: { ...step.question, subjects: { ...step.question.subjects, tree: true as const } } };
}

/** Returns the steps with their questions tied to the tree, if any of them checks or merges it. */
export function tiedToTree(facts: KindFacts, steps: readonly StepModel[]): readonly StepModel[] {
  return steps.some((step) => judgesTree(facts, step) || landsWork(facts, step)) ? steps.map(tied) : steps;
}

function tied(step: StepModel): StepModel {
  return askingAboutTree(withMembers(step, tied));
}

/** Whether choosing an option at a question may lead on to a merge. A flow knows no more than that it asked. */
export function leadsToLanding(
  facts: Pick<KindFacts, 'kinds'>,
  definition: Definition,
  { question, option: { outcome, to } }: { readonly question: string; readonly option: ApprovalOptionModel },
): boolean {
  const lands = (step: StepModel): boolean => landsWork(facts, step);
  if (definition.form === 'flow' || outcome !== 'ok' || !definition.steps.some(lands)) return false;
  if (to !== undefined && (!('step' in to) || isBefore(definition, to.step, question))) return false;
  const graph = createGraph(definition.steps);
  const successors = successorsOf(graph);
  const start = to === undefined ? successors[graph.position.get(question) ?? -1] : [graph.position.get(to.step) ?? -1];
  const reached = reachable(successors, start ?? []);
  return definition.steps.some((step, index) => reached[index] === true && lands(step));
}
