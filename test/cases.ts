// Owns how many cases a test of a property tries: a fifth in the gate, all of them in `npm run proof`, which sets
// PROPERTY_CASES to 1, or to more for a longer look.

const SHARE = Number(process.env.PROPERTY_CASES ?? 0.2);

/** The number of cases to try, of so many. */
export function casesOf(all: number): number {
  return Math.ceil(all * SHARE);
}
