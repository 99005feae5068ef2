import { expect, test } from 'vitest';
import { fixedFolders, fixedStart, isPlain, patternCost } from './pattern.ts';

test.each<[string, string, readonly string[]]>([
  ['README.md', 'README.md', []],
  ['docs/api/index.md', 'docs/api/index.md', ['docs', 'api']],
  ['docs/api/*.md', 'docs/api/', ['docs', 'api']],
  ['docs/api*/index.md', 'docs/api', ['docs']],
  ['docs/**', 'docs/', ['docs']],
  ['**/docs/a.md', '', []],
  ['{src,test}/a.ts', '', []],
  ['src/[ab].ts', 'src/', ['src']],
  ['src/+(a|b).ts', 'src/', ['src']],
  // An escaped character is written differently from the path it matches.
  ['src/a\\*/b.ts', 'src/a', ['src']],
])('%s spells out "%s", in the folders %j', (pattern, start, folders) => {
  expect(fixedStart(pattern)).toBe(start);
  expect(fixedFolders(pattern)).toEqual(folders);
  expect(isPlain(pattern)).toBe(start === pattern);
});

test.each<[string, string]>([
  ['{a,b}'.repeat(24), 'braces expand to more than 256'],
  ['{{a,b},{c,d}}'.repeat(6), 'braces expand to more than 256'],
  ['{1..100000}', 'braces expand to more than 256'],
  [`${'*a'.repeat(8)}b`, 'more than 4 wildcards'],
  [`${'**/'.repeat(9)}x`, 'more than 4 "**"'],
  ['+(a|aa)b', 'repeats a group'],
])('%s is rejected, because it could block the engine', (pattern, why) => {
  expect(patternCost(pattern)).toContain(why);
});

test.each(['src/**/*.{ts,tsx,js,jsx}', '{a,b}/{c,d}/{1..9}.md', '**/*.test.*.snap', 'a{b', '!(x)/*', 'docs/[ab]?.md'])(
  '%s is quick enough',
  (pattern) => {
    expect(patternCost(pattern)).toBeUndefined();
  },
);
