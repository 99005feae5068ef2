// Owns what ties a merge to what people approved: questions of a workflow that lands a pull request are about its head,
// and a merge that finds another head leads back to the gate that approved it.

import type { Edge, StepModel } from '../../definition/model.ts';
import type { Ways } from './compile-way.ts';
import type { YamlStage, YamlWorkflow } from './document.ts';

/** The steps with the ties; a workflow that is not about a pull request has none. */
export function tiedToHead(document: YamlWorkflow, steps: readonly StepModel[], ways: Ways): StepModel[] {
  if (!isAboutPullRequest(document)) return [...steps];
  return steps.map((step) => {
    if (step.gate !== undefined) return { ...step, gate: { ...step.gate, subjects: { ...step.gate.subjects, pr: true as const } } };
    const back = step.kind === 'action' && step.config.action === 'merge_pr' ? wayBack(document, step, ways) : undefined;
    return back === undefined ? step : { ...step, next: { ...step.next, stale_head: back } };
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

function isApproval(stage: YamlStage): boolean {
  return stage.type === 'human' || (stage.type === 'gate' && stage.checks.some(({ check }) => check === 'pr_approval'));
}
