// Owns where the boxes and arrows of a drawing lie: boxes in layers by their longest way from the entry, arrows through
// points of their own in every layer between, crossings made few by sweeps over the layers. Labels of arrows take a
// place in a layer like boxes do, so that nothing is drawn over them.

/** Something with a size, to be placed. */
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

/** Where everything lies. The points of a link go from the middle of its first box to the middle of its last. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Point[];
  readonly links: readonly { readonly points: readonly Point[]; readonly label: Point }[];
}

const GAP_X = 28;
const GAP_Y = 20;
const SWEEPS = 8;

interface Cell extends Box {
  readonly layer: number;
  readonly up: number[];
  readonly down: number[];
  x: number;
}

/** Places boxes and links; the first box is where reading begins. */
export function layOut(boxes: readonly Box[], links: readonly Link[]): Layout {
  const isBack = backLinks(boxes.length, links);
  const layers = layersOf(boxes.length, links, isBack);
  const { cells, chains } = createCells(boxes, links, { isBack, layers });
  const rows = orderRows(cells);
  alignRows(cells, rows);
  return measure(cells, rows, { boxes, chains });
}

/** Which links close a cycle, found by walking in depth from the first box on. A link to itself does. */
function backLinks(count: number, links: readonly Link[]): readonly boolean[] {
  const out: number[][] = Array.from({ length: count }, () => []);
  links.forEach(({ from }, index) => {
    out[from]?.push(index);
  });
  const state: ('new' | 'open' | 'done')[] = Array.from({ length: count }, () => 'new');
  const isBack = links.map(() => false);
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== 'new') continue;
    const walk = [{ node: root, next: 0 }];
    state[root] = 'open';
    for (let visit = walk.at(-1); visit !== undefined; visit = walk.at(-1)) {
      const index = out[visit.node]?.[visit.next];
      visit.next += 1;
      if (index === undefined) {
        state[visit.node] = 'done';
        walk.pop();
        continue;
      }
      const { to } = links[index] as Link;
      if (state[to] === 'open') isBack[index] = true;
      else if (state[to] === 'new') {
        state[to] = 'open';
        walk.push({ node: to, next: 0 });
      }
    }
  }
  return isBack;
}

/** The layer of each box: twice its longest way from a box that nothing leads to, so that labels fit between. */
function layersOf(count: number, links: readonly Link[], isBack: readonly boolean[]): number[] {
  const out: number[][] = Array.from({ length: count }, () => []);
  const waiting = Array.from({ length: count }, () => 0);
  links.forEach(({ from, to }, index) => {
    if (isBack[index] === true) return;
    out[from]?.push(to);
    waiting[to] = (waiting[to] ?? 0) + 1;
  });
  const layer = Array.from({ length: count }, () => 0);
  const ready = waiting.flatMap((links, node) => (links === 0 ? [node] : []));
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const to of out[node] ?? []) {
      layer[to] = Math.max(layer[to] as number, (layer[node] as number) + 2);
      waiting[to] = (waiting[to] as number) - 1;
      if (waiting[to] === 0) ready.push(to);
    }
  }
  return layer;
}

interface Chain {
  /** The cells of a link from its first box to its last. */
  readonly cells: readonly number[];
  readonly label: number;
}

function createCells(
  boxes: readonly Box[],
  links: readonly Link[],
  { isBack, layers }: { readonly isBack: readonly boolean[]; readonly layers: readonly number[] },
): { readonly cells: Cell[]; readonly chains: readonly Chain[] } {
  const cells: Cell[] = boxes.map(({ width, height }, index) => ({
    width,
    height,
    layer: layers[index] as number,
    up: [],
    down: [],
    x: 0,
  }));
  const add = (layer: number, { width, height }: Box): number => cells.push({ width, height, layer, up: [], down: [], x: 0 }) - 1;
  const chains = links.map((link, index): Chain => {
    // A link back is led the other way round through the layers, and drawn from its own beginning all the same.
    const [top, bottom] = isBack[index] === true ? [link.to, link.from] : [link.from, link.to];
    if (top === bottom) return besideItself(cells, add, { node: top, label: link.label });
    const first = layers[top] as number;
    const last = layers[bottom] as number;
    const middle = first + (isBack[index] === true ? last - first - 1 : 1);
    const between = Array.from({ length: last - first - 1 }, (_, step) => first + 1 + step);
    const path = [top, ...between.map((layer) => add(layer, layer === middle ? link.label : { width: 2, height: 2 })), bottom];
    connect(cells, path);
    const label = path[middle - first] as number;
    return { cells: isBack[index] === true ? path.toReversed() : path, label };
  });
  return { cells, chains };
}

/** A link to its own box goes down beside it and up again. */
function besideItself(
  cells: Cell[],
  add: (layer: number, box: Box) => number,
  { node, label }: { readonly node: number; readonly label: Box },
): Chain {
  const cell = add((cells[node] as Cell).layer + 1, label);
  connect(cells, [node, cell]);
  return { cells: [node, cell, node], label: cell };
}

function connect(cells: readonly Cell[], path: readonly number[]): void {
  for (let step = 1; step < path.length; step += 1) {
    const [above, below] = [path[step - 1] as number, path[step] as number];
    cells[above]?.down.push(below);
    cells[below]?.up.push(above);
  }
}

