// Owns the time that only goes forward, for how long something takes.

/** Milliseconds since this process began, with fractions. The platform's `performance` loads much more than a clock. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}
