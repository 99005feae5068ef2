// Owns measuring how far the clock of a server is ahead of ours, from the dates of its responses.
//
// - A difference of a few seconds counts as none: these dates are whole seconds, and responses take time to arrive.
// - A measurement counts when the next one confirms it: this machine may have slept while a response arrived.

const SAME_MS = 5000;

/** The clock of a server. */
export class ServerClock {
  private last = 0;
  private confirmed = 0;

  /** Measures with the `date` of a response that has just arrived. */
  note(date: unknown, now: number): void {
    const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    if (Number.isNaN(time)) return;
    const difference = Math.abs(time - now) < SAME_MS ? 0 : time - now;
    if (Math.abs(difference - this.last) < SAME_MS) this.confirmed = difference;
    this.last = difference;
  }

  /** How far the server is ahead, in milliseconds; negative if it is behind. */
  aheadMs(): number {
    return this.confirmed;
  }

  /** The same, measured with the last response only. */
  lastAheadMs(): number {
    return this.last;
  }
}
