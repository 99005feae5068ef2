// Owns what ties a merge to what people approved: questions of a workflow that lands a pull request are about its head,
// a merge that finds another head leads back to the gate that approved it, and one that finds another tree than was
// checked leads back to the checks.

import { judgesTree, tiedToTree } from '../../../definition/landing.ts';
import type { Edge, StepModel } from '../../../definition/model.ts';
import type { YamlStage, YamlWorkflow } from '../document/document.ts';
import type { Ways } from './way.ts';

/** How often a merge may lead back to the checks before a person has to look. */
const CHECKED_AGAIN_MAX = 3;

/** The steps with the ties; a workflow that is not about a pull request is tied to its own files only. */
export function tiedToHead(document: YamlWorkflow, steps: readonly StepModel[], ways: Ways): StepModel[] {
  const held = tiedToTree(steps);
  const fileGates = new Set(steps.filter((step) => step.kind === 'gate' && judgesTree(step)).map(({ id }) => id));
  if (!isAboutPullRequest(document)) return [...held];
  return held.map((step) => {
    if (step.gate !== undefined) return { ...step, gate: { ...step.gate, subjects: { ...step.gate.subjects, pr: true as const } } };
    if (step.kind !== 'action' || step.config.action !== 'merge_pr') return step;
    const [head, tree] = [wayBack(document, step, ways), wayToChecks(document, step, { ways, fileGates })];
    return {
      ...step,
      next: { ...step.next, ...(head === undefined ? {} : { stale_head: head }), ...(tree === undefined ? {} : { stale_tree: tree }) },
    };
  });
}

function isAboutPullRequest({ trigger, stages }: YamlWorkflow): boolean {
  const opens = (stage: YamlStage): boolean => 'outputs' in stage && stage.outputs.some(({ type }) => type === 'pr');
  const lands = (stage: YamlStage): boolean => stage.type === 'action' && stage.call.action === 'merge_pr';
  return trigger?.event.startsWith('pull_request') === true || stages.some((stage) => opens(stage) || lands(stage));
}

/** Back to the last gate before the merge that somebody approved at; as often as loops without a bound may go. */
function wayBack({ stages }: YamlWorkflow, { id, next }: StepModel, ways: Ways): Edge | undefined {
  const position = stages.findIndex((stage) => stage.id === id);
  const gate = stages.slice(0, Math.max(0, position)).findLast(isApproval);
  if (gate === undefined) return next.error as Edge | undefined;
  return { to: ways.target(gate.id), max: ways.maxIterations, then: { end: 'escalate' } };
}

/** The ways of a workflow, and the gates in it that judge files. */
interface Checked {
  readonly ways: Ways;
  readonly fileGates: ReadonlySet<string>;
}

/**
 * Back to the last checks of files before the merge, or, where those come after the last work or there are none, to the
 * first that judged what that work left: checks, reviews or an approval.
 */
function wayToChecks(document: YamlWorkflow, step: StepModel, { ways, fileGates }: Checked): Edge | undefined {
  const position = document.stages.findIndex(({ id }) => id === step.id);
  const before = document.stages.slice(0, Math.max(0, position));
  const afterWork = before.slice(before.findLastIndex(isWork) + 1);
  const judges = (stage: YamlStage): boolean => stage.type === 'parallel' || fileGates.has(stage.id) || isApproval(stage);
  const gate = before.findLast(({ id }) => fileGates.has(id));
  const judge = gate === undefined || afterWork.includes(gate) ? afterWork.find(judges) : gate;
  if (judge === undefined) return wayBack(document, step, ways);
  return { to: ways.target(judge.id), max: Math.min(ways.maxIterations, CHECKED_AGAIN_MAX), then: { end: 'escalate' } };
}

/** Whether a stage is there to change files: agents side by side who say nothing of what they write are reviewers. */
function isWork(stage: YamlStage): boolean {
  if (stage.type !== 'parallel') return stage.type === 'agent';
  return stage.branches.some((branch) => 'outputs' in branch && branch.outputs.some(({ type }) => type === 'file' || type === 'pr'));
}

function isApproval(stage: YamlStage): boolean {
  return stage.type === 'human' || (stage.type === 'gate' && stage.checks.some(({ check }) => check === 'pr_approval'));
}
