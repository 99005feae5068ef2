// Owns the queue of a run's activations that wait for semaphores, and decides which of them try again when a slot may be
// free. Of several that wait for the same semaphores only the oldest tries, then the next one if it succeeded: if all tried,
// the cost of a fan-out would grow with the square of its width.

import type { Path } from '../../kernel/activation.ts';

interface Waiter {
  readonly path: Path;
  /** The semaphores it waits for, as one comparable string. */
  readonly label: string;
}

/** The activations of one run that found a semaphore full, oldest first. */
export class SlotQueue {
  private waiting: Waiter[] = [];
  private readonly tried = new Map<Path, Waiter>();

  get size(): number {
    return this.waiting.length;
  }

  has(path: Path): boolean {
    return this.waiting.some((waiter) => waiter.path === path);
  }

  clear(): void {
    this.waiting = [];
    this.tried.clear();
  }

  /** Adds an activation that found a semaphore full: at the end, or at the front if it tried again. */
  add(path: Path, keys: readonly string[]): void {
    const again = this.tried.get(path);
    if (again === undefined) this.waiting.push({ path, label: keys.join('\n') });
    else this.waiting.unshift(again);
    this.tried.delete(path);
  }

  /** Removes and returns the activations that should try now: for all semaphores, or only for those that `after` has just taken. */
  next(after?: { readonly path: Path; readonly keys: readonly string[] | undefined }): readonly Path[] {
    const label = after === undefined ? undefined : (this.tried.get(after.path)?.label ?? after.keys?.join('\n'));
    if (after !== undefined) this.tried.delete(after.path);
    const labels = new Set<string>();
    const next = this.waiting.filter((waiter) => {
      const isNext = (label === undefined || waiter.label === label) && !labels.has(waiter.label);
      if (isNext) labels.add(waiter.label);
      return isNext;
    });
    if (next.length === 0) return [];
    for (const waiter of next) this.tried.set(waiter.path, waiter);
    this.waiting = this.waiting.filter((waiter) => !next.includes(waiter));
    return next.map(({ path }) => path);
  }
}
