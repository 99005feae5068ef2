// Owns a forge whose events come from elsewhere: a server receives them by webhook or polling, and passes them on.

import type { Forge, ForgeEvent } from './forge.ts';

/** A forge, and a function that passes events to its watchers. */
export interface ForgeRelay {
  readonly forge: Forge;
  tell(event: ForgeEvent): void;
}

/** The same forge, except that watching it yields the events passed here. */
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
    tell: (event) => {
      for (const callback of callbacks) callback(event);
    },
  };
}
