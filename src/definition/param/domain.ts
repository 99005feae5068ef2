// Owns sets of values that can be enumerated. They come from a parameter's declaration and serve generated tests,
// documentation and fuzzing.
//
// - A domain lists every value once, always in the same order, and is never empty.
// - Two domains with the same `key` have the same values; the key can be used in a map.

import { EngineError } from '../../base/error.ts';
import { canonicalJson, deepFreeze, type Json, toPlain } from '../../base/json.ts';
import type { ArgModel, Definition, StepModel } from '../model.ts';

/**
 * A finite set of values in a fixed order. For fast-check: `fc.nat(domain.size - 1).map((index) => domain.at(index))`
 * is an arbitrary of its values.
 */
export interface Domain<T extends Json = Json> extends Iterable<T> {
  /** Equal for equal domains. */
  readonly key: string;
  readonly size: number;
  /** Returns the value at a position from 0 to `size - 1`, without listing the others. */
  at(index: number): T;
}

/** Returns the integers from `lo` to `hi`, inclusive. */
export function BoundedInt(lo: number, hi: number): Domain<number> {
  if (!Number.isSafeInteger(lo) || !Number.isSafeInteger(hi) || lo > hi)
    throw new EngineError('DEFINITION_INVALID', `BoundedInt(${lo}, ${hi}) is empty; pass two whole numbers, the smaller one first`);
  return Object.freeze({
    key: `int:${lo}..${hi}`,
    size: hi - lo + 1,
    at: (index: number) => lo + within(index, hi - lo + 1),
    *[Symbol.iterator]() {
      for (let value = lo; value <= hi; value += 1) yield value;
    },
  });
}

/** Returns the given values in order, without duplicates. */
export function ChoiceSet<const T extends Json>(choices: readonly T[]): Domain<T> {
  const byText = new Map(choices.map((choice) => [canonicalJson(choice), deepFreeze(toPlain(choice, 'a choice')) as T]));
  if (byText.size === 0) throw new EngineError('DEFINITION_INVALID', 'ChoiceSet([]) is empty; pass at least one value');
  const values = Object.freeze([...byText.values()]);
  return Object.freeze({
    key: `choice:[${[...byText.keys()].join(',')}]`,
    size: values.length,
    at: (index: number) => values[within(index, values.length)] as T,
    [Symbol.iterator]: () => values[Symbol.iterator](),
  });
}

/** Returns a domain with a single value. */
export function Constant<const T extends Json>(value: T): Domain<T> {
  const frozen = deepFreeze(toPlain(value, 'a constant')) as T;
  return Object.freeze({
    key: `constant:${canonicalJson(frozen)}`,
    size: 1,
    at: (index: number) => {
      within(index, 1);
      return frozen;
    },
    *[Symbol.iterator]() {
      yield frozen;
    },
  });
}

function within(index: number, size: number): number {
  if (Number.isInteger(index) && index >= 0 && index < size) return index;
  throw new EngineError('OPTION_INVALID', `a domain of ${size} values has no position ${index}; pass a whole number from 0 to ${size - 1}`);
}

/**
 * Returns the values of a parameter, if they can be enumerated. An open parameter with a default stands for that value,
 * the only one known to be valid; one without a default has no domain.
 */
export function domainOf(model: ArgModel): Domain | undefined {
  if (model.choices !== undefined) return ChoiceSet(model.choices);
  if (model.type === 'boolean') return ChoiceSet([false, true]);
  if (model.type === 'integer' && model.min !== undefined && model.max !== undefined) return BoundedInt(model.min, model.max);
  return model.default === undefined ? undefined : Constant(model.default);
}

/** Returns the domains of the parameters at each step: the workflow's, overridden by the step's arguments. */
export function extractSchema(
  workflow: Definition | { readonly definition: Definition },
): Readonly<Record<string, Readonly<Record<string, Domain>>>> {
  const definition = 'definition' in workflow ? workflow.definition : workflow;
  const shared = domainsOf(definition.params);
  const bySteps = definition.steps.map((step) => [step.id, Object.freeze({ ...shared, ...domainsOf(argsOf(step)) })] as const);
  return Object.freeze(Object.fromEntries(bySteps));
}

/** The arguments of a step. Those of a fan-out's body were written on the step itself. */
export function argsOf(step: StepModel): StepModel['args'] {
  return step.kind === 'each' ? { ...step.args, ...step.body.args } : step.args;
}

function domainsOf(args: Readonly<Record<string, ArgModel>>): Record<string, Domain> {
  const domains = Object.entries(args).map(([name, model]) => [name, domainOf(model)] as const);
  return Object.fromEntries(domains.filter((entry): entry is [string, Domain] => entry[1] !== undefined));
}
