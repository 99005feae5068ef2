// Parses percentages: `80%` and `80` are the same, and a number of at most 1 is rejected, because 0.8 could mean four fifths
// or less than one percent.

/** A percentage above 0 and at most 100; undefined for anything else. */
export function parsePercent(value: unknown): number | undefined {
  const percent = typeof value === 'string' ? fromText(value.trim()) : typeof value === 'number' && value > 1 ? value : undefined;
  return percent !== undefined && percent > 0 && percent <= 100 ? percent : undefined;
}

function fromText(text: string): number | undefined {
  const match = /^(\d{1,3}(?:\.\d{1,6})?)\s*(%?)$/.exec(text);
  if (match === null) return undefined;
  const number = Number(match[1]);
  return match[2] === '%' || number > 1 ? number : undefined;
}
