// Owns the order of names in a list.

/** Natural order: numbers in names compare by value, so `item-9` comes before `item-10`. */
export function compareNames(a: string, b: string): number {
  const [parts, others] = [a, b].map((text) => text.toLowerCase().split(/(\d+)/)) as [string[], string[]];
  for (const [index, part] of parts.entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    // Every second part is digits.
    const difference = index % 2 === 1 ? Number(part) - Number(other) : 0;
    if (difference !== 0) return difference;
    if (part !== other) return part < other ? -1 : 1;
  }
  return parts.length - others.length || (a < b ? -1 : a > b ? 1 : 0);
}
