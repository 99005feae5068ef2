// Owns what a host is asked to do. Effects are level-triggered: `outstanding` lists what should be under way for
// the checkpoint as it is, so that recovery is asking again, and what is no longer listed is stopped.

import type { Activation, Path, RunState } from './run-state.ts';

/** One piece of work that should be under way now. */
export interface Effect {
  readonly do:
    | 'step.prepare'
    | 'step.execute'
    | 'step.verify'
    | 'step.reconcile'
    | 'step.observe'
    | 'child.start'
    | 'child.cancel'
    | 'slot.take';
  readonly path: Path;
  readonly attempt: number;
}

/** The effect that an activation asks for in its present state, if any. */
export function effectOf(run: RunState, activation: Activation): Effect | undefined {
  const { path, attempt } = activation;
  switch (activation.state) {
    case 'queued':
      return run.paused || run.halt !== undefined || activation.slots === undefined ? undefined : { do: 'slot.take', path, attempt };
    case 'preparing':
      return { do: 'step.prepare', path, attempt };
    case 'running':
      return { do: 'step.execute', path, attempt };
    case 'verifying':
      return { do: activation.held === undefined ? 'step.reconcile' : 'step.verify', path, attempt };
    case 'waiting':
      if (wantsLook(activation)) return { do: 'step.observe', path, attempt };
      if (activation.wait?.kind !== 'child') return undefined;
      return { do: run.ending === undefined ? 'child.start' : 'child.cancel', path, attempt };
    case 'unknown':
      return undefined;
  }
}

/** Whether what a person's question is about has to be looked at: before it is put, and before a decision counts. */
function wantsLook({ wait }: Activation): boolean {
  return wait?.question !== undefined && (wait.digest === undefined || wait.decided !== undefined);
}

/** Everything that should be under way now. */
export function outstanding(run: RunState): Effect[] {
  const effects: Effect[] = [];
  for (const path in run.live) {
    const effect = effectOf(run, run.live[path] as Activation);
    if (effect !== undefined) effects.push(effect);
  }
  return effects;
}
