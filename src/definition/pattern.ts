// Owns the special characters of path patterns: how much of a path a pattern fixes, and which patterns take too long to
// match. The matcher tries alternatives one by one, so a short pattern could otherwise block the engine for minutes.

const SPECIAL = /[*?[\]{}()!+@\\]/;

/** Whether a pattern is a plain path without special characters. */
export function isPlain(pattern: string): boolean {
  return !SPECIAL.test(pattern);
}

/** Returns the part of a pattern before its first special character. */
export function fixedStart(pattern: string): string {
  const end = pattern.search(SPECIAL);
  return end === -1 ? pattern : pattern.slice(0, end);
}

/** Returns the fixed folders of a pattern, outermost first: everything it matches is below them. */
export function fixedFolders(pattern: string): readonly string[] {
  return fixedStart(pattern).split('/').slice(0, -1);
}

const ALTERNATIVES_MAX = 256;
const WILDCARDS_MAX = 4;
const RANGE = /\{(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?\}/g;

/** Returns why matching a pattern could take too long, or undefined if it cannot. */
export function patternCost(pattern: string): string | undefined {
  if (isPlain(pattern)) return undefined;
  if (countAlternatives(pattern) > ALTERNATIVES_MAX)
    return `its braces expand to more than ${ALTERNATIVES_MAX} patterns; write fewer alternatives, or use *`;
  const segments = pattern.split('/');
  if (segments.filter((segment) => segment === '**').length > WILDCARDS_MAX) return `it has more than ${WILDCARDS_MAX} "**"; use fewer`;
  if (/[*+]\(/.test(pattern)) return 'it repeats a group with +( ) or *( ); write {a,b} or * instead';
  const isWild = segments.some((segment) => (segment.replaceAll(/\*+/g, '*').match(/\*|!\(/g)?.length ?? 0) > WILDCARDS_MAX);
  return isWild ? `one of its names has more than ${WILDCARDS_MAX} wildcards; use fewer` : undefined;
}

/** How many patterns the braces of a pattern stand for: groups side by side multiply, alternatives add up. */
function countAlternatives(pattern: string): number {
  let ranges = 1;
  for (const [, from, to] of pattern.matchAll(RANGE)) ranges *= Math.abs(Number(to) - Number(from)) + 1;
  const open: { sum: number; product: number }[] = [];
  let at = { sum: 0, product: 1 };
  for (const sign of pattern.replaceAll(RANGE, '')) {
    if (sign === '{') {
      open.push(at);
      at = { sum: 0, product: 1 };
    } else if (sign === ',' && open.length > 0) at = { sum: at.sum + at.product, product: 1 };
    else if (sign === '}' && open.length > 0) {
      const inside = at.sum + at.product;
      at = open.pop() as typeof at;
      at.product *= inside;
    }
  }
  // A brace that is never closed stands for itself.
  return open.concat(at).reduce((count, { sum, product }) => count * (sum + product), ranges);
}
