// Owns where a step of a skill leads: to the next one, to one of two by a verdict, or nowhere. It is a closed union, so
// that a step cannot both end the skill and lead on.

/** Where a step leads. Steps are named by their numbers, from 1. */
export type Routing =
  | {
      readonly kind: 'linear';
      /** The step that follows; left out: the next one. */
      readonly to?: number;
    }
  | { readonly kind: 'branch'; readonly ifPass: number; readonly ifFail: number }
  | { readonly kind: 'terminal' };

/** One step follows: the next one, or a later one that is named. */
export function LinearRouting({ to }: { readonly to?: number } = {}): Routing {
  return to === undefined ? { kind: 'linear' } : { kind: 'linear', to };
}

/** The verdict of the step chooses what follows. */
export function BranchRouting({ ifPass, ifFail }: { readonly ifPass: number; readonly ifFail: number }): Routing {
  return { kind: 'branch', ifPass, ifFail };
}

/** Nothing follows. */
export function TerminalRouting(): Routing {
  return { kind: 'terminal' };
}
