// Ties a merge to the approved commit: questions in a workflow that merges a pull request are about its head, a merge that
// finds another head goes back to the approval, and one that finds another tree goes back to the checks.

import type { KindFacts } from '../../../definition/kind.ts';
import type { BoundedNext } from '../../spec/part.ts';
import type { YamlCheck, YamlStage } from '../schema/form.ts';
import type { YamlWorkflow } from '../schema/schema.ts';
import { branchesOf } from './part.ts';
import type { Transitions } from './transition.ts';

/** How often a merge may lead back to the checks before a person has to look. */
const CHECKED_AGAIN_MAX = 3;

/** Whether a workflow is about a pull request: one starts it, opens one or merges one. */
export function aboutPullRequest({ trigger, stages }: YamlWorkflow): boolean {
  const event = typeof trigger === 'string' ? trigger : trigger?.event;
  return event?.startsWith('pull_request') === true || stages.some((stage) => produces(stage, ['pr']) || isMerge(stage));
}

/** The transitions of a merge that finds another head, or another tree, than was approved. */
export function staleTransitions(
  file: YamlWorkflow,
  index: number,
  {
    transitions,
    otherwise,
    facts,
  }: { readonly transitions: Transitions; readonly otherwise: BoundedNext | undefined; readonly facts: KindFacts },
): Readonly<Record<string, BoundedNext>> {
  const stage = file.stages[index];
  if (stage === undefined || !isMerge(stage)) return {};
  const before = file.stages.slice(0, index);
  const back = (to: YamlStage | undefined, max: number): BoundedNext | undefined =>
    to === undefined ? undefined : { to: transitions.target(to.id), maxIterations: max, onExhausted: 'escalate' };
  const { maxIterations } = transitions;
  const head =
    back(
      before.findLast((earlier) => isApproval(earlier, facts)),
      maxIterations,
    ) ?? otherwise;
  const tree = back(checkingStage(before, facts), Math.min(maxIterations, CHECKED_AGAIN_MAX)) ?? head;
  return { ...(head === undefined ? {} : { stale_head: head }), ...(tree === undefined ? {} : { stale_tree: tree }) };
}

/**
 * The last file checks before the merge. If they come after the last work, or there are none: the first stage that
 * checked that work, by checks, reviews or an approval.
 */
function checkingStage(before: readonly YamlStage[], facts: KindFacts): YamlStage | undefined {
  const afterWork = before.slice(before.findLastIndex(isWork) + 1);
  const gate = before.findLast((stage) => isCheckGate(stage, facts));
  if (gate !== undefined && !afterWork.includes(gate)) return gate;
  return afterWork.find(
    (stage) => stage.type === 'parallel' || stage.type === 'review' || isCheckGate(stage, facts) || isApproval(stage, facts),
  );
}

/** Whether a stage is meant to change files: parallel agents that declare no files are reviewers. */
function isWork(stage: YamlStage): boolean {
  return stage.type === 'parallel' ? branchesOf(stage).some((branch) => produces(branch, ['file', 'pr'])) : stage.type === 'agent';
}

function produces(stage: object, types: readonly string[]): boolean {
  const { outputs = [] } = stage as { readonly outputs?: readonly { readonly type: string }[] };
  return outputs.some(({ type }) => types.includes(type));
}

function isMerge(stage: YamlStage): boolean {
  return stage.type === 'action' && stage.action === 'merge_pr';
}

/** Whether a stage checks files, or their CI results. */
function isCheckGate(stage: YamlStage, facts: KindFacts): boolean {
  return checksOf(stage).some((check) => isAboutWork(check, facts));
}

function isAboutWork(check: YamlCheck, facts: KindFacts): boolean {
  const { checksWork, readsFiles } = facts.checks[check.check] ?? {};
  return checksWork === true || readsFiles !== false || checksOf(check).some((inner) => isAboutWork(inner, facts));
}

/** The checks of a stage, or those nested in a check. */
function checksOf({ conditions = [] }: YamlStage | YamlCheck): readonly YamlCheck[] {
  return conditions as readonly YamlCheck[];
}

function isApproval(stage: YamlStage, facts: KindFacts): boolean {
  return stage.type === 'human' || checksOf(stage).some(({ check }) => facts.checks[check]?.isApproval === true);
}
