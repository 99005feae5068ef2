// Owns the model of a web request, and the parts of it that templates cannot change: its host, and which secrets it
// contains.

import type { Json } from '../base/json.ts';
import type { Template } from '../expr/template.ts';

/** A request. The default method is POST with a body and GET without. */
export type RequestModel = {
  readonly url: string;
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Json;
};

const LITERAL_HOST = /^https?:\/\/[^/?#\\@\s]+(?=[/?#])/i;

/** Whether a URL has a literal host before its first placeholder, so that no value can change where it goes. */
export function hasLiteralHost({ hasPlaceholders, parts: [first] }: Template): boolean {
  return !hasPlaceholders || (typeof first === 'string' && LITERAL_HOST.test(first));
}

/** Returns the names of the secrets that templates read, or undefined if they cannot be determined. */
export function secretNames(paths: Template['paths']): string[] | undefined {
  const read = paths.filter(({ segments }) => segments[0] === 'secrets').map(({ segments }) => segments[1]);
  const names = read.filter((name) => typeof name === 'string' && name !== '*');
  return names.length === read.length ? [...new Set(names.map(String))] : undefined;
}
