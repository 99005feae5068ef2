// Formats times.

import { formatDuration } from '../base/duration.ts';

const SOON_MS = 1000;

/** How long ago: `3m ago`. */
export function agoText(at: number): string {
  const ms = Date.now() - at;
  return ms < SOON_MS ? 'now' : `${formatDuration(Math.round(ms / 1000) * 1000)} ago`;
}

/** How long from now: `in 3m`. */
export function untilText(at: number): string {
  const ms = at - Date.now();
  return ms < SOON_MS ? 'now' : `in ${formatDuration(Math.round(ms / 1000) * 1000)}`;
}

/** The local time of day, for lines of a log: `14:03:22`. */
export function clockText(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

const SAME_CLOCK_MS = 12 * 3_600_000;

/** A future time: the time of day, with the date if the time alone could be misread: `2026-11-18 14:03:22`. */
export function dueText(at: number, now: number): string {
  if (Math.abs(at - now) < SAME_CLOCK_MS) return clockText(at);
  const day = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())} ${clockText(at)}`;
}
