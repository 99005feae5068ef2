// Owns a skill as a workflow: each step becomes a step with instructions, which an attended run hands out one at a time
// and only after the one before was reported. Steps that depend on rounds or confidence are refused: in a run these are
// the engine's to count, and instructions are built from parameters alone.

import { EngineError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import type { ArgSpecs } from '../definition/arg.ts';
import type { ActionsBuilder } from '../definition/code.ts';
import { guidanceOf } from './guidance.ts';
import { QRState } from './qr-state.ts';
import { routingOf, type Skill, type WorkStep } from './skill.ts';

/** A step of the workflow. */
export interface SkillWorkflowStep {
  readonly title: string;
  readonly actions: ActionsBuilder;
  readonly next: string | null | { readonly ok: string; readonly fail: string; readonly reject: string };
}

/** What `defineWorkflow` takes. */
export interface SkillWorkflow {
  readonly name: string;
  readonly description: string;
  readonly params: ArgSpecs;
  readonly steps: Readonly<Record<string, SkillWorkflowStep>>;
}

/**
 * A skill as a workflow, for `defineWorkflow({ ...skillWorkflow(skill), name: 'review' })`; the name is written out so that
 * `pawl list` sees it without running the file. Throws for a skill with a gate, a step that iterates or a routing function.
 */
export function skillWorkflow(skill: Skill): SkillWorkflow {
  const { name, description, params } = skill;
  const steps = skill.steps.map((step, index): [string, SkillWorkflowStep] => {
    const refused =
      step.gate !== undefined
        ? 'is a gate'
        : step.iterates === true
          ? 'iterates'
          : typeof step.routing === 'function'
            ? 'has a routing function'
            : undefined;
    if (refused !== undefined)
      throw new EngineError(
        'DEFINITION_INVALID',
        `step ${index + 1} of the skill "${name}" ${refused}, which a workflow cannot do yet; use "pawl skill step ${name}", or write the loop with defineWorkflow`,
      );
    return [step.id, workflowStep(skill, step as WorkStep, index + 1)];
  });
  return { name, description, params, steps: Object.fromEntries(steps) };
}

function workflowStep(skill: Skill, step: WorkStep, number: number): SkillWorkflowStep {
  const { totalSteps } = skill;
  const idOf = (to: number): string => (skill.steps[to - 1] as WorkStep).id;
  const routing = routingOf(skill, { step: number });
  return {
    title: step.title,
    actions: (params: JsonObject) =>
      guidanceOf(step, { step: number, totalSteps, params, confidence: 'exploring', iteration: 1, qr: QRState() }),
    next:
      routing.kind === 'terminal'
        ? null
        : routing.kind === 'linear'
          ? idOf(routing.to ?? number + 1)
          : { ok: idOf(routing.ifPass), fail: idOf(routing.ifFail), reject: idOf(routing.ifFail) },
  };
}
