// Draws one step and one transition of a graph.

import { type Edge, type EdgeProps, Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import type { NodeState } from '../connection/contract.ts';
import { Mark } from '../parts/icons.tsx';
import { toneOf } from '../parts/status.tsx';
import type { Placement, Point } from './arrange.ts';
import type { DrawnEdge, DrawnNode, DrawnStep } from './drawn-graph.ts';

/** What a node shows. */
export interface StepData extends Record<string, unknown> {
  readonly node: DrawnNode;
  readonly isPicked: boolean;
  readonly pick: ((step: string) => void) | undefined;
}

/** What the line of a transition shows. */
export interface LineData extends Record<string, unknown> {
  readonly edge: DrawnEdge;
  readonly place: Placement['edges'][string] | undefined;
}

/** An end of the run, or a step: its mark, title and kind, how often it was visited, and the counts of its members. */
export const StepNode = memo(function StepNode({ data: { node, isPicked, pick } }: NodeProps<Node<StepData>>) {
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {node.is === 'end' ? <div className="end">{node.title}</div> : <StepButton step={node} isPicked={isPicked} pick={pick} />}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  );
});

interface StepProps {
  readonly step: DrawnStep;
  readonly isPicked: boolean;
  readonly pick: StepData['pick'];
}

function StepButton({ step, isPicked, pick }: StepProps) {
  const { id, title, kind, state, members } = step;
  const status = state?.status ?? 'pending';
  const visits = state?.visits ?? 0;
  return (
    <button
      type="button"
      className="step nodrag nopan"
      data-tone={toneOf(status)}
      data-status={status}
      aria-pressed={isPicked}
      disabled={pick === undefined}
      onClick={() => pick?.(id)}
      title={title}
    >
      <span className="mark">
        <Mark tone={toneOf(status)} />
      </span>
      <span className="words">
        <span className="title">{title}</span>
        <span className="kind">
          {kind}
          {state !== undefined && <span className="unseen">, {status}</span>}
        </span>
      </span>
      {visits > 1 && (
        <span className="visits" title={`${visits} visits`}>
          ×{visits}
        </span>
      )}
      {(state?.members !== undefined || members > 0) && <Members counts={state?.members} members={members} />}
    </button>
  );
}

function Members({ counts, members }: { readonly counts: NodeState['members']; readonly members: number }) {
  if (counts === undefined) return <span className="members">{members} members</span>;
  const { total, ok, failed, running } = counts;
  const share = (count: number): string => `${(total === 0 ? 0 : count / total) * 100}%`;
  const words = [`${ok} of ${total} ok`, ...(failed > 0 ? [`${failed} failed`] : []), ...(running > 0 ? [`${running} running`] : [])];
  return (
    <span className="members">
      <span className="bar" aria-hidden="true">
        <span className="ok" style={{ width: share(ok) }} />
        <span className="bad" style={{ width: share(failed) }} />
        <span className="busy" style={{ width: share(running) }} />
      </span>
      {words.join(', ')}
    </span>
  );
}

/** A transition: bold if the run took it. */
export const LineEdge = memo(function LineEdge({ id, data, sourceX, sourceY, targetX, targetY }: EdgeProps<Edge<LineData>>) {
  const points = data?.place?.points ?? [
    { x: sourceX, y: sourceY },
    { x: targetX, y: targetY },
  ];
  const times = data?.edge.times ?? 0;
  const label = data?.place?.label;
  const words = `${data?.edge.label ?? ''}${times > 1 ? ` ×${times}` : ''}`.trim();
  return (
    <g className="line" data-taken={times > 0 ? '' : undefined} data-edge={id}>
      <path d={curveThrough(points)} fill="none" />
      <Arrow points={points} />
      {label !== undefined && words !== '' && (
        <text x={label.x} y={label.y} textAnchor="middle" dominantBaseline="central">
          {words}
        </text>
      )}
    </g>
  );
});

function Arrow({ points }: { readonly points: readonly Point[] }) {
  const end = points.at(-1);
  const before = points.at(-2);
  if (end === undefined || before === undefined) return null;
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  return <path className="arrow" d="M0 0 -7 -3.6 -7 3.6Z" transform={`translate(${end.x} ${end.y}) rotate(${angle})`} />;
}

/** A smooth line: straight at its ends, bent towards the points between. */
function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = [`M${first.x} ${first.y}`];
  rest.forEach((point, n) => {
    const next = rest[n + 1];
    if (next === undefined) parts.push(`L${point.x} ${point.y}`);
    else {
      const middle = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
      parts.push(n === rest.length - 2 ? `Q${point.x} ${point.y} ${next.x} ${next.y}` : `Q${point.x} ${point.y} ${middle.x} ${middle.y}`);
    }
  });
  return parts.join('');
}
