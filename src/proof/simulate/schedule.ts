// Owns the order of everything that happens in a simulation. Whatever would end by itself in the real world (an answer
// of the disk, an attempt, a timer, a bell) is a pending event here, and the seed decides which one comes next.
//
// - Between two events everything that follows from the first one by promises alone has happened.
// - Time does not pass while something can happen now, except when the seed lets it.

import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import type { Random } from './random.ts';

interface PendingEvent {
  readonly owner: string;
  readonly name: string;
  readonly happen: () => void | Promise<void>;
}

/** The owner of events that no engine causes. */
export const NOBODY = '';

/** The pending events of one simulation. */
export class Schedule {
  readonly clock: VirtualClock;
  /** The events so far, in order. */
  readonly trace: string[] = [];
  /** The probability that time passes although something could happen now. */
  timeChance = 0;
  private readonly random: Random;
  private pending: PendingEvent[] = [];
  private readonly gone = new Set<string>();

  constructor(clock: VirtualClock, random: Random) {
    this.clock = clock;
    this.random = random;
  }

  /** Schedules something at a moment that the seed chooses; it does not happen if its owner no longer exists by then. */
  soon(owner: string, name: string, happen: () => void | Promise<void>): void {
    if (!this.gone.has(owner)) this.pending.push({ owner, name, happen });
  }

  /** Schedules something after some time, and returns a function that cancels it. */
  after(owner: string, ms: number, event: { readonly name: string; readonly happen: () => void | Promise<void> }): () => void {
    return this.at(owner, this.clock.now() + ms, event);
  }

  private at(owner: string, time: number, { name, happen }: { name: string; happen: () => void | Promise<void> }): () => void {
    let calledOff = false;
    const cancel = this.clock.at(time, () => this.soon(owner, name, () => (calledOff ? undefined : happen())));
    return () => {
      calledOff = true;
      cancel();
    };
  }

  /** Time as one owner sees it: its clock may be wrong by some milliseconds, and its timers end with it. */
  clockOf(owner: string, skewMs: number): Clock {
    return {
      now: () => this.clock.now() + skewMs,
      at: (time, wake) => this.at(owner, time - skewMs, { name: `${owner} timer`, happen: wake }),
    };
  }

  drop(owner: string): void {
    this.gone.add(owner);
    this.pending = this.pending.filter((event) => event.owner !== owner);
  }

  /** Runs the next event; returns false if there is none. */
  async step(): Promise<boolean> {
    const { pending, random } = this;
    if (pending.length === 0 || random.chance(this.timeChance)) {
      const next = this.clock.next();
      if (next !== undefined) this.clock.advance(Math.max(0, next - this.clock.now()));
      else if (pending.length === 0) return false;
    }
    if (pending.length > 0) {
      const [event] = pending.splice(random.int(0, pending.length - 1), 1) as [PendingEvent];
      this.trace.push(`${this.clock.now()} ${event.name}`);
      await event.happen();
    }
    await turn();
    return true;
  }
}
