// Owns how a request to a web service stands in a definition, and what its templates may not change: the host that it
// goes to, and which secrets it carries.

import type { Json } from '../base/json.ts';
import type { Template } from '../expr/template.ts';

/** A request; without a method, POST with a body and GET without. */
export type RequestModel = {
  readonly url: string;
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Json;
};

const LITERAL_HOST = /^https?:\/\/[^/?#\\@\s]+(?=[/?#])/i;

/** Whether a URL spells out its host before its first hole, so that no value can change where it leads. */
export function hasLiteralHost({ hasHoles, parts: [first] }: Template): boolean {
  return !hasHoles || (typeof first === 'string' && LITERAL_HOST.test(first));
}

/** The names of the secrets that templates read; undefined when they cannot be told from the source. */
export function secretNames(paths: Template['paths']): string[] | undefined {
  const read = paths.filter(({ segments }) => segments[0] === 'secrets').map(({ segments }) => segments[1]);
  const names = read.filter((name) => typeof name === 'string' && name !== '*');
  return names.length === read.length ? [...new Set(names.map(String))] : undefined;
}
