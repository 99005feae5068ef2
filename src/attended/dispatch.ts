// Decides which open work is for a sub-agent, and what the dispatching agent gets: the kind of agent, the prompt with the
// token, and the length limit of the result. The steps of a child run with `dispatch` are dispatched, and so is a step that
// reviews work, which must be done by an agent that did none of it.
//
// AT8. The agent of a run does not see the instructions of dispatched work; a sub-agent with the token of that work sees
//      nothing else.

import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { topStepOf } from '../definition/address.ts';
import { wordsOf } from '../definition/contract/written-text.ts';
import { membersOf, type StepModel } from '../definition/model.ts';
import type { ChildDispatch } from '../definition/step-terms.ts';
import type { TreeRun } from '../engine/run-tree.ts';

/** A sub-agent that does some of the open work. */
export interface WorkDispatch {
  readonly agent: string;
  /** The maximum number of words of its result. */
  readonly returns?: number;
  /** It reviews work of others. */
  readonly fresh: boolean;
  /** Its subject: the child run, or the step. All work of one sub-agent has the same. */
  readonly to: string;
  /** The child runs that lead to it, the outermost first. */
  readonly inside: readonly string[];
}

/** The dispatches that the work of a run in a tree belongs to, the outermost first. */
export function dispatchesOf(runs: readonly TreeRun[], { state }: TreeRun): readonly WorkDispatch[] {
  const parent = runs.find((run) => run.state.id === state.parent?.run);
  if (parent === undefined || state.parent === undefined) return [];
  const above = dispatchesOf(runs, parent);
  const dispatch = dispatchAt(parent.definition.steps, state.parent.path);
  if (dispatch === undefined) return above;
  const { agent, returns } = dispatch;
  return [...above, { agent, returns, fresh: false, to: state.id, inside: [...above.map(({ to }) => to), state.id] }];
}

/** The dispatch of the step that started a child. */
function dispatchAt(steps: readonly StepModel[], path: string): ChildDispatch | undefined {
  const step = steps.find(({ id }) => id === topStepOf(path));
  const models = step === undefined ? [] : [step, ...membersOf(step)];
  return models.flatMap((model) => (model.kind === 'workflow' && model.dispatch !== undefined ? [model.dispatch] : []))[0];
}

/** The sub-agent for a step: its own if it reviews, otherwise that of its run. */
export function dispatchFor(
  step: { readonly model: StepModel | undefined; readonly path: string; readonly role: string },
  run: { readonly id: string; readonly dispatches: readonly WorkDispatch[] },
): WorkDispatch | undefined {
  const last = run.dispatches.at(-1);
  if (step.model?.independent !== true) return last;
  const to = `${run.id}/${step.path}`;
  return { agent: step.role, fresh: true, to, inside: [...(last?.inside ?? []), to] };
}

/** The prompt for a sub-agent. `command` prints its work. */
export function dispatchPrompt({ fresh, returns }: WorkDispatch, command: string): string {
  return [
    `First do this, then follow the instructions that you get exactly: ${command}.`,
    'Report each step with the command that the instructions name, and continue until they say that there is nothing left to do for you.',
    ...(fresh ? ['You review work that you did not do: form your own opinion, and do not ask the agent that did it for theirs.'] : []),
    ...(returns === undefined ? [] : [`Then return your findings in at most ${returns} words.`]),
  ].join(' ');
}

/** Why the agent of a run must not do dispatched work itself. */
export function dispatchReason({ fresh, agent }: WorkDispatch): string {
  return fresh
    ? 'An agent that did none of the work has to do this step: start a new sub-agent with this prompt. Do not do it yourself.'
    : `Start a new sub-agent (${agent}) with this prompt. Do not do its work yourself.`;
}

/** Throws if a result is longer than its dispatch allows. */
export function assertReturns({ returns }: WorkDispatch, result: Json): void {
  const words = returns === undefined ? 0 : wordsOf([JSON.stringify(result)]).length;
  if (returns !== undefined && words > returns)
    throw new EngineError(
      'REPORT_INVALID',
      `the result has ${words} words, and at most ${returns} are allowed: leave the details in the documents, and report a summary`,
    );
}
