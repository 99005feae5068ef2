// Owns monotonic time, for measuring durations.

/** Milliseconds since this process started, with fractions. The platform's `performance` loads much more than a clock. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}
