// Owns how a share is written: `80%` and `80` are the same, and a number of at most 1 is refused, because nobody can tell
// whether 0.8 is four fifths or less than one percent.

/** The share in percent, above 0 and at most 100, or undefined when it is not written as one. */
export function parsePercent(value: unknown): number | undefined {
  const percent = typeof value === 'string' ? fromText(value.trim()) : typeof value === 'number' && value > 1 ? value : undefined;
  return percent !== undefined && percent > 0 && percent <= 100 ? percent : undefined;
}

function fromText(text: string): number | undefined {
  const found = /^(\d{1,3}(?:\.\d{1,6})?)\s*(%?)$/.exec(text);
  if (found === null) return undefined;
  const number = Number(found[1]);
  return found[2] === '%' || number > 1 ? number : undefined;
}
