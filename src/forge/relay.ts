// Owns a forge whose events come from somewhere else: a server hears of an event by a webhook or by watching, and passes it on.

import type { Forge, ForgeEvent } from './forge.ts';

/** A forge, and how its events are passed on to whoever watches it. */
export interface ForgeRelay {
  readonly forge: Forge;
  tell(event: ForgeEvent): void;
}

/** The same forge, except that watching it gives what is told here. */
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
