// Owns the warnings about the gates of a workflow: a gate after which agents can still change files before the merge, and
// a command that hides which files it runs.

import { createGraph, reachable, successorsOf } from './analysis.ts';
import { allChecks, type CheckModel } from './check.ts';
import { judgesTree, landsWork } from './landing.ts';
import { type Definition, membersOf, type StepModel } from './model.ts';
import type { Problem } from './problem.ts';
import { hiddenScript } from './unseen-command.ts';

/** Returns the warnings about the gates of a workflow. The steps of a flow are not known before it runs. */
export function gateWarnings({ steps }: Pick<Definition, 'steps'>): Problem[] {
  return [...gatesBeforeWork(steps), ...steps.flatMap((step) => [step, ...membersOf(step)].flatMap(unseenCommands))];
}

function gatesBeforeWork(steps: readonly StepModel[]): Problem[] {
  const landings = indexesOf(steps, landsWork);
  if (landings.length === 0) return [];
  const successors = successorsOf(createGraph(steps));
  const workers = indexesOf(steps, mayWrite);
  return indexesOf(steps, isHeld).flatMap((gate) => {
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

const HELD_AT_FORGE: ReadonlySet<string> = new Set(['ci_status', 'pr_approval', 'pr_approvals_met', 'no_changes_requested']);

/** Whether a merge requires a step to pass: a gate that checks files, CI or approvals, or a validation. */
function isHeld(step: StepModel): boolean {
  if (step.kind === 'gate' && step.config.rerunAtMerge === false) return false;
  const isForgeGate = step.kind === 'gate' && allChecks(step.config.checks).some(({ check }) => HELD_AT_FORGE.has(check));
  return step.kind === 'validate' || isForgeGate || judgesTree(step);
}

/** Whether agents may change files at a step. Those of a group that can be rejected are reviewers. */
function mayWrite(step: StepModel): boolean {
  if (step.mutatesCheckout === false) return false;
  if (step.kind === 'agent' || step.kind === 'generate') return step.writes === undefined || step.writes.length > 0;
  return step.next.reject === undefined && membersOf(step).some(mayWrite);
}

function unseenCommands(step: StepModel): Problem[] {
  if (step.kind !== 'gate') return [];
  return allChecks(step.config.checks).flatMap((check) => {
    const why = check.check === 'command' ? hiddenScript(check as CheckModel & { readonly check: 'command' }) : undefined;
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
