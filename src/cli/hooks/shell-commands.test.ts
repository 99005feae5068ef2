import { expect, test } from 'vitest';
import { cpuTimeMs } from '../../../test/cpu-time.ts';
import { callsIn } from './shell-commands.ts';

test.each<[string, unknown]>([
  ['pawl approve r1 --yes', [{ words: ['pawl', 'approve', 'r1', '--yes'], writes: [] }]],
  ['cd x && npx pawl decide "a b"; ls', [['cd', 'x'], ['npx', 'pawl', 'decide', 'a b'], ['ls']].map((words) => ({ words, writes: [] }))],
  ["echo 'a > b' >> out.txt 2>/dev/null", [{ words: ['echo', 'a > b'], writes: ['out.txt', '/dev/null'] }]],
  ['x=$(pawl approve r)', [[], ['pawl', 'approve', 'r']].map((words) => ({ words, writes: [] }))],
  [
    'echo a\\ b|tee c',
    [
      ['echo', 'a b'],
      ['tee', 'c'],
    ].map((words) => ({ words, writes: [] })),
  ],
])('a shell line is parsed into its calls: %s', (line, calls) => {
  expect(callsIn(line).map(({ words, writes }) => ({ words, writes }))).toEqual(calls);
});

test('a script after sh -c is parsed as well', () => {
  expect(callsIn(`bash -lc "pawl approve 'r1'"`).map(({ words }) => words)).toContainEqual(['pawl', 'approve', 'r1']);
});

test('cd applies until the end of its subshell, and an unknown folder is not guessed', () => {
  const folders = callsIn('a; (cd x/y; b); c; cd ../z && d; cd "$HOME"; e; cd /q; f').map(({ words: [name = ''], folder }) => [
    name,
    folder,
  ]);
  expect(folders.filter(([name]) => name !== 'cd')).toEqual([
    ['a', ''],
    ['b', 'x/y'],
    ['c', ''],
    ['d', '../z'],
    ['e', undefined],
    ['f', '/q'],
  ]);
});

test('a line of a megabyte is parsed in less than three seconds', () => {
  const began = cpuTimeMs();
  callsIn(`${'a "'.repeat(200_000)} ${'$('.repeat(100_000)}`);
  callsIn('cat <<E\n'.repeat(120_000));
  expect(cpuTimeMs() - began).toBeLessThan(3000);
});
