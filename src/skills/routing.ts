// Owns the routing of a step: to another step, to one of two by a verdict, or to the end of the skill.

/** The routing of a step. Steps are named by their numbers, from 1. */
export type Routing =
  | {
      readonly kind: 'linear';
      /** Default: the next step. */
      readonly to?: number;
    }
  | { readonly kind: 'branch'; readonly ifPass: number; readonly ifFail: number }
  | { readonly kind: 'terminal' };

/** Leads to one step: the next one, or the named one. */
export function linearRouting({ to }: { readonly to?: number } = {}): Routing {
  return to === undefined ? { kind: 'linear' } : { kind: 'linear', to };
}

/** Leads to one of two steps, by the verdict of the step. */
export function branchRouting({ ifPass, ifFail }: { readonly ifPass: number; readonly ifFail: number }): Routing {
  return { kind: 'branch', ifPass, ifFail };
}

/** Ends the skill. */
export function terminalRouting(): Routing {
  return { kind: 'terminal' };
}
