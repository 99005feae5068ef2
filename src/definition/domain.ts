// Owns sets of values that can be counted through. They come from what a parameter says about itself, and serve
// whoever needs every value of it: generated tests, documentation, fuzzing.
//
// D1. A domain lists every value once, always in the same order, and is never empty.
// D2. Two domains with the same `key` hold the same values; a key can stand in a map where the domain itself cannot.

import { EngineError } from '../base/error.ts';
import { canonicalJson, deepFreeze, type Json, toPlain } from '../base/json.ts';
import type { ArgModel, Definition, StepModel } from './model.ts';

/** A finite set of values in a fixed order. */
export interface Domain<T extends Json = Json> extends Iterable<T> {
  /** Equal for equal domains. */
  readonly key: string;
  readonly size: number;
}

/** The whole numbers from `lo` to `hi`, both included. */
export function BoundedInt(lo: number, hi: number): Domain<number> {
  if (!Number.isSafeInteger(lo) || !Number.isSafeInteger(hi) || lo > hi)
    throw new EngineError('DEFINITION_INVALID', `BoundedInt(${lo}, ${hi}) holds no numbers; give two whole numbers, the smaller one first`);
  return Object.freeze({
    key: `int:${lo}..${hi}`,
    size: hi - lo + 1,
    *[Symbol.iterator]() {
      for (let value = lo; value <= hi; value += 1) yield value;
    },
  });
}

/** The given values, in their order; a value that is given twice counts once. */
export function ChoiceSet<const T extends Json>(choices: readonly T[]): Domain<T> {
  const byText = new Map(choices.map((choice) => [canonicalJson(choice), deepFreeze(toPlain(choice, 'a choice')) as T]));
  if (byText.size === 0) throw new EngineError('DEFINITION_INVALID', 'ChoiceSet([]) holds no values; give at least one');
  const values = Object.freeze([...byText.values()]);
  return Object.freeze({
    key: `choice:[${[...byText.keys()].join(',')}]`,
    size: values.length,
    [Symbol.iterator]: () => values[Symbol.iterator](),
  });
}

/** One value and no other. */
export function Constant<const T extends Json>(value: T): Domain<T> {
  const frozen = deepFreeze(toPlain(value, 'a constant')) as T;
  return Object.freeze({
    key: `constant:${canonicalJson(frozen)}`,
    size: 1,
    *[Symbol.iterator]() {
      yield frozen;
    },
  });
}

/**
 * The values of a parameter, if they can be counted through. A parameter that is open but has a default stands for
 * that one value, which is the only one known to be right; an open one without a default has no domain.
 */
export function domainOf(model: ArgModel): Domain | undefined {
  if (model.choices !== undefined) return ChoiceSet(model.choices);
  if (model.type === 'boolean') return ChoiceSet([false, true]);
  if (model.type === 'integer' && model.min !== undefined && model.max !== undefined) return BoundedInt(model.min, model.max);
  return model.default === undefined ? undefined : Constant(model.default);
}

/** The domains of the parameters at each step: the workflow's own, and the step's arguments, which win. */
export function extractSchema(definition: Definition): Readonly<Record<string, Readonly<Record<string, Domain>>>> {
  const shared = domainsOf(definition.params);
  const bySteps = definition.steps.map((step) => [step.id, Object.freeze({ ...shared, ...domainsOf(argsOf(step)) })] as const);
  return Object.freeze(Object.fromEntries(bySteps));
}

/** A fan-out has no arguments of its own: those of its body are what an author wrote on the step. */
function argsOf(step: StepModel): StepModel['args'] {
  return step.kind === 'each' ? { ...step.args, ...step.body.args } : step.args;
}

function domainsOf(args: Readonly<Record<string, ArgModel>>): Record<string, Domain> {
  const domains = Object.entries(args).map(([name, model]) => [name, domainOf(model)] as const);
  return Object.fromEntries(domains.filter((entry): entry is [string, Domain] => entry[1] !== undefined));
}
