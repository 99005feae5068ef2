// Owns the parsing of durations such as `30s`, `10m`, `24h`, `400d` and `1h30m`. Inside the engine a duration is always
// a number of milliseconds.

import { EngineError } from './error.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
/** The units that are printed, from days to seconds. */
const PRINTED_UNITS = Object.entries(UNIT_MS)
  .filter(([unit]) => unit !== 'w' && unit !== 'ms')
  .reverse();
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g;

/** A duration as users write it: `90s`, `1h30m`, or a number of milliseconds. */
export type Duration = string | number;

/** Parses the duration of a setting into milliseconds. */
export function parseDuration(duration: Duration, setting: string): number {
  const ms = durationOf(duration);
  if (ms === undefined)
    throw new EngineError(
      'DEFINITION_INVALID',
      `${setting}: ${JSON.stringify(duration)} is not a duration; write one such as "30s", "10m", "24h" or "400d"`,
    );
  return ms;
}

/** The milliseconds of a duration; undefined if it is not one. */
export function durationOf(duration: Duration): number | undefined {
  const ms = typeof duration === 'number' ? duration : parseText(duration);
  return ms === undefined || !Number.isFinite(ms) || ms < 0 || ms > Number.MAX_SAFE_INTEGER ? undefined : Math.round(ms);
}

function parseText(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  if (!DURATION.test(trimmed)) return undefined;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit as string] as number);
  return total;
}

/** Formats milliseconds for people: `1h 5m`, `45s`, `120ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${Math.round(ms / 100) / 10}s`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1000) * 1000;
  for (const [unit, size] of PRINTED_UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count}${unit}`);
  }
  return parts.join(' ');
}

/** A duration in the largest unit of which it is a multiple, so that nothing is rounded; a day and less stays in hours. */
export function writeDuration(ms: number): string {
  const [unit, size] = PRINTED_UNITS.find(([name, each]) => ms >= each && ms % each === 0 && (name !== 'd' || ms > 2 * each)) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
