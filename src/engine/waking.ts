// Owns when an engine that drives everything looks for runs to take up: after a ring, and at the nearest due time. Nothing
// is polled (E6).

import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';

/** What waking is made of. */
interface WakingParts {
  readonly store: Pick<Store, 'nextDue'>;
  readonly clock: Clock;
  /** False for an engine that drives its own runs only, or is closing: it is not woken. */
  readonly isOn: () => boolean;
  /** Looks for runs and takes them up. */
  readonly sweep: () => Promise<unknown>;
  readonly warn: (error: unknown) => void;
}

/** One timer and one sweep at a time. */
export class Waking {
  private readonly parts: WakingParts;
  private cancelTimer: (() => void) | undefined;
  private timerAt: number | undefined;
  private sweeping: Promise<void> | undefined;
  private sweepsAgain = false;

  constructor(parts: WakingParts) {
    this.parts = parts;
  }

  /** The sweep under way. */
  get swept(): Promise<void> | undefined {
    return this.sweeping;
  }

  /** Looks for runs to take up, in the background. */
  sweepSoon(): void {
    if (!this.parts.isOn()) return;
    // A ring that comes while a sweep is looking may be about something it looked at already.
    if (this.sweeping !== undefined) {
      this.sweepsAgain = true;
      return;
    }
    this.sweeping = Promise.resolve()
      .then(() => this.parts.sweep())
      .then(() => undefined)
      .catch((error: unknown) => this.parts.warn(error))
      .finally(() => {
        this.sweeping = undefined;
        if (!this.sweepsAgain) return;
        this.sweepsAgain = false;
        this.sweepSoon();
      });
  }

  /** Sleeps until the next due time. What was due at the sweep has been tried: looking again at once would be a busy loop. */
  async arm(sweptAt: number, again: number | undefined): Promise<void> {
    const due = await this.parts.store.nextDue(sweptAt);
    const next = Math.min(due ?? Number.POSITIVE_INFINITY, again ?? Number.POSITIVE_INFINITY);
    if (next !== Number.POSITIVE_INFINITY) this.setTimer(next);
  }

  /** Sleeps no longer than until then. */
  wakeBy(at: number): void {
    if (this.timerAt === undefined || at < this.timerAt) this.setTimer(at);
  }

  /** Sleeps for good. */
  stop(): void {
    this.cancelTimer?.();
  }

  private setTimer(due: number): void {
    if (!this.parts.isOn()) return;
    this.cancelTimer?.();
    this.timerAt = due;
    this.cancelTimer = this.parts.clock.at(due, () => {
      this.timerAt = undefined;
      this.sweepSoon();
    });
  }
}
