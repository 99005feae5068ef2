// Owns the layout of a graph, from top to bottom. It is pure, and runs in a worker, so that a large graph never blocks the
// page.

import { Graph, layout } from '@dagrejs/dagre';
import { labelWidth } from './drawn-graph.ts';

/** The sizes of what is laid out. */
export interface Drawing {
  readonly nodes: readonly { readonly id: string; readonly width: number; readonly height: number }[];
  readonly edges: readonly { readonly id: string; readonly from: string; readonly to: string; readonly label: string }[];
}

/** The position of everything. */
export interface Placement {
  readonly nodes: Readonly<Record<string, Point>>;
  readonly edges: Readonly<Record<string, { readonly points: readonly Point[]; readonly label: Point | undefined }>>;
}

/** A position in the drawing. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

const LABEL_HEIGHT_PX = 16;

/** Lays out a graph; the position of a node is its upper left corner. */
export function arrange({ nodes, edges }: Drawing): Placement {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 34, ranksep: 34, edgesep: 18, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const { id, from, to, label } of edges) {
    const size = label === '' ? {} : { width: labelWidth(label), height: LABEL_HEIGHT_PX, labelpos: 'c' };
    graph.setEdge(from, to, size, id);
  }
  layout(graph);
  const placed = nodes.map(({ id, width, height }) => {
    const { x, y } = graph.node(id) as Point;
    return [id, { x: x - width / 2, y: y - height / 2 }] as const;
  });
  const drawn = edges.map(({ id, from, to, label }) => {
    const { points, x, y } = graph.edge({ v: from, w: to, name: id }) as { points: Point[]; x?: number; y?: number };
    return [id, { points, label: label === '' || x === undefined || y === undefined ? undefined : { x, y } }] as const;
  });
  return { nodes: Object.fromEntries(placed), edges: Object.fromEntries(drawn) };
}
