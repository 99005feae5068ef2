// Owns the messages about unknown fields: a misspelt field, a field of another form, or one that does not exist at all.

import * as z from 'zod';
import { didYouMean, nearestName } from '../../../base/suggest.ts';
import type { YamlPath } from '../position/position.ts';
import { noteOf } from '../schema/field.ts';
import { formsOf, type SchemaNode } from '../schema/walk.ts';
import { type Fault, listed, quoted } from './problem.ts';

const SHOWN_MAX = 6;

/** Fields of transitions that only some keys can have. */
const ELSEWHERE: Readonly<Partial<Record<string, string>>> = {
  retry: 'retry goes with on_error and on_timeout, in a map of its own; work that failed goes back with { goto: …, max_iterations: 3 }',
  backoff: 'backoff goes with retry, under on_error or on_timeout',
  extend: 'extend goes with on_timeout only',
  max_extensions: 'max_extensions goes with extend, under on_timeout',
};

/** The fault for a field that the schema does not have at this place. */
export function unknownField(key: string, node: SchemaNode | undefined, path: YamlPath): Fault {
  const meant = node?.meant;
  const allowed = meant instanceof z.ZodObject ? Object.keys(meant.shape) : [];
  const what = (meant === undefined ? undefined : noteOf(meant).what) ?? 'this map';
  const message = `${what} has no field ${quoted(key)}`;
  const transition = path.findLast((part) => /^(on_|skip_to)/.test(String(part)));
  const elsewhere = transition === undefined ? undefined : ELSEWHERE[key];
  if (elsewhere !== undefined)
    return { code: 'FIELD_UNKNOWN', message: `"${transition}" cannot have ${quoted(key)} here`, hint: elsewhere };
  const others = node === undefined ? [] : formsOf(node.declared).filter((form) => form !== meant && hasField(form, key));
  if (others.length === 0 && what.endsWith(' hook') && node !== undefined) return unknownHook(key, node);
  if (others.length > 0 && what.endsWith(' hook'))
    return { code: 'FIELD_UNKNOWN', message, hint: `each hook is an item of its own: write "- ${key}: …"` };
  if (others.length > 0) return { code: 'FIELD_UNKNOWN', message, hint: belongs(key, { others, allowed, what }) };
  const near = nearestName(key, allowed);
  if (near !== undefined) return { code: 'FIELD_UNKNOWN', message: `${message} (did you mean "${near}"?)`, hint: `rename it to "${near}"` };
  if (path.at(-2) === 'branches' && /^(on_|skip_to)/.test(key))
    return { code: 'FIELD_UNKNOWN', message, hint: 'branches have no transitions; write it on the parallel stage that contains them' };
  return { code: 'FIELD_UNKNOWN', message, hint: allowed.length === 0 ? 'remove it' : `remove it; ${what} has ${listed(allowed)}` };
}

function unknownHook(key: string, { declared }: SchemaNode): Fault {
  const known = formsOf(declared).flatMap((form) => (form instanceof z.ZodObject ? Object.keys(form.shape) : []));
  const near = nearestName(key, known);
  const hint = near === undefined ? `use one of ${listed(known)}` : `write "${near}: …"`;
  return { code: 'FIELD_UNKNOWN', message: `there is no hook ${quoted(key)}${didYouMean(key, known)}`, hint };
}

function hasField(form: z.core.$ZodType, key: string): boolean {
  return form instanceof z.ZodObject && Object.hasOwn(form.shape, key);
}

function belongs(
  key: string,
  at: { readonly others: readonly z.core.$ZodType[]; readonly allowed: readonly string[]; readonly what: string },
): string {
  const names = [...new Set(at.others.map((form) => noteOf(form).what ?? 'another form'))];
  const own = shortened(key, at.allowed);
  return `"${key}" belongs to ${listed(names.slice(0, SHOWN_MAX), 'or')}; ${at.what} has ${listed(own)}`;
}

/** If there are many fields, only those of the same family are suggested. */
function shortened(key: string, allowed: readonly string[]): readonly string[] {
  const family = key.startsWith('on_') ? allowed.filter((name) => name.startsWith('on_')) : [];
  return family.length > 0 ? family : allowed;
}
