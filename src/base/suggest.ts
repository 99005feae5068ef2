// Owns "did you mean": the nearest known name, if it is near enough to be a typo.

/** Returns ` (did you mean "x"?)` for the nearest name, or an empty string, to append to a message. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

/** A phrase for each field of an object that is not among the known ones: `unknown option "retires" (did you mean "retries"?)`. */
export function unknownFields(object: object, known: readonly string[], what = 'option'): string[] {
  return Object.keys(object)
    .filter((field) => !known.includes(field))
    .map((field) => `unknown ${what} "${field}"${didYouMean(field, known)}`);
}

/** Returns the known name within a small edit distance of the given one, if there is one. */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(given.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    if (Math.abs(name.length - given.length) > limit) continue;
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min((previous[j] as number) + 1, (current[j - 1] as number) + 1, substitution);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforePrevious[j - 2] as number) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
