// Takes over runs from a process that died while this server is open. A dying process sends no notification, so the server
// polls: but only while another process drives runs of its database.

import type { Engine } from '../api/engine.ts';
import { isDriven } from '../process/owner.ts';

/** How often to check whether other processes are alive. */
const CHECK_MS = 2000;

/** Takes over the runs of processes that died. Returns a function that stops it. */
export function watchOtherProcesses(engine: Engine, warn: (error: unknown) => void): () => Promise<void> {
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
