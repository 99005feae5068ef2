// Owns the methods of `step(name)` that a kind contributes to flows, each of which returns a call.

import type { Compilers, KindCompiler } from '../graph/work.ts';
import { type Shape, shownType } from '../spec/shape.ts';
import { type CallParts, createCall, type FlowCall } from './call.ts';
import { type FlowSpec, invalid, readFlowStep, throwingFault } from './model.ts';

/** The step that a method builds, and how its call converts the result. */
export interface FlowMethodSpec extends FlowSpec, Pick<CallParts<unknown>, 'receive'> {}

/** A method of `step(name)`. Its type is in `spec.ts` of the kind, `flow`. */
export interface FlowMethod {
  /** How many arguments it accepts. Default: any number. */
  readonly most?: number;
  /** The shape of its first argument. Default: reading the step checks it. Flows also run where types are only stripped. */
  readonly first?: Shape<unknown>;
  /** The names of its own fields, where they stand beside the options of every step. */
  readonly own?: readonly string[];
  /** Writes the step as the step of a graph. This does nothing; yielding the call makes the engine run it. */
  write(args: never, name: string): FlowMethodSpec;
}

/** The arguments of a method, by the types of its kind. */
export type MethodArguments<Step extends { readonly flow: object }, Method extends keyof Step['flow']> = Step['flow'][Method] extends (
  ...args: infer Arguments
) => unknown
  ? Arguments
  : never;

/** Calls a method. Arguments that it would ignore are rejected, because they look as if they had an effect. */
export function callMethod(
  { most, first, own = [], write, ...method }: FlowMethod & { readonly name: string; readonly kind: KindCompiler },
  { name, compilers }: { readonly name: string; readonly compilers: Compilers },
  args: readonly unknown[],
): FlowCall<unknown> {
  if (most !== undefined && args.length > most) throw tooMany(`.${method.name}()`, args.length, most);
  if (first?.accepts(args[0]) === false)
    throw invalid(`step "${name}"`, `cannot be built: the argument of .${method.name}() must be ${first.must}, not ${shownType(args[0])}`);
  first?.parts(args[0], '', throwingFault(`step "${name}"`));
  const { receive, ...spec } = write(args as never, name);
  const built = readFlowStep(spec, { name, compilers, kind: method.kind, own });
  return createCall({ ...built, ...(receive === undefined ? {} : { receive }) });
}

/** The error of a call with too many arguments. */
export function tooMany(subject: string, count: number, most: number): Error {
  const allowed = `${most} ${most === 1 ? 'argument' : 'arguments'}`;
  return invalid(
    subject,
    `accepts at most ${allowed}, but got ${count}; put options into the ${most === 1 ? 'object' : 'last one'} that it accepts`,
  );
}
