// Owns the layout of a drawing, which dagre computes. The labels of arrows take up space like boxes, so that nothing is drawn
// over them.

import dagre from '@dagrejs/dagre';

/** Something to place, with its size. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

/** An arrow between boxes, by their positions in the list, with the size of its label. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly label: Box;
}

/** A place on the drawing: the middle of a box or a bend of an arrow. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The position of each box and label. The points of a link go from the edge of its first box to the edge of its last. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Point[];
  readonly links: readonly { readonly points: readonly Point[]; readonly label: Point }[];
}

/** Places boxes and links; a reader begins with the first box. */
export function layOut(boxes: readonly Box[], links: readonly Link[]): Layout {
  try {
    return place(boxes, links, new Set());
  } catch {
    // Dagre fails on some graphs with several links between the same two boxes, so the labels of all but the first become boxes.
    const pairs = links.map(({ from, to }) => (from < to ? `${from} ${to}` : `${to} ${from}`));
    return place(boxes, links, new Set(links.filter(({ from, to }, index) => from !== to && pairs.indexOf(pairs[index] ?? '') !== index)));
  }
}

function place(boxes: readonly Box[], links: readonly Link[], throughLabel: ReadonlySet<Link>): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, edgesep: 18, ranksep: 40 });
  for (const [index, box] of boxes.entries()) graph.setNode(String(index), { ...box });
  for (const [index, link] of links.entries()) {
    const [from, to, middle] = [String(link.from), String(link.to), `label ${index}`];
    if (!throughLabel.has(link)) graph.setEdge(from, to, { ...link.label, labelpos: 'c' }, String(index));
    else
      graph
        .setNode(middle, { ...link.label })
        .setEdge(from, middle, {})
        .setEdge(middle, to, {});
  }
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const placed = boxes.map((box, index) => ({ ...box, ...pointOf(graph.node(String(index))) }));
  return {
    width,
    height,
    boxes: placed.map(pointOf),
    links: links.map((link, index) => {
      const [from, to, middle] = [String(link.from), String(link.to), `label ${index}`];
      const [first, last] = [placed[link.from] as PlacedBox, placed[link.to] as PlacedBox];
      const bends = (a: string, b: string, name?: string): readonly Point[] => graph.edge(a, b, name).points.slice(1, -1);
      const isThrough = throughLabel.has(link);
      const label = pointOf(isThrough ? graph.node(middle) : graph.edge(from, to, String(index)));
      if (isThrough) return { label, points: joined(first, [...bends(from, middle), label, ...bends(middle, to)], last) };
      return { label, points: from === to ? loop(first, label) : joined(first, bends(from, to, String(index)), last) };
    }),
  };
}

type PlacedBox = Point & Box;

function pointOf({ x, y }: Point): Point {
  return { x, y };
}

/** An arrow leaves and enters at the top or the bottom of a box. */
function joined(first: PlacedBox, bends: readonly Point[], last: PlacedBox): Point[] {
  return [port(first, bends[0] as Point), ...bends, port(last, bends.at(-1) as Point)];
}

/** Where an arrow leaves a box: the farther to the side its first bend is, the nearer to the corner. */
function port({ x, y, width, height }: PlacedBox, bend: Point): Point {
  const offset = bend.x - x;
  return { x: x + (0.32 * width * offset) / (Math.abs(offset) + width / 2), y: y + (Math.sign(bend.y - y) * height) / 2 };
}

/** An arrow from a box to itself goes around its label, which is beside the box. */
function loop({ x, y, width, height }: PlacedBox, label: Point): Point[] {
  const [side, up] = [x + width / 2, height / 4];
  return [
    { x: side, y: y + up },
    { x: label.x, y: y + up },
    { x: label.x, y: y - up },
    { x: side, y: y - up },
  ];
}
