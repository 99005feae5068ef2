// Owns `step(name)`: the methods that the kinds of steps contribute, each of which returns a call with the type of its
// result. Building a step does nothing; yielding it makes the engine run it.

import { callMethod } from '../authoring/flow/method.ts';
import { invalid } from '../authoring/flow/model.ts';
import { REGISTRY } from './registry.ts';
import type { KindParts } from './spec.ts';

// A path is `step#visit` or `group#visit/key`, so a name must not contain its separators.
const NAME = /^[^#/\p{Cc}]{1,200}$/u;

/** A named step whose kind is chosen next. */
export interface StepBuilder extends KindParts<'flow'> {}

/** A name, with the methods of all kinds. */
class NamedStep {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  static {
    for (const [method, parts] of Object.values(REGISTRY.kinds).flatMap(({ flow = {} }) => Object.entries(flow)))
      Object.defineProperty(NamedStep.prototype, method, {
        value(this: NamedStep, ...given: readonly unknown[]) {
          return callMethod({ ...parts, method }, { name: this.#name, compilers: REGISTRY }, given);
        },
      });
  }
}

/** Names a step of a flow; names are unique in a run, so a loop numbers them: step(`fix-${i}`). */
export function step(name: string): StepBuilder {
  if (typeof name === 'string' && NAME.test(name)) return new NamedStep(name) as unknown as StepBuilder;
  throw invalid(
    `the step name ${JSON.stringify(name)}`,
    'cannot be used; write 1 to 200 characters without "#", "/" and control characters',
  );
}
