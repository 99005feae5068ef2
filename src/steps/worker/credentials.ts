// Hides logins from the worker of a step, and records which. Only the engine writes at a forge, so no agent,
// command or gate needs a login.

import type { JsonObject } from '../../base/json.ts';
import { type CredentialGuard, guardCredentials } from '../../process/credentials.ts';
import type { NetworkFence } from '../../process/network.ts';
import type { StepServices } from '../services.ts';

/** The hidden logins of a worker. */
export interface WorkerCredentials {
  readonly env: Readonly<Record<string, string>>;
  /** Adds the guard to the fence of the worker's network. */
  fence(network: NetworkFence | undefined): { readonly fence?: NetworkFence };
  /** The record for the attempt. */
  readonly evidence: { readonly credentials?: JsonObject };
}

const NO_GUARD: WorkerCredentials = { env: {}, fence: (fence) => (fence === undefined ? {} : { fence }), evidence: {} };

/** Opens the guard of a worker. There is none without a forge, or with the local one, which has no logins. */
export function openCredentials(services: StepServices): WorkerCredentials {
  const { forge, cwd, inheritEnv, secrets = {} } = services;
  if (forge === undefined || (forge.name === 'local' && services.writes?.hides !== true)) return NO_GUARD;
  const sources = Object.values(secrets).filter((source) => typeof source === 'object');
  const guard = guardCredentials({
    cwd,
    inheritEnv,
    files: sources.flatMap((source) => ('file' in source ? [source.file] : [])),
    variables: sources.flatMap((source) => ('env' in source ? [source.env] : [])),
    hides: true,
  });
  return { env: guard.env, fence: (network) => wrapFence(guard, network), evidence: { credentials: evidenceOf(guard) } };
}

function wrapFence({ hiddenBy, wrap }: CredentialGuard, network: NetworkFence | undefined): { readonly fence?: NetworkFence } {
  if (hiddenBy === null) return network === undefined ? {} : { fence: network };
  return {
    fence: {
      wrap: (argv) => wrap(network === undefined ? argv : network.wrap(argv)),
      close: () => network?.close() ?? Promise.resolve(),
    },
  };
}

function evidenceOf({ hiddenBy, left }: CredentialGuard): JsonObject {
  return {
    git: 'no login',
    files: hiddenBy === null ? 'not hidden' : `hidden by ${hiddenBy}`,
    ...(left.length === 0 ? {} : { left: [...left] }),
  };
}
