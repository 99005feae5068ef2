import { expect, test } from 'vitest';
import type { StepModel } from './model.ts';
import { overlappingWriters, writtenBy } from './overlap.ts';

const writers = (...writes: (readonly string[] | undefined)[]): string[] =>
  [
    ...overlappingWriters(
      writes.map((list, index) => ({ id: `b${index}`, config: {}, ...(list === undefined ? {} : { writes: list }) }) as StepModel),
    ),
  ].sort();

test.each<[readonly string[], readonly string[], boolean]>([
  [['src/**'], ['src/a.ts'], true],
  [['src/**'], ['docs/**'], false],
  [['src/a.ts'], ['src/a.ts'], true],
  [['src/a.ts'], ['src/b.ts'], false],
  [['src/api/**'], ['src/**/*.ts'], true],
  [['**/*.md'], ['docs/**'], true],
  [['docs/*.md', 'src/x.ts'], ['test/**', 'src/*.ts'], true],
  [['src/\\a.ts'], ['src/a.ts'], true],
])('%j and %j overlap: %s', (one, other, does) => {
  expect(writers(one, other)).toEqual(does ? ['b0', 'b1'] : []);
});

test('only overlapping members are returned, and not one without patterns', () => {
  expect(writers(['src/**'], undefined, ['docs/**'], ['src/a.ts'])).toEqual(['b0', 'b3']);
});

test('declared output files count as written, unless the branch declares writes', () => {
  const outputs = [
    { type: 'file', pattern: 'src/**' },
    { type: 'comment', pattern: '' },
  ];
  expect(writtenBy({ outputs } as unknown as StepModel)).toEqual(['src/**']);
  expect(writtenBy({ outputs, writes: [] } as unknown as StepModel)).toEqual([]);
});
