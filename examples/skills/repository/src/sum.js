// Adds entries up. Pure: the same entries give the same sums.

/** What entries can be grouped by. */
export const GROUPS = ['project', 'day'];

/** The minutes per group, in the order of the names. */
export function sumBy(entries, group) {
  const sums = new Map();
  for (const entry of entries) sums.set(entry[group], (sums.get(entry[group]) ?? 0) + entry.minutes);
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, minutes]) => ({ name, minutes }));
}

/** Minutes as people read them: 1h30. */
export function hoursText(minutes) {
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}`;
}
