// Translates the common parts of stages and checks to the spec of a graph: requests, outputs, expressions.

import { omitUndefined } from '../../../base/fields.ts';
import type { Json } from '../../../base/json.ts';
import type { DatabasesSpec } from '../../../definition/database.ts';
import type { NetworkSpec } from '../../../definition/network.ts';
import type { SharedSpec } from '../../graph/spec.ts';
import type { OutputSpec, Webhook } from '../../spec/part.ts';
import type { YamlStage } from '../schema/form.ts';
import type { YamlOutput } from '../schema/rule.ts';

/** Environment variables as strings. */
export function envOf(env: Readonly<Record<string, string | number | boolean>> = {}): Readonly<Record<string, string>> | undefined {
  return nonEmpty(Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])));
}

/** The restrictions of an agent or a program, and its databases. */
export function restrictionsOf({
  network,
  mutates_checkout: mutates,
  databases,
  restore_on_fail: restores,
  staged,
}: {
  readonly network?: unknown;
  readonly mutates_checkout?: boolean | undefined;
  readonly databases?: unknown;
  readonly restore_on_fail?: boolean | undefined;
  readonly staged?: true | undefined;
}): Pick<SharedSpec, 'network' | 'mutatesCheckout' | 'databases' | 'onFail' | 'staged'> {
  return {
    ...(network === undefined ? {} : { network: network as NetworkSpec }),
    ...(mutates === false ? { mutatesCheckout: false } : {}),
    ...(databases === undefined ? {} : { databases: databases as DatabasesSpec }),
    ...(restores === true ? { onFail: 'restore' } : {}),
    ...omitUndefined({ staged }),
  };
}

interface YamlRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** A request with its method. */
export function requestOf({ url, method, headers = {}, body }: YamlRequest): Webhook['request'] {
  return { url, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, ...omitUndefined({ body: body as Json | undefined }) };
}

/** An expression without surrounding braces, so that it is not rendered as a template too early. */
export function bareExpression(source: string): string {
  const text = source.trim();
  return text.length >= 4 && text.startsWith('{{') && text.endsWith('}}') ? text.slice(2, -2).trim() : text;
}

/** One string or several, as a list. */
export function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? []);
}

/** The object, if it has any field. */
export function nonEmpty<T extends object>(object: T | undefined): T | undefined {
  return object === undefined || Object.keys(object).length === 0 ? undefined : object;
}

/** The outputs of a stage. */
export function outputsOf({
  outputs = [],
  fresh,
}: {
  readonly outputs?: readonly YamlOutput[] | undefined;
  readonly fresh?: 'activation' | 'run' | undefined;
}): Pick<SharedSpec, 'outputs' | 'fresh'> {
  if (outputs.length === 0) return {};
  return { outputs: outputs as readonly OutputSpec[], ...omitUndefined({ fresh }) };
}

/** The branches of a parallel stage; none of any other. */
export function branchesOf({ branches = [] }: YamlStage): readonly YamlStage[] {
  return branches as readonly YamlStage[];
}