/** The cells of each layer from left to right, with few crossings: each goes to the mean place of its neighbours. */
function orderRows(cells: readonly Cell[]): number[][] {
  const rows: number[][] = [];
  cells.forEach(({ layer }, index) => {
    rows[layer] ??= [];
    rows[layer].push(index);
  });
  const filled = Array.from(rows, (row) => row ?? []);
  const place = new Map<number, number>();
  const note = (row: readonly number[]): void => row.forEach((cell, at) => void place.set(cell, at));
  filled.forEach(note);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const side = sweep % 2 === 0 ? 'up' : 'down';
    const order = side === 'up' ? filled : filled.toReversed();
    for (const row of order) {
      const wish = new Map(
        row.map((cell) => [cell, meanOf((cells[cell] as Cell)[side], (other) => place.get(other) ?? 0) ?? place.get(cell) ?? 0]),
      );
      row.sort((a, b) => (wish.get(a) as number) - (wish.get(b) as number));
      note(row);
    }
  }
  return filled;
}

function meanOf(cells: readonly number[], of: (cell: number) => number): number | undefined {
  return cells.length === 0 ? undefined : cells.reduce((sum, cell) => sum + of(cell), 0) / cells.length;
}

/** Gives each cell its x: near its neighbours, in the order of its row, never over the next one. */
function alignRows(cells: readonly Cell[], rows: readonly (readonly number[])[]): void {
  for (const row of rows) {
    let x = 0;
    for (const index of row) {
      const cell = cells[index] as Cell;
      cell.x = x + cell.width / 2;
      x += cell.width + GAP_X;
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const order = sweep % 2 === 0 ? rows : rows.toReversed();
    for (const row of order) settleRow(cells, row, sweep % 2 === 0 ? 'up' : 'down');
  }
}

function settleRow(cells: readonly Cell[], row: readonly number[], side: 'up' | 'down'): void {
  const members = row.map((index) => cells[index] as Cell);
  const wishes = members.map((cell) => meanOf(cell[side], (other) => (cells[other] as Cell).x) ?? cell.x);
  // From both ends, each as near to its wish as its neighbour lets it; the mean of the two keeps the row apart and in order.
  const fromLeft: number[] = [];
  members.forEach((cell, at) => {
    const before = members[at - 1];
    const least = before === undefined ? Number.NEGATIVE_INFINITY : (fromLeft[at - 1] as number) + apart(before, cell);
    fromLeft.push(Math.max(wishes[at] as number, least));
  });
  const fromRight: number[] = [];
  for (let at = members.length - 1; at >= 0; at -= 1) {
    const after = members[at + 1];
    const most = after === undefined ? Number.POSITIVE_INFINITY : (fromRight[at + 1] as number) - apart(members[at] as Cell, after);
    fromRight[at] = Math.min(wishes[at] as number, most);
  }
  members.forEach((cell, at) => {
    cell.x = ((fromLeft[at] as number) + (fromRight[at] as number)) / 2;
  });
}

function apart(left: Box, right: Box): number {
  return (left.width + right.width) / 2 + GAP_X;
}

function measure(
  cells: readonly Cell[],
  rows: readonly (readonly number[])[],
  given: { readonly boxes: readonly Box[]; readonly chains: readonly Chain[] },
): Layout {
  const left = cells.reduce((least, { x, width }) => Math.min(least, x - width / 2), Number.POSITIVE_INFINITY);
  const right = cells.reduce((most, { x, width }) => Math.max(most, x + width / 2), Number.NEGATIVE_INFINITY);
  const heights = rows.map((row) => row.reduce((most, index) => Math.max(most, (cells[index] as Cell).height), 0));
  const middles: number[] = [];
  let y = 0;
  for (const height of heights) {
    middles.push(y + height / 2);
    y += height + GAP_Y;
  }
  const at = (index: number): Point => {
    const { x, layer } = cells[index] as Cell;
    return { x: x - left, y: middles[layer] as number };
  };
  return {
    width: right - left,
    height: Math.max(0, y - GAP_Y),
    boxes: given.boxes.map((_, index) => at(index)),
    links: spread(
      given.chains.map((chain) => ({ points: chain.cells.map(at), label: at(chain.label) })),
      given.chains.map(({ cells: path }) => [path[0], path.at(-1)].map((index) => (cells[index as number] as Cell).width)),
    ),
  };
}

const PORT_GAP = 18;
const PORTS_WIDE = 0.6;

/** Moves the ends of links that share a side of a box apart, in the order of where they go. */
function spread(links: Layout['links'], widths: readonly (readonly number[])[]): Layout['links'] {
  const moved = links.map(({ points }) => [...points]);
  const ends = links.flatMap(({ points }, link) =>
    [0, points.length - 1].map((end) => {
      const own = points[end] as Point;
      const next = points[end === 0 ? 1 : end - 1] as Point;
      return { link, end, own, next, width: widths[link]?.[end === 0 ? 0 : 1] as number };
    }),
  );
  const sides = Map.groupBy(ends, ({ own, next }) => `${own.x} ${own.y} ${next.y > own.y}`);
  for (const side of sides.values()) {
    side.sort((a, b) => a.next.x - b.next.x || a.end - b.end);
    side.forEach(({ link, end, own, width }, place) => {
      const gap = Math.min(PORT_GAP, (width * PORTS_WIDE) / side.length);
      (moved[link] as Point[])[end] = { x: own.x + (place - (side.length - 1) / 2) * gap, y: own.y };
    });
  }
  return links.map(({ label }, link) => ({ points: moved[link] as Point[], label }));
}
