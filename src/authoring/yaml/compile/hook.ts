// Owns what is done once when a run has ended: before it completes, step by step; beside a halt, when it failed.

import type { RetryPolicy, StepFrame, StepModel } from '../../../definition/model.ts';
import type { YamlHook, YamlWorkflow } from '../document/document.ts';
import { callConfig } from './call.ts';
import { plainStep } from './step.ts';
import { always } from './way.ts';

/** A forge that cannot be reached is asked again before somebody is called: the work of the run is done. */
const RETRY: RetryPolicy = { max: 3, on: ['error', 'timeout'], backoff: { initialMs: 10_000, factor: 3, maxMs: 600_000 } };

/** The steps of both lists of hooks. */
export function hookSteps({ onComplete, onError }: YamlWorkflow): StepModel[] {
  const completing = onComplete.map((hook, index) => {
    const to = index + 1 < onComplete.length ? { step: `on_complete.${index + 2}` } : { end: 'complete' as const };
    const ways = isTold(hook) ? { next: always(to) } : { next: { ok: { to }, skip: { to } }, retry: RETRY };
    return hookStep(`on_complete.${index + 1}`, hook, ways);
  });
  const failing = onError.map((hook, index) => {
    const next = index + 1 < onError.length ? always({ step: `on_error.${index + 2}` }) : {};
    return hookStep(`on_error.${index + 1}`, hook, { next, side: true });
  });
  return [...completing, ...failing];
}

function hookStep(id: string, hook: YamlHook, more: Pick<StepFrame, 'next'> & Partial<StepFrame>): StepModel {
  return plainStep(id, { kind: 'action', config: callConfig(hook) }, { recovery: 'rerun', ...more });
}

/** A message that does not arrive never affects the run. */
function isTold({ action }: YamlHook): boolean {
  return action === 'notify';
}
