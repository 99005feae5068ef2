import { expect, test } from 'vitest';
import { fixedFolders, fixedStart, isPlain } from './pattern.ts';

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
