import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Box, type Link, layOut, type Point } from './layout.ts';

const BOX: Box = { width: 100, height: 40 };
const LABEL: Box = { width: 60, height: 14 };

/** Graphs of up to twelve boxes with any links: cycles, links to themselves, several between the same two. */
const graphs = fc.integer({ min: 1, max: 12 }).chain((count) => {
  const node = fc.integer({ min: 0, max: count - 1 });
  return fc.record({
    boxes: fc.constant(Array.from({ length: count }, () => BOX)),
    links: fc.array(fc.record({ from: node, to: node, label: fc.constant(LABEL) }), { maxLength: 24 }),
  });
});

function overlap(a: Point & Box, b: Point & Box): boolean {
  const room = 0.01;
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 - room && Math.abs(a.y - b.y) < (a.height + b.height) / 2 - room;
}

function placed(boxes: readonly Box[], links: readonly Link[]): (Point & Box)[] {
  const layout = layOut(boxes, links);
  return [
    ...layout.boxes.map((point, index) => ({ ...point, ...(boxes[index] as Box) })),
    ...layout.links.map(({ label }, index) => ({ ...label, ...(links[index] as Link).label })),
  ];
}

describe('a layout', () => {
  test('the layout of any graph has no overlapping boxes and labels', () => {
    fc.assert(
      fc.property(graphs, ({ boxes, links }) => {
        const all = placed(boxes, links);
        const clashes = all.flatMap((a, index) => all.slice(index + 1).filter((b) => overlap(a, b)));
        expect(clashes).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('the layout of several links between the same two boxes has no overlapping boxes and labels', () => {
    const ends = ['3 2', '0 3', '1 3', '2 1', '3 1', '3 1', '0 1'].map((pair) => pair.split(' ').map(Number));
    const links = ends.map(([from = 0, to = 0]) => ({ from, to, label: LABEL }));
    const all = placed([BOX, BOX, BOX, BOX], links);
    expect(all.flatMap((a, index) => all.slice(index + 1).filter((b) => overlap(a, b)))).toEqual([]);
  });

  test('the layout of any graph fits its size', () => {
    fc.assert(
      fc.property(graphs, ({ boxes, links }) => {
        const { width, height } = layOut(boxes, links);
        for (const box of placed(boxes, links)) {
          expect(box.x - box.width / 2).toBeGreaterThanOrEqual(-0.01);
          expect(box.x + box.width / 2).toBeLessThanOrEqual(width + 0.01);
          expect(box.y + box.height / 2).toBeLessThanOrEqual(height + 0.01);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('a layout goes down from the first box, and only links that close a cycle go up', () => {
    const chain = [0, 1, 2].map((from) => ({ from, to: (from + 1) % 3, label: LABEL }));
    const { boxes, links } = layOut([BOX, BOX, BOX], chain);
    expect(boxes.map(({ y }) => y)).toEqual([...boxes.map(({ y }) => y)].sort((a, b) => a - b));
    const [, , back] = links;
    expect(back?.points[0]?.y).toBeGreaterThan(back?.points.at(-1)?.y as number);
  });

  test('no two arrows of a layout end at the same point of a box', () => {
    const links = [
      { from: 0, to: 1, label: LABEL },
      { from: 1, to: 0, label: LABEL },
    ];
    const layout = layOut([BOX, BOX], links);
    expect(layout.links[0]?.points[0]?.x).not.toBe(layout.links[1]?.points.at(-1)?.x);
  });

  test('the layout of three hundred steps with links back is computed in time', () => {
    const boxes = Array.from({ length: 300 }, () => BOX);
    const rows = boxes.slice(1).map((_, from) => ({ from, to: from + 1, label: LABEL }));
    const back = Array.from({ length: 10 }, (_, n) => ({ from: 299 - n, to: n, label: LABEL }));
    expect(layOut(boxes, [...rows, ...back]).boxes).toHaveLength(300);
  });
});
