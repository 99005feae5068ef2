// Owns what a host is asked to do. Effects are level-triggered: `outstanding` lists what should be under way for a
// checkpoint, so recovery only has to ask again, and work that is no longer listed is stopped.

import type { Activation, Path } from './activation.ts';
import { isHeldBack, type RunState } from './run-state.ts';

/** What a host does for one attempt of a step. */
export type StepWork = 'prepare' | 'execute' | 'verify' | 'reconcile' | 'observe';

/** A child run that should be started or cancelled. */
export type ChildEffect =
  | { readonly do: 'start-child'; readonly child: string; readonly activation: Activation }
  | { readonly do: 'cancel-child'; readonly child: string; readonly activation: Activation };

/** One thing that should be under way now. */
export type Effect =
  | { readonly do: 'step'; readonly work: StepWork; readonly activation: Activation }
  | ChildEffect
  | { readonly do: 'take-slots'; readonly slots: readonly string[]; readonly activation: Activation };

const WORK = { preparing: 'prepare', running: 'execute', verifying: 'verify', reconciling: 'reconcile' } as const;

/** The effect that an activation asks for in its present state, if any. */
export function effectOf(run: RunState, activation: Activation): Effect | undefined {
  const { state } = activation;
  if (state === 'unknown') return undefined;
  if (state === 'queued') {
    if (activation.slots === undefined || isHeldBack(run, activation)) return undefined;
    return { do: 'take-slots', slots: activation.slots, activation };
  }
  if (state !== 'waiting') return { do: 'step', work: WORK[state], activation };
  const { wait } = activation;
  if (wait.kind === 'child') return { do: run.ending === undefined ? 'start-child' : 'cancel-child', child: wait.run, activation };
  // The subjects of a question are observed before it is asked, and again before a decision counts.
  const looks = wait.kind === 'human' && wait.outside !== undefined && (wait.digest === undefined || wait.outside.decided !== undefined);
  return looks ? { do: 'step', work: 'observe', activation } : undefined;
}

/** Everything that should be under way now, at the given paths or everywhere. */
export function outstanding(run: RunState, paths: Iterable<Path> = Object.keys(run.live)): Effect[] {
  const effects: Effect[] = [];
  for (const path of paths) {
    const activation = run.live[path];
    const effect = activation === undefined ? undefined : effectOf(run, activation);
    if (effect !== undefined) effects.push(effect);
  }
  return effects;
}
