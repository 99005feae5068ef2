// Owns how times are printed.

import { formatDuration } from '../base/duration.ts';

const SOON_MS = 1000;

/** How long ago: `3m ago`. */
export function agoText(at: number, now: number = Date.now()): string {
  return now - at < SOON_MS ? 'now' : `${formatDuration(Math.round((now - at) / 1000) * 1000)} ago`;
}

/** How long from now: `in 3m`. */
export function untilText(at: number, now: number = Date.now()): string {
  return at - now < SOON_MS ? 'now' : `in ${formatDuration(Math.round((at - now) / 1000) * 1000)}`;
}

/** The local time of day, for lines of a log: `14:03:22`. */
export function clockText(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
