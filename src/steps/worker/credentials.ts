// Owns which logins are hidden from the worker of a step, and what is recorded about it. With a forge, only the engine
// writes there, so no agent, command or gate needs a login.

import type { JsonObject } from '../../base/json.ts';
import { type CredentialGuard, guardCredentials } from '../../process/credentials.ts';
import type { NetworkFence } from '../../process/network.ts';
import type { StepServices } from '../services.ts';

/** How logins are hidden from a worker. */
export interface WorkerCredentials {
  readonly env: Readonly<Record<string, string>>;
  /** The fence of its network, with the guard around it. */
  fence(network: NetworkFence | undefined): { readonly fence?: NetworkFence };
  /** What is recorded with the attempt. */
  readonly evidence: { readonly credentials?: JsonObject };
}

const NO_GUARD: WorkerCredentials = { env: {}, fence: (fence) => (fence === undefined ? {} : { fence }), evidence: {} };

/**
 * Opens the guard of a worker. Without a forge, or with the local one, there is none: the local forge has no logins, and
 * programs may log in wherever the user can.
 */
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
  return { env: guard.env, fence: (network) => wrapped(guard, network), evidence: { credentials: evidenceOf(guard) } };
}

function wrapped({ hiddenBy, wrap }: CredentialGuard, network: NetworkFence | undefined): { readonly fence?: NetworkFence } {
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
