// Owns the items of a fan-out: the list that an expression returns, and the names of its members, which are part of their
// paths.

import { isJsonObject, type Json } from '../../base/json.ts';
import { expressionValue, FAN_OUT_ITEMS_MAX, itemsExpression, type ScopeInput } from '../scope/scope.ts';

const KEY = /^[\w.@:+-]{1,80}$/;
const known = new WeakMap<readonly Json[], readonly string[]>();

/** The items that an expression returns, or what is wrong with them. */
export function itemsOf(source: string, scope: ScopeInput): { readonly list: readonly Json[] } | { readonly wrong: string } {
  try {
    const value = expressionValue(itemsExpression(source), scope);
    if (!Array.isArray(value))
      return { wrong: `not a list but ${value === null ? 'null' : `a ${typeof value}`}; an earlier step must return them as a list` };
    if (value.length <= FAN_OUT_ITEMS_MAX) return { list: value };
    return { wrong: `${value.length}; a fan-out takes at most ${FAN_OUT_ITEMS_MAX}: split the list, or work on parts of it` };
  } catch (thrown) {
    return { wrong: `not there: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

/** Stable, distinct names for the items of a fan-out: the item itself, its id, or its position. */
export function itemKeys(items: readonly Json[]): readonly string[] {
  const earlier = known.get(items);
  if (earlier !== undefined) return earlier;
  const seen = new Set<string>();
  const keys = items.map((item, index) => {
    const name = nameOf(item);
    const key = name === undefined || seen.has(name) ? `${index}` : name;
    const unique = seen.has(key) ? `${key}~${index}` : key;
    seen.add(unique);
    return unique;
  });
  known.set(items, keys);
  return keys;
}

function nameOf(item: Json): string | undefined {
  const candidates = isJsonObject(item) ? [item.key, item.id, item.name] : [item];
  return candidates.find((candidate): candidate is string => typeof candidate === 'string' && KEY.test(candidate));
}
