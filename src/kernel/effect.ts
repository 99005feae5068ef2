// Owns what a host is asked to do. Effects are level-triggered: `outstanding` lists what should be under way for a
// checkpoint, so recovery only has to ask again, and work that is no longer listed is stopped.

import type { Activation, ActivationIn, Path } from './activation.ts';
import { isHeldBack, type RunState } from './run-state.ts';

const PHASES = { preparing: 'prepare', running: 'execute', verifying: 'verify', reconciling: 'reconcile' } as const;

type Phase<Name, S extends Activation['state']> = { readonly do: 'step'; readonly phase: Name; readonly activation: ActivationIn<S> };

/** What a host does for one attempt of a step. */
export type AttemptEffect =
  | { [State in keyof typeof PHASES]: Phase<(typeof PHASES)[State], State> }[keyof typeof PHASES]
  | Phase<'observe', 'waiting'>;

/** The part of an attempt that a host is asked for. */
export type AttemptPhase = AttemptEffect['phase'];

/** A child run that should be started or cancelled. */
export type ChildEffect =
  | { readonly do: 'start-child'; readonly child: string; readonly activation: Activation }
  | { readonly do: 'cancel-child'; readonly child: string; readonly activation: Activation };

/** One thing that should be under way now. */
export type Effect =
  | AttemptEffect
  | ChildEffect
  | { readonly do: 'take-slots'; readonly slots: readonly string[]; readonly activation: Activation };

/** The effect that an activation asks for in its present state, if any. */
export function effectOf(run: RunState, activation: Activation): Effect | undefined {
  const { state } = activation;
  if (state === 'unknown') return undefined;
  if (state === 'queued') {
    if (activation.slots === undefined || isHeldBack(run, activation)) return undefined;
    return { do: 'take-slots', slots: activation.slots, activation };
  }
  // The table has the phase of each state, which the compiler does not follow.
  if (state !== 'waiting') return { do: 'step', phase: PHASES[state], activation } as AttemptEffect;
  const { wait } = activation;
  if (wait.kind === 'child') return { do: run.ending === undefined ? 'start-child' : 'cancel-child', child: wait.run, activation };
  // The subjects of a question are observed before it is asked, and again before a decision counts.
  const looks = wait.kind === 'human' && wait.outside !== undefined && (wait.digest === undefined || wait.outside.decided !== undefined);
  return looks ? { do: 'step', phase: 'observe', activation } : undefined;
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
