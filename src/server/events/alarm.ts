// Owns one timer for the nearest due time. Its work never runs twice at the same time.

import type { Clock } from '../../engine/clock.ts';
import type { Store } from '../../store/store.ts';

interface AlarmParts {
  readonly clock: Clock;
  readonly warn: (error: unknown) => void;
}

/** How long to wait after a failure, and at most in any case: another process may have changed the database meanwhile. */
const WAIT_MAX_MS = 60_000;

const REPEATS_MAX = 3;

/** Calls `work` when it is rung and when something is due. */
export abstract class Alarm<P extends AlarmParts = AlarmParts> {
  protected readonly parts: P;
  /** How long the last call of `work` took. */
  protected costMs = 0;
  private running: Promise<void> | undefined;
  private isRung = false;
  private isClosed = false;
  private cancel: (() => void) | undefined;

  constructor(parts: P) {
    this.parts = parts;
  }

  /** Does what is due, and returns when something is due next. */
  protected abstract work(): Promise<number | undefined>;

  /** Does what is due now. Resolves when that is done. */
  ring(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.isRung = true;
    this.running ??= this.turns().finally(() => {
      this.running = undefined;
      // It may have been rung after the last check.
      if (this.isRung) void this.ring();
    });
    return this.running;
  }

  /** Stops the timer, and resolves when the work has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel?.();
    await this.running;
  }

  private async turns(): Promise<void> {
    const { clock, warn } = this.parts;
    let repeats = 0;
    while (this.isRung && !this.isClosed) {
      this.isRung = false;
      this.cancel?.();
      const latest = clock.now() + WAIT_MAX_MS;
      const since = performance.now();
      let due: number | undefined;
      try {
        due = await this.work();
        this.costMs = performance.now() - since;
      } catch (error) {
        warn(error);
      }
      if (this.isClosed) return;
      // More can be due by now. What is still due after a few repeats cannot be done now, and waits.
      const isDue = due !== undefined && due <= clock.now();
      if (isDue && repeats < REPEATS_MAX) {
        repeats += 1;
        this.isRung = true;
      } else this.cancel = clock.at(isDue ? latest : Math.min(due ?? latest, latest), () => void this.ring());
    }
  }
}

/** The least pause between two checks. Checks may take a twentieth of the time. */
const PAUSE_MS = 250;
const COST_FACTOR = 20;

/** An alarm that also rings soon after a commit of any process. */
export abstract class CommitAlarm<P extends AlarmParts & { readonly store: Store }> extends Alarm<P> {
  private readonly unfollow: () => void;
  private pause: NodeJS.Timeout | undefined;

  /** Pauses for `pauseMs` before each check; by default in proportion to what the last check cost. */
  constructor(parts: P, pauseMs?: number) {
    super(parts);
    this.unfollow = parts.store.follow(() => this.ringIn(pauseMs ?? Math.max(PAUSE_MS, this.costMs * COST_FACTOR)));
  }

  override close(): Promise<void> {
    this.unfollow();
    clearTimeout(this.pause);
    return super.close();
  }

  private ringIn(ms: number): void {
    this.pause ??= setTimeout(() => {
      this.pause = undefined;
      void this.ring();
    }, ms);
    this.pause.unref();
  }
}
