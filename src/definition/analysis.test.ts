import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../authoring/graph/graph.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { cyclesOf, reachable, reversed, stepsOnCycles } from './analysis.ts';

const arrows = fc
  .integer({ min: 1, max: 9 })
  .chain((size) => fc.array(fc.array(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }));

/** Whether a path of at least one edge leads from one position to another, by trying every length. */
function leads(successors: readonly (readonly number[])[], from: number, to: number): boolean {
  let front = new Set(successors[from]);
  for (let length = 0; length < successors.length; length += 1) {
    if (front.has(to)) return true;
    front = new Set([...front, ...[...front].flatMap((node) => successors[node] ?? [])]);
  }
  return front.has(to);
}

describe('cycles', () => {
  test('contain exactly the positions that lead to themselves, grouped by leading to each other', () => {
    fc.assert(
      fc.property(arrows, (successors) => {
        const nodes = successors.map((_, index) => index);
        const cycles = cyclesOf(successors);
        expect(cycles.flat().sort()).toEqual(nodes.filter((node) => leads(successors, node, node)));
        for (const cycle of cycles) {
          const [first = 0] = cycle;
          const mutual = nodes.filter((node) => leads(successors, first, node) && leads(successors, node, first));
          expect([...cycle].sort()).toEqual(mutual);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('a ring of a hundred thousand steps does not overflow the stack', () => {
    const ring = Array.from({ length: 100_000 }, (_, index) => [(index + 1) % 100_000]);
    expect(cyclesOf(ring).map(({ length }) => length)).toEqual([100_000]);
  });
});

test('reversing every edge swaps reaching and being reached', () => {
  fc.assert(
    fc.property(arrows, (successors) => {
      const back = reversed(successors);
      successors.forEach((_, from) => {
        const seen = reachable(successors, [from]);
        for (const [to, isSeen] of seen.entries()) expect(reachable(back, [to])[from]).toBe(isSeen);
      });
    }),
    { numRuns: 100 },
  );
});

test("steps on cycles are those that a run can visit again, also by a person's option", () => {
  const { definition } = compileGraph(
    {
      name: 'wf',
      steps: [
        { id: 'before', next: 'work' },
        { id: 'work', next: 'ask' },
        {
          id: 'ask',
          human: {
            prompt: '?',
            options: [
              { label: 'Again', nextStep: 'work' },
              { label: 'Go on', nextStep: 'self' },
            ],
          },
        },
        { id: 'self', next: { ok: 'after', iterate: 'self' } },
        { id: 'after', next: null },
      ],
    },
    REGISTRY,
  );
  expect([...stepsOnCycles(definition)].sort()).toEqual(['ask', 'self', 'work']);
});
