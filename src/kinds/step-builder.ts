// Owns `step(name)`: the methods that the kinds of steps contribute, each of which returns a call with the type of its
// result. Building a step does nothing; yielding it makes the engine run it.

import { callMethod } from '../authoring/flow/method.ts';
import { stepName } from '../authoring/flow/model.ts';
import { REGISTRY } from './registry.ts';
import type { KindParts } from './spec.ts';

/** A named step whose kind is chosen next. */
export interface StepBuilder extends KindParts<'flow'> {}

/** A name, with the methods of all kinds. */
class NamedStep {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  static {
    for (const kind of Object.values(REGISTRY.kinds))
      for (const [name, parts] of Object.entries(kind.flow ?? {})) {
        const method = { ...parts, name, kind };
        Object.defineProperty(NamedStep.prototype, name, {
          value(this: NamedStep, ...args: readonly unknown[]) {
            return callMethod(method, { name: this.#name, compilers: REGISTRY }, args);
          },
        });
      }
  }
}

/** Names a step of a flow; names are unique in a run, so a loop numbers them: step(`fix-${i}`). */
export function step(name: string): StepBuilder {
  return new NamedStep(stepName(name)) as unknown as StepBuilder;
}
