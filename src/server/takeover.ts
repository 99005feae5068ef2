// Owns taking over runs of a process that died while this server is open. The death of a process sends no notification, so while
// another process drives runs here its life is checked; while nobody else does, nothing is.

import type { Engine } from '../api/engine.ts';
import { isDriven } from '../process/owner.ts';

/** How often the life of others is checked. */
const CHECK_MS = 2000;

/** Takes over what others leave behind, until it is stopped. */
export function watchOthers(engine: Engine, warn: (error: unknown) => void): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let checking: Promise<void> = Promise.resolve();
  const check = async (): Promise<void> => {
    const others = (await engine.store.heads({ of: 'owned' })).filter(({ owner }) => owner !== engine.owner);
    if (others.some(({ owner }) => !isDriven(owner)) && !isStopped) await engine.recover();
    // Live processes are checked again; a new one is noticed by its first write.
    if (others.some(({ owner }) => isDriven(owner))) later();
  };
  const later = (): void => {
    if (isStopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      checking = check().catch((error: unknown) => {
        if (!isStopped) warn(error);
      });
    }, CHECK_MS).unref();
  };
  const unfollow = engine.store.follow(later);
  later();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    unfollow();
    await checking;
  };
}
