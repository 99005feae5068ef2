// Owns the text of a step for its worker, without running anything: its title, its instructions and the next steps.

import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { transitionsOf } from '../../definition/analysis.ts';
import type { CompiledWorkflow, StepCode } from '../../definition/code.ts';
import { NO_CODE } from '../../definition/code.ts';
import type { StepModel } from '../../definition/model.ts';
import { Outcome } from '../../definition/outcome.ts';
import { bindParams } from '../../definition/param/arg.ts';

/** The text of a step for its worker. */
export interface StepOutput {
  readonly title: string;
  readonly actions: readonly string[];
  /**
   * Where success leads: `next: ID`, or `next: A | B` if a condition or a person chooses; null if the run ends. It names
   * steps and no command, because how a run continues depends on its host.
   */
  readonly nextCommand: string | null;
}

/** The ids of the steps in order; the position of a step, from 1, is its number on a command line. */
export function stepOrder({ definition }: CompiledWorkflow): readonly string[] {
  return definition.steps.map(({ id }) => id);
}

/** The text of a step, for these parameters of the workflow and arguments of the step. */
export function stepOutput(compiled: CompiledWorkflow, stepId: string, params: unknown = {}): StepOutput {
  const step = compiled.definition.steps.find(({ id }) => id === stepId);
  if (step === undefined) throw unknownStep(compiled, stepId);
  const { model, code } = instructed(step, compiled.code.get(stepId) ?? NO_CODE);
  const values = bindParams({ ...compiled.definition.params, ...model.args }, params, `step "${stepId}"`);
  const built = code.actions?.(values, { visit: 1, results: {} }) ?? model.actions;
  const { title, actions } = 'title' in built ? built : { title: step.title, actions: built };
  return Object.freeze({ title, actions: Object.freeze([...actions]), nextCommand: nextCommand(step) });
}

/** The instructions of a fan-out are those of its body. */
function instructed(step: StepModel, code: StepCode): { model: StepModel; code: StepCode } {
  return step.kind === 'each' ? { model: step.body, code: code.members[step.body.id] ?? NO_CODE } : { model: step, code };
}

function nextCommand(step: StepModel): string | null {
  const success = Object.hasOwn(step.next, Outcome.OK) ? Outcome.OK : Outcome.DEFAULT;
  const followed = transitionsOf(step).filter(({ via, on }) => via === 'option' || (via === 'edge' && on === success));
  const targets = new Set(followed.flatMap(({ to }) => ('step' in to ? [to.step] : [])));
  return targets.size === 0 ? null : `next: ${[...targets].join(' | ')}`;
}

function unknownStep({ definition }: CompiledWorkflow, stepId: string): EngineError {
  const ids = definition.steps.map(({ id }) => id);
  const message = `workflow "${definition.name}" has no step "${stepId}"${didYouMean(stepId, ids)}; it has: ${ids.join(', ')}`;
  return new EngineError('STEP_UNKNOWN', message, { details: { workflow: definition.name, step: stepId } });
}
