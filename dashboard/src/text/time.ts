// Formats times, durations, amounts and sizes.

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A duration in its two largest units: `2h 5m`, `4.2s`, `80ms`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '';
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)}s`;
  const first = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[first] ?? UNITS[3];
  const next = UNITS[first + 1];
  const left = next === undefined ? 0 : Math.floor((ms % size) / next[1]);
  return `${Math.floor(ms / size)}${unit}${next === undefined || left === 0 ? '' : ` ${left}${next[0]}`}`;
}

/** How long ago, or how soon: `4m ago`, `in 2h`. */
export function relative(at: string | null | undefined, now: number): string {
  if (at === null || at === undefined) return '';
  const ms = now - Date.parse(at);
  if (Math.abs(ms) < 5_000) return 'now';
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? UNITS[3];
  const words = `${Math.floor(Math.abs(ms) / size)}${unit}`;
  return ms > 0 ? `${words} ago` : `in ${words}`;
}

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** A moment in full, in the zone of the reader. */
export function moment(at: string | null | undefined): string {
  return at === null || at === undefined ? '' : MOMENT.format(new Date(at));
}

/** The time of day. */
export function clock(at: string | number): string {
  return CLOCK.format(new Date(at));
}

/** A price in dollars, with cents, or more digits if it is small. */
export function price(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return '';
  return `$${Math.abs(cost) < 0.1 ? cost.toFixed(4).replace(/0{1,2}$/, '') : cost.toFixed(2)}`;
}

/** A count in short: `1.2k`, `3.4M`. */
export function amount(count: number | null | undefined): string {
  if (count === null || count === undefined) return '';
  if (count < 1_000) return String(count);
  const [size, letter] = count < 1_000_000 ? [1_000, 'k'] : [1_000_000, 'M'];
  return `${(count / size).toFixed(count / size < 10 ? 1 : 0)}${letter}`;
}

/** A size in bytes, in short. */
export function size(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
