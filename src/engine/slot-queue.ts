// Owns which activations of a run wait for semaphores, and which of them are tried when a place may have come free. Of
// those that wait for the same semaphores the oldest is tried, and the next one only when that one got its place: to
// try all of them would cost a wide fan-out the square of its width.

import type { Path } from '../kernel/activation.ts';

interface Waiter {
  readonly path: Path;
  /** What it waits for: equal for equal semaphores. */
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

  /** One that found a semaphore full: at the end, or in front where it was tried again. */
  add(path: Path, keys: readonly string[]): void {
    const again = this.tried.get(path);
    if (again === undefined) this.waiting.push({ path, label: keys.join('\n') });
    else this.waiting.unshift(again);
    this.tried.delete(path);
  }

  /** Takes out what is to be tried: for all semaphores, or for those of one that did not find them full. */
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
