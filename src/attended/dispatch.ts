// Owns which open work is for a sub-agent, and what the dispatching agent gets: the kind of agent, the prompt with the
// token, and the limit of its result. Two things are dispatched: the steps of a child run with `dispatch`, and a step that
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

/** Who does the work of a run of a tree: the sub-agents of its dispatches, the outermost first. */
export function dispatchesOf(runs: readonly TreeRun[], { state }: TreeRun): readonly WorkDispatch[] {
  const parent = runs.find((one) => one.state.id === state.parent?.run);
  if (parent === undefined || state.parent === undefined) return [];
  const above = dispatchesOf(runs, parent);
  const sent = dispatchAt(parent.definition.steps, state.parent.path);
  if (sent === undefined) return above;
  const { agent, returns } = sent;
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
    `Do this first, and then exactly what it says: ${command}.`,
    'Report each step with the command that it names, and go on until it says that there is nothing left to do for you.',
    ...(fresh ? ['You review work that you did not do: form your own view, and ask nobody who did it what they think of it.'] : []),
    ...(returns === undefined ? [] : [`Then return what you found in at most ${returns} words.`]),
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
      `the result has ${words} words, and at most ${returns} are allowed: leave details in the documents, and report what they amount to`,
    );
}
