// Owns the warnings about the gates of a workflow: a gate after which agents can still change files before the merge, and
// a command that hides which files it runs.

import { createGraph, reachable, successorsOf } from '../analysis.ts';
import { allChecks, checksIn, isBuiltIn } from '../check.ts';
import { isAgentKind, type KindFacts } from '../kind.ts';
import { judgesTree, landsWork } from '../landing.ts';
import { type Definition, membersOf, type StepModel } from '../model.ts';
import type { Problem } from './problem.ts';
import { hiddenScript } from './unseen-command.ts';

/** Returns the warnings about the gates of a workflow. The steps of a flow are not known before it runs. */
export function gateWarnings({ steps }: Pick<Definition, 'steps'>, facts: KindFacts): Problem[] {
  return [...gatesBeforeWork(steps, facts), ...steps.flatMap((step) => [step, ...membersOf(step)].flatMap(unseenCommands))];
}

function gatesBeforeWork(steps: readonly StepModel[], facts: KindFacts): Problem[] {
  const landings = indexesOf(steps, (step) => landsWork(facts, step));
  if (landings.length === 0) return [];
  const successors = successorsOf(createGraph(steps));
  const workers = indexesOf(steps, (step) => mayWrite(step, facts));
  return indexesOf(steps, (step) => isRequiredByMerge(step, facts)).flatMap((gate) => {
    const without = successors.map((targets, from) => (from === gate ? [] : targets.filter((target) => target !== gate)));
    const after = reachable(without, successors[gate] ?? []);
    const worker = workers.find((index) => {
      return (
        index !== gate && after[index] === true && landings.some((landing) => reachable(without, without[index] ?? [])[landing] === true)
      );
    });
    return worker === undefined ? [] : [gateProblem(idOf(steps, gate), idOf(steps, worker))];
  });
}

function gateProblem(gate: string, worker: string): Problem {
  return {
    step: gate,
    code: 'GATE_BEFORE_WORK',
    message: `agents can change files at "${worker}" after this gate passed, and the merge does not come back to it`,
    hint: `the merge runs it again; let "${worker}" lead to "${gate}" to find problems earlier, or set rerun_at_merge: false (rerunAtMerge in TypeScript) if the gate is only about the files before "${worker}"`,
  };
}

function indexesOf(steps: readonly StepModel[], isMeant: (step: StepModel) => boolean): number[] {
  return steps.flatMap((step, index) => (isMeant(step) ? [index] : []));
}

function idOf(steps: readonly StepModel[], index: number): string {
  return (steps[index] as StepModel).id;
}

/** Whether a merge requires a step to pass: a gate that checks files, CI or approvals, or a validation. */
function isRequiredByMerge(step: StepModel, facts: KindFacts): boolean {
  if ('config' in step && 'rerunAtMerge' in step.config && step.config.rerunAtMerge === false) return false;
  const isHeldAtForge = allChecks(checksIn(step)).some(({ check }) => facts.checks[check]?.requiredAtMerge === true);
  return step.kind === 'validate' || isHeldAtForge || judgesTree(facts, step);
}

/** Whether agents may change files at a step. Those of a group that can be rejected are reviewers. */
function mayWrite(step: StepModel, facts: KindFacts): boolean {
  if (step.mutatesCheckout === false) return false;
  if (isAgentKind(facts, step.kind)) return step.writes === undefined || step.writes.length > 0;
  return step.next.reject === undefined && membersOf(step).some((member) => mayWrite(member, facts));
}

function unseenCommands(step: StepModel): Problem[] {
  return allChecks(checksIn(step)).flatMap((check) => {
    const why = isBuiltIn(check, 'command') ? hiddenScript(check) : undefined;
    return why === undefined ? [] : [unseenProblem(step.id, why)];
  });
}

function unseenProblem(gate: string, why: string): Problem {
  return {
    step: gate,
    code: 'COMMAND_UNSEEN',
    message: `Pawl cannot see which files the command of this gate runs: ${why}`,
    hint: 'list them under `protected`, so that no agent changes them, or name the file in the command, as in "sh ci/check.sh"',
  };
}
