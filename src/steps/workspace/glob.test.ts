import { posix } from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { matches } from './glob.ts';

const name = fc.constantFrom('a', 'b', '.git', 'hooks', '.x', 'a.md', 'tests');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const longer = fc.tuple(path, fc.constantFrom('', 'a', '.md')).map((parts) => parts.join(''));
const pattern = fc.oneof(
  path,
  path.map((folder) => `${folder}/**`),
  path.map((folder) => `${folder}/*.md`),
  fc.tuple(path, fc.constantFrom('*', '?', '*/b', '@(a|b)', '!(b)', '{,/b}', '[a-z]', '\\*')).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('./', '../', './/', '!', '.', ''), path).map((parts) => `${parts.join('')}*`),
  fc.constantFrom('**', '*', '**/*.md', '.git/hooks/**', '{a,b}/**', 'a/../b*'),
);

test('a path matches as in Node', () => {
  fc.assert(
    fc.property(longer, pattern, (one, other) => matches(one, other) === posix.matchesGlob(one, other)),
    { numRuns: 4000 },
  );
});
