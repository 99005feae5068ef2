// Decides when an engine that drives all runs searches for runs to pick up: when the store signals a change, and at the
// nearest due time. Nothing is polled (E6).

import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';

/** Dependencies of `WakeUpTimer`. */
interface WakeUpTimerParts {
  readonly store: Pick<Store, 'nextDue'>;
  readonly clock: Clock;
  /** False for an engine that drives only its own runs, or is closing. */
  readonly isOn: () => boolean;
  /** Finds runs and picks them up. */
  readonly sweep: () => Promise<unknown>;
  readonly warn: (error: unknown) => void;
}

/** One timer and one sweep at a time. */
export class WakeUpTimer {
  private readonly parts: WakeUpTimerParts;
  private cancelTimer: (() => void) | undefined;
  private timerAt: number | undefined;
  private sweeping: Promise<void> | undefined;
  private sweepsAgain = false;

  constructor(parts: WakeUpTimerParts) {
    this.parts = parts;
  }

  /** The sweep under way. */
  get swept(): Promise<void> | undefined {
    return this.sweeping;
  }

  /** Searches for runs to pick up, in the background. */
  sweepSoon(): void {
    if (!this.parts.isOn()) return;
    // A signal during a sweep may be about a run that the sweep already checked.
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

  /**
   * Sleeps until the next due time. Runs that were due at the sweep have been tried, so searching again immediately
   * would be a busy loop.
   */
  async arm(sweptAt: number, again: number | undefined): Promise<void> {
    const due = await this.parts.store.nextDue(sweptAt);
    const next = Math.min(due ?? Number.POSITIVE_INFINITY, again ?? Number.POSITIVE_INFINITY);
    if (next !== Number.POSITIVE_INFINITY) this.setTimer(next);
  }

  /** Sleeps at most until the given time. */
  wakeBy(at: number): void {
    if (this.timerAt === undefined || at < this.timerAt) this.setTimer(at);
  }

  /** Stops permanently. */
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
