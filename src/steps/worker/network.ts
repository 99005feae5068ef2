// Owns the network access of the worker of a step: the rules of its role and of the step, and whether they can be enforced
// here. The record names a rule that cannot be enforced; if it is `required`, the step does not start.

import type { JsonObject } from '../../base/json.ts';
import { allowsHost, type NetworkSpec, networkOf } from '../../definition/network.ts';
import { type NetworkFence, networkSupport, openNetworkFence } from '../../process/network.ts';

/** The network access of one attempt. */
export interface WorkerNetwork {
  /** Absent if the rules are not enforced. */
  readonly fence?: NetworkFence;
  /** The record for the attempt: the rules, what enforced them, and the denied hosts. */
  evidence(): { readonly network?: JsonObject };
  close(): Promise<void>;
}

const DENIED_MAX = 100;

const UNLIMITED: WorkerNetwork = { evidence: () => ({}), close: () => Promise.resolve() };

/**
 * Opens the network access of a worker. Every rule must allow a connection. `unfenced` is why nothing can be enforced on this
 * worker, if so. Returns a refusal if the worker must not start.
 */
export async function openNetwork(
  specs: readonly (NetworkSpec | undefined)[],
  unfenced?: string,
): Promise<WorkerNetwork | { readonly refusal: string }> {
  const rules = specs.filter((spec) => spec !== undefined).map(networkOf);
  if (rules.length === 0) return UNLIMITED;
  // A host that only one of the rules lists is denied below.
  const allow = [...new Set(rules.flatMap((rule) => rule.allow))];
  const support = networkSupport();
  const why = unfenced ?? (support.by === 'nothing' ? support.why : undefined);
  if (why !== undefined || support.by === 'nothing') {
    if (rules.some(({ required }) => required === true)) return { refusal: `its network access cannot be limited here: ${why}` };
    return { ...UNLIMITED, evidence: () => ({ network: { enforcedBy: null, why: why ?? '', allow } }) };
  }
  const denied = new Set<string>();
  const fence = await openNetworkFence(support.enter, {
    allows: (host, port) => rules.every((rule) => allowsHost(rule, host, port)),
    hosts: rules.some((rule) => rule.allow.length === 0) ? [] : allow,
    onDenied: (address) => void (denied.size < DENIED_MAX && denied.add(address)),
  });
  return {
    fence,
    evidence: () => ({ network: { enforcedBy: support.by, allow, ...(denied.size === 0 ? {} : { denied: [...denied] }) } }),
    close: () => fence.close(),
  };
}
