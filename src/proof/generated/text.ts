// Checks the instructions of a step for the values of a case: they can be built, are not empty, and have no unfilled
// placeholder whose value is known.

import { stepOutput } from '../../authoring/graph/output.ts';
import { messageOf } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { Definition } from '../../definition/model.ts';
import { templatedPart } from '../../definition/scope/template-scope.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { agentSteps, type PreviewRequest, previewOf } from '../../steps/instructions/preview.ts';
import type { StepServices } from '../../steps/services.ts';
import { builderProblems } from './builders.ts';
import type { GeneratedCase } from './inputs.ts';
import { isFilled } from './known.ts';

/** A placeholder for a value of the run. In text that is no template, other double braces are allowed. */
const UNFILLED = /\{\{[-\s]*(?:params|args|checkpoint|outputs|context|run|step)\b[^}]*\}\}/;

/** Returns the problems of the text of a step for a case. */
export async function textProblems(
  workflow: CompiledWorkflow,
  generated: GeneratedCase,
  services: StepServices,
): Promise<readonly string[]> {
  try {
    const written = writtenProblems(workflow, generated);
    const steps = agentSteps(workflow.definition.steps).filter((one) => unitOf(one) === generated.step);
    const texts = await Promise.all(steps.map((one) => agentProblems(workflow, generated, { services, one })));
    return [...written, ...(await builderProblems(workflow, generated)), ...texts.flat()];
  } catch (error) {
    return [`its text cannot be built: ${messageOf(error)}`];
  }
}

/** The steps and branches with an agent, as cases name them. */
export function agentUnits({ steps }: Definition): ReadonlySet<string> {
  return new Set(agentSteps(steps).map(unitOf));
}

function unitOf({ step, group }: Pick<PreviewRequest, 'step' | 'group'>): string {
  return group === undefined || group.kind === 'each' ? step.id : `${group.id}/${step.id}`;
}

function writtenProblems(workflow: CompiledWorkflow, { step, params, args }: GeneratedCase): string[] {
  if (!workflow.definition.steps.some(({ id }) => id === step)) return [];
  const { title, actions } = stepOutput(workflow, step, { ...params, ...args });
  if (title.trim() === '') return ['its title is empty'];
  return actions.some((action) => typeof action !== 'string') ? ['its instructions are not all texts'] : [];
}

async function agentProblems(
  workflow: CompiledWorkflow,
  { params, args }: GeneratedCase,
  { services, one }: { readonly services: StepServices; readonly one: Pick<PreviewRequest, 'step' | 'group'> },
): Promise<string[]> {
  const preview = await previewOf(services, REGISTRY, { workflow, ...one, params, data: args, isAttended: true });
  const text = preview.kind === 'driven' ? preview.prompt : preview.handover.prompt;
  if (text.trim() === '') return ['its instructions are empty'];
  const { step } = one;
  const mayStay = step.templates === true && !isFilled(templatedPart(step), { params, args });
  const unfilled = mayStay ? undefined : UNFILLED.exec(text)?.[0];
  return unfilled === undefined ? [] : [`its instructions have an unfilled ${unfilled}`];
}
