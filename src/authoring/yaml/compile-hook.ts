// Owns what is done once when a run has ended: before it completes, step by step; beside a halt, when it failed.

import type { StepModel } from '../../definition/model.ts';
import { callConfig } from './compile-call.ts';
import { plainStep } from './compile-step.ts';
import { always } from './compile-way.ts';
import type { YamlHook, YamlWorkflow } from './document.ts';

/** The steps of both lists of hooks. */
export function hookSteps({ onComplete, onError }: YamlWorkflow): StepModel[] {
  const completing = onComplete.map((hook, index) => {
    const to = index + 1 < onComplete.length ? { step: `on_complete.${index + 2}` } : { end: 'complete' as const };
    return hookStep(`on_complete.${index + 1}`, hook, { next: isTold(hook) ? always(to) : { ok: { to }, skip: { to } } });
  });
  const failing = onError.map((hook, index) => {
    const next = index + 1 < onError.length ? always({ step: `on_error.${index + 2}` }) : {};
    return hookStep(`on_error.${index + 1}`, hook, { next, side: true });
  });
  return [...completing, ...failing];
}

function hookStep(id: string, hook: YamlHook, more: Pick<StepModel, 'next'> & Partial<StepModel>): StepModel {
  return plainStep(id, { kind: 'action', config: callConfig(hook), recovery: 'rerun', ...more });
}

/** A message that does not arrive never affects the run. */
function isTold({ action }: YamlHook): boolean {
  return action === 'notify';
}
