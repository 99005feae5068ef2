// Owns what a kind contributes to flows: its methods of `step(name)`, each of which returns a call.

import type { Compilers, KindCompiler } from '../graph/work.ts';
import { type Shape, shownType } from '../spec/shape.ts';
import { type CallParts, createCall, type FlowCall } from './call.ts';
import { type FlowSpec, invalid, readFlowStep, refusal } from './model.ts';

/** The step that a method builds, and how its call converts the result. */
export interface FlowMethodSpec extends FlowSpec, Pick<CallParts<unknown>, 'receive'> {}

/** A method of `step(name)`. Its type is in `spec.ts` of the kind, `flow`. */
export interface FlowMethod {
  /** How many arguments it accepts; left out: any number. */
  readonly most?: number;
  /** What its first argument must be; left out: reading the step checks it. Flows also run where types are only stripped. */
  readonly first?: Shape<unknown>;
  /** The names of its own fields, where they stand beside the options of every step. */
  readonly own?: readonly string[];
  /** Writes the step as a graph has it. This does nothing; yielding the call makes the engine run it. */
  write(given: never, name: string): FlowMethodSpec;
}

/** The arguments of a method, by the types of its kind. */
export type MethodArguments<Step extends { readonly flow: object }, Method extends keyof Step['flow']> = Step['flow'][Method] extends (
  ...given: infer Arguments
) => unknown
  ? Arguments
  : never;

/** Calls a method; refuses arguments that it would ignore, because they would look as if they had an effect. */
export function callMethod(
  { most, first, own = [], write, ...method }: FlowMethod & { readonly name: string; readonly kind: KindCompiler },
  { name, compilers }: { readonly name: string; readonly compilers: Compilers },
  given: readonly unknown[],
): FlowCall<unknown> {
  if (most !== undefined && given.length > most) throw tooMany(`.${method.name}()`, given.length, most);
  if (first?.accepts(given[0]) === false)
    throw invalid(`step "${name}"`, `cannot be built: .${method.name}() takes ${first.must}, not ${shownType(given[0])}`);
  first?.parts(given[0], '', refusal(`step "${name}"`));
  const { receive, ...spec } = write(given as never, name);
  const built = readFlowStep(spec, { name, compilers, kind: method.kind, own });
  return createCall({ ...built, ...(receive === undefined ? {} : { receive }) });
}

/** The error of a call with more arguments than anybody reads. */
export function tooMany(what: string, given: number, most: number): Error {
  const allowed = `${most} ${most === 1 ? 'argument' : 'arguments'}`;
  return invalid(
    what,
    `accepts at most ${allowed}, but got ${given}; put options into the ${most === 1 ? 'object' : 'last one'} that it accepts`,
  );
}
