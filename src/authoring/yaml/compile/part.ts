// Owns what stages and checks of a workflow file have in common in the spec of a graph: programs, requests, expressions.

import { present } from '../../../base/fields.ts';
import type { Json } from '../../../base/json.ts';
import type { WebhookSpec } from '../../graph/spec.ts';

/** Variables as texts. */
export function envOf(env: Readonly<Record<string, string | number | boolean>> = {}): Readonly<Record<string, string>> | undefined {
  return nonEmpty(Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])));
}

interface WrittenRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** A request with its method. */
export function requestOf({ url, method, headers = {}, body }: WrittenRequest): WebhookSpec['request'] {
  return { url, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, ...present({ body: body as Json | undefined }) };
}

/** An expression without the braces that may be around it, so that it is not taken for a template and filled in too early. */
export function bareExpression(source: string): string {
  const text = source.trim();
  return text.length >= 4 && text.startsWith('{{') && text.endsWith('}}') ? text.slice(2, -2).trim() : text;
}

/** One text or several, as a list. */
export function listOf(written: string | readonly string[] | undefined): readonly string[] {
  return typeof written === 'string' ? [written] : (written ?? []);
}

/** The object, if it has any field. */
export function nonEmpty<T extends object>(object: T | undefined): T | undefined {
  return object === undefined || Object.keys(object).length === 0 ? undefined : object;
}
