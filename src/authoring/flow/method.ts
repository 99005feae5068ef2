// Owns what a kind contributes to flows: its methods of `step(name)`, each of which returns a call.

import type { Compilers } from '../graph/work.ts';
import { type Shape, shownType } from '../spec/shape.ts';
import { type CallParts, createCall, type FlowCall } from './call.ts';
import { createBoundStep, invalid, refusal, type StepParts } from './model.ts';

/** A step that is built, and what its call needs in addition. */
export interface BuiltCall extends Pick<CallParts<unknown>, 'child' | 'receive'> {
  readonly parts: StepParts;
}

/** A method of `step(name)`. Its type is in `spec.ts` of the kind, `flow`. */
export interface FlowMethod {
  /** How many arguments it accepts; left out: any number. */
  readonly most?: number;
  /** What its first argument must be; left out: building the step checks it. Flows also run where types are only stripped. */
  readonly first?: Shape<unknown>;
  /** Builds the step from the arguments. Building does nothing; yielding the call makes the engine run it. */
  build(name: string, given: never, compilers: Compilers): StepParts | BuiltCall;
}

/** The arguments of a method, by the types of its kind. */
export type MethodArguments<Step extends { readonly flow: object }, Method extends keyof Step['flow']> = Step['flow'][Method] extends (
  ...given: infer Arguments
) => unknown
  ? Arguments
  : never;

/** Calls a method; refuses arguments that it would ignore, because they would look as if they had an effect. */
export function callMethod(
  method: FlowMethod & { readonly name: string },
  step: { readonly name: string; readonly compilers: Compilers },
  given: readonly unknown[],
): FlowCall<unknown> {
  const { most = given.length } = method;
  if (given.length > most) throw tooMany(`.${method.name}()`, given.length, most);
  const { first } = method;
  if (first?.accepts(given[0]) === false)
    throw invalid(`step "${step.name}"`, `cannot be built: .${method.name}() takes ${first.must}, not ${shownType(given[0])}`);
  first?.parts(given[0], '', refusal(`step "${step.name}"`));
  const built = method.build(step.name, given as never, step.compilers);
  const { parts, ...more } = 'parts' in built ? built : { parts: built };
  return createCall({ bound: createBoundStep(parts, step.compilers), ...more });
}

/** The error of a call with more arguments than anybody reads. */
export function tooMany(what: string, given: number, most: number): Error {
  const allowed = `${most} ${most === 1 ? 'argument' : 'arguments'}`;
  return invalid(
    what,
    `accepts at most ${allowed}, but got ${given}; put options into the ${most === 1 ? 'object' : 'last one'} that it accepts`,
  );
}
