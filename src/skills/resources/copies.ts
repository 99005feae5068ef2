// Finds copies of reference texts that differ from the original. A copy is a `<resource>` block with the name of a text and
// its digest, or lines between two marks, which a Markdown page does not show:
//
//     <!-- pawl resource severity 0123456789ab -->
//     …
//     <!-- end of severity -->
//
// A block without a digest counts as a copy if its first line is that of the original, because a project may use the same
// name for another text.

import { type ReferenceText, referenceText, referenceTexts, textDigest } from './conventions.ts';

/** A copy that differs from the original. */
export interface DriftedCopy {
  readonly name: string;
  /** The line on which the copy begins, from 1. */
  readonly line: number;
  /** `older`: the original has changed since it was copied. `edited`: the copy was changed. `unclosed`: it has no end. */
  readonly state: 'older' | 'edited' | 'unclosed';
  readonly message: string;
}

/** A text to copy into another one, between marks. */
export function markedCopy(name: string): string {
  const { text, digest } = referenceText(name);
  return `<!-- pawl resource ${name} ${digest} -->\n${text.trim()}\n<!-- end of ${name} -->\n`;
}

const MARK = /<!-- pawl resource ([a-z0-9-]+) ([0-9a-f]{6,64}) -->/g;
const BLOCK = /<resource name="([a-z0-9-]+)"(?: digest="([0-9a-f]{6,64})")?>/g;

/** The copies in a text that differ from the original, in order. */
export function driftedCopies(text: string): DriftedCopy[] {
  const plain = text.replaceAll('\r\n', '\n');
  const marked = [...plain.matchAll(MARK)].map((found) => ({ found, end: `<!-- end of ${found[1]} -->` }));
  const blocks = [...plain.matchAll(BLOCK)].map((found) => ({ found, end: '</resource>' }));
  return [...marked, ...blocks]
    .sort((a, b) => a.found.index - b.found.index)
    .flatMap(({ found, end }) => {
      const [head, name = '', digest] = found;
      const original = referenceTexts().find((text) => text.name === name);
      if (original === undefined) return [];
      const rest = plain.slice(found.index + head.length);
      const length = rest.indexOf(end);
      const state = length < 0 ? 'unclosed' : stateOf(original, rest.slice(0, length), digest);
      if (state === undefined) return [];
      const line = plain.slice(0, found.index).split('\n').length;
      return [{ name, line, state, message: MESSAGES[state](name, end) }];
    });
}

const MESSAGES: Readonly<Record<DriftedCopy['state'], (name: string, end: string) => string>> = {
  older: (name) => `the copy of "${name}" is of another version`,
  edited: (name) => `the copy of "${name}" was changed`,
  unclosed: (name, end) => `the copy of "${name}" has no end: "${end}" is missing`,
};

/** How a copy differs; undefined if it does not, or if it is not a copy. */
function stateOf(original: ReferenceText, body: string, digest: string | undefined): 'older' | 'edited' | undefined {
  // A block may have been pasted with or without its escapes.
  const versions = [body, body.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] as string)];
  const isVersion = (digest: string): boolean => versions.some((text) => textDigest(text) === digest);
  if (isVersion(original.digest)) return undefined;
  if (digest !== undefined) return isVersion(digest) ? 'older' : 'edited';
  return versions.some((text) => firstLine(text) === firstLine(original.text)) ? 'edited' : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

function firstLine(text: string): string | undefined {
  return text.trim().split('\n', 1)[0];
}
