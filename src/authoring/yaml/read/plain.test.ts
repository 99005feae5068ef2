// Owns the promise that the quick reading of YAML says nothing that the full reader would not say.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mutated } from '../../../../test/seeds/yaml-mutation.ts';
import { readPlain } from './plain.ts';
import { readSource } from './source.ts';

const SMALL = [
  'a: b',
  'b:',
  '- c',
  '- a: b',
  '- ',
  '-',
  'd: |',
  '- |',
  'd: |2',
  'd: >',
  'text',
  'x: y',
  '"q": 1',
  'e: "q"',
  "f: 'q' # c",
  '',
];
const ODD = [
  '# c',
  'g: [a, b]',
  'g: [a,b , ]',
  'h: {a: b, c: [1]}',
  'h: { }',
  'i: a: b',
  'j: a #b',
  'k: a#b',
  'l: "a" b',
  'm: [a',
  ']',
  '---',
  '...',
];
const VALUES = [
  'n: 1',
  'o: 01',
  'p: 0x1',
  'q: 1e3',
  'r: 30s',
  's: True',
  't: null',
  'u: ~',
  'v: -1',
  'w: .5',
  'y: 80%',
  'z: 1_0',
  'a: *b',
  'b: &b c',
];

/** What the quick reading gives, beside what the full reader gives of the same text. */
function both(text: string): [unknown, unknown] | undefined {
  const quick = readPlain(text);
  return quick === undefined ? undefined : [quick, readSource(text, { isQuick: false }).root];
}

describe('what is read quickly is what the full reader reads, places included', () => {
  it('in files of the seed that were changed at random', () => {
    let compared = 0;
    for (let seed = 1; seed <= 4000; seed += 1) {
      const pair = both(mutated(seed));
      if (pair === undefined) continue;
      compared += 1;
      expect(pair[0], `seed ${seed}`).toStrictEqual(pair[1]);
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('in small files of rows that do not go together', () => {
    let compared = 0;
    const row = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(...SMALL, ...ODD, ...VALUES));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 6 }), (rows) => {
        const pair = both(`${rows.map(([indent, words]) => ' '.repeat(indent) + words).join('\n')}\n`);
        if (pair === undefined) return;
        compared += 1;
        expect(pair[0]).toStrictEqual(pair[1]);
      }),
      { numRuns: 100_000, seed: 7 },
    );
    expect(compared).toBeGreaterThan(500);
  });
});

describe('what is not plain is left to the full reader', () => {
  it.each([
    ['an alias', 'a: &a b\nc: *a\n'],
    ['a key that is written twice', 'a: 1\na: 2\n'],
    ['a key that means something else', '__proto__: 1\n'],
    ['a text that goes on', 'a: b\n  c\n'],
    ['a tab', 'a:\tb\n'],
    ['a sign that cannot be shown', 'a: "b\u0007"\n'],
    ['a value that is missing', 'a:\nb: 1\n'],
    ['a file without an end of line', 'a: 1'],
    ['more values than are counted', `a: [${'b,'.repeat(20_000)}b]\n`],
    ['more levels than are usual', `a: ${'['.repeat(40)}${']'.repeat(40)}\n`],
  ])('%s', (_, text) => {
    expect(readPlain(text)).toBeUndefined();
  });
});
