// Reads from the headers of an HTTP response when to try again.

/** The time from which another request makes sense; undefined if the headers do not say. Header names are in lower case. */
export function resumeTime(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms']);
  if (milliseconds > 0) return now + milliseconds;
  const after = headers['retry-after'];
  if (after !== undefined) {
    const time = isNumber(after) ? now + Number(after) * 1000 : Date.parse(after) - aheadMs(headers.date, now);
    return Number.isNaN(time) ? undefined : time;
  }
  const reset = headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'];
  if (reset === undefined || !isNumber(reset)) return undefined;
  // GitHub sends the time in seconds since 1970, others the seconds that are left.
  const seconds = Number(reset);
  return seconds > 1_000_000_000 ? seconds * 1000 - aheadMs(headers.date, now) : now + seconds * 1000;
}

/** A smaller difference does not count: responses take a moment, and their dates are in whole seconds. */
const SAME_MS = 30_000;

/** How far the clock of the server is ahead of ours, according to the date of its response. */
function aheadMs(date: string | undefined, now: number): number {
  const ahead = Date.parse(date ?? '') - now;
  return Math.abs(ahead) >= SAME_MS ? ahead : 0;
}

function isNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text.trim());
}
