// Owns the declaration of the hosts that a role or a step may connect to, and decides whether it allows a host. It is
// enforced elsewhere.

import { isJsonObject, isList, type Json } from '../base/json.ts';

/** How it is written: `false` for none, a list of hosts, or both with `required`. */
export type NetworkSpec = false | readonly string[] | { readonly allow?: readonly string[]; readonly required?: boolean };

/** The hosts that a program may connect to. */
interface NetworkModel {
  /** `api.example.com`, `*.example.com`, `localhost:8080`. Without a port, ports 80 and 443. */
  readonly allow: readonly string[];
  /** The program is not started on a machine that cannot enforce this. */
  readonly required?: true;
}

const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/;
const WEB_PORTS: readonly number[] = [80, 443];
const KNOWN: readonly string[] = ['allow', 'required'];

/** What is wrong with a network rule, if anything; completes the sentence "network …". */
export function networkFault(value: Json): string | undefined {
  if (value === false) return undefined;
  const rule = Array.isArray(value) ? { allow: value } : value;
  if (!isJsonObject(rule)) return 'must be false, a list of hosts such as [api.example.com], or a mapping with allow and required';
  const unknown = Object.keys(rule).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) return `has the unknown field "${unknown}"; the fields are allow and required`;
  const { allow = [], required = false } = rule;
  if (typeof required !== 'boolean') return 'must have true or false as `required`';
  if (!Array.isArray(allow)) return 'must have a list of hosts as `allow`, such as [api.example.com]';
  const wrong = allow.find((host) => typeof host !== 'string' || !HOST.test(host.toLowerCase()));
  return wrong === undefined
    ? undefined
    : `has ${JSON.stringify(wrong)}, which is not a host; write api.example.com, *.example.com or localhost:8080`;
}

/** A valid rule (see `networkFault`) as data. */
export function networkOf(spec: NetworkSpec): NetworkModel {
  const { allow = [], required = false } = spec === false ? {} : isList(spec) ? { allow: spec } : spec;
  return { allow: allow.map((host) => host.toLowerCase()), ...(required ? { required: true } : {}) };
}

/** Whether a rule allows connections to a port of a host. */
export function allowsHost({ allow }: NetworkModel, host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return allow.some((entry) => {
    const [, pattern = '', portText] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (portText === undefined ? !WEB_PORTS.includes(port) : Number(portText) !== port) return false;
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern.replace(/^\[|\]$/g, '');
  });
}
