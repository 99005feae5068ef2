// Owns the picture of a graph: steps with their state, the transitions that a run took, and the selected step. It can be moved
// and zoomed; every step is a button.

import { Background, Controls, type Edge, type Node, ReactFlow, type ReactFlowInstance, type Viewport } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './graph.css';
import { useCallback, useMemo, useRef } from 'react';
import type { GraphData } from '../connection/contract.ts';
import { Loading } from '../parts/messages.tsx';
import type { Placement } from './arrange.ts';
import { type DrawnGraph, drawingOf, drawnGraph, labelWidth } from './drawn-graph.ts';
import { type LineData, LineEdge, type StepData, StepNode } from './graph-parts.tsx';
import { usePlacement } from './use-placement.ts';

interface GraphProps {
  readonly graph: GraphData;
  readonly picked?: string | undefined;
  readonly pick?: ((step: string) => void) | undefined;
}

const NODE_TYPES = { step: StepNode };
const EDGE_TYPES = { line: LineEdge };
const READABLE_ZOOM = 0.55;

/** The picture of a graph. */
export default function GraphView({ graph, picked, pick }: GraphProps) {
  const drawn = useMemo(() => drawnGraph(graph), [graph]);
  const placement = usePlacement(useMemo(() => drawingOf(drawn), [drawn]));
  const nodes = useMemo(
    () => (placement === undefined ? [] : nodesOf(drawn, placement, { picked, pick })),
    [drawn, placement, picked, pick],
  );
  const edges = useMemo(() => (placement === undefined ? [] : edgesOf(drawn, placement)), [drawn, placement]);
  const box = useRef<HTMLDivElement>(null);
  const start = useCallback(
    (instance: ReactFlowInstance<Node<StepData>, Edge<LineData>>) => {
      if (placement !== undefined && box.current !== null) void instance.setViewport(viewOf(drawn, placement, box.current));
    },
    [drawn, placement],
  );
  if (placement === undefined) return <Loading subject="the graph" />;
  return (
    <div className="graph" ref={box}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onInit={start}
        minZoom={0.1}
        maxZoom={1.6}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements={nodes.length > 60}
        zoomOnScroll={false}
        panOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={20} size={1} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

const LIVE = ['running', 'waiting', 'failed', 'verifying', 'unknown'];
const MARGIN_PX = 20;

/** What is shown first: everything if that is readable, else the part where the run is. */
function viewOf({ nodes, edges }: DrawnGraph, placement: Placement, { clientWidth, clientHeight }: HTMLElement): Viewport {
  const boxes = nodes.map((node) => ({ ...(placement.nodes[node.id] ?? { x: 0, y: 0 }), node }));
  // Lines that lead back are next to the steps.
  const lines = edges.flatMap(({ id, label: text }) => {
    const { points = [], label } = placement.edges[id] ?? {};
    const half = labelWidth(text) / 2;
    return [...points.map(({ x }) => x), ...(label === undefined ? [] : [label.x - half, label.x + half])];
  });
  const left = Math.min(...boxes.map(({ x }) => x), ...lines);
  const right = Math.max(...boxes.map(({ x, node }) => x + node.width), ...lines);
  const top = Math.min(...boxes.map(({ y }) => y));
  const bottom = Math.max(...boxes.map(({ y, node }) => y + node.height));
  const fits = Math.min((clientWidth - 2 * MARGIN_PX) / (right - left), (clientHeight - 2 * MARGIN_PX) / (bottom - top));
  const zoom = Math.max(READABLE_ZOOM, Math.min(1, fits));
  const focus =
    fits >= READABLE_ZOOM
      ? undefined
      : (boxes.find(({ node }) => node.is === 'step' && LIVE.includes(node.state?.status ?? '')) ?? boxes[0]);
  const x = focus === undefined ? (left + right) / 2 : focus.x + focus.node.width / 2;
  const y = focus === undefined ? (top + bottom) / 2 : focus.y + focus.node.height / 2;
  return { x: clientWidth / 2 - x * zoom, y: clientHeight / 2 - y * zoom, zoom };
}

function nodesOf(drawn: DrawnGraph, placement: Placement, { picked, pick }: Pick<GraphProps, 'picked' | 'pick'>): Node<StepData>[] {
  return drawn.nodes.map((node) => ({
    id: node.id,
    type: 'step',
    position: placement.nodes[node.id] ?? { x: 0, y: 0 },
    width: node.width,
    height: node.height,
    data: { node, isPicked: node.id === picked, pick },
  }));
}

function edgesOf(drawn: DrawnGraph, placement: Placement): Edge<LineData>[] {
  // Transitions that were taken are drawn last, above the others.
  return [...drawn.edges]
    .sort((one, other) => one.times - other.times)
    .map((edge) => ({ id: edge.id, type: 'line', source: edge.from, target: edge.to, data: { edge, place: placement.edges[edge.id] } }));
}
