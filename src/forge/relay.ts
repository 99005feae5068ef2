// Owns a forge whose events a server receives, by webhook or by polling, and publishes.

import type { Forge, ForgeEvent } from './forge.ts';

/** A forge, and a function that sends events to its watchers. */
export interface ForgeRelay {
  readonly forge: Forge;
  publish(event: ForgeEvent): void;
}

/** The same forge, except that its watchers receive the published events. */
export function relayForge(forge: Forge): ForgeRelay {
  const callbacks = new Set<(event: ForgeEvent) => void>();
  return {
    forge: {
      ...forge,
      watch: (callback) => {
        callbacks.add(callback);
        return () => callbacks.delete(callback);
      },
    },
    publish: (event) => {
      for (const callback of callbacks) callback(event);
    },
  };
}
