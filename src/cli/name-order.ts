// Owns the order of names in a list.

/** Natural order: numbers in names compare by value, so `item-9` comes before `item-10`. */
export function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : a > b ? 1 : 0);
}
