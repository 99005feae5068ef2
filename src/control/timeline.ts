// Owns the timeline of a run, read from its log: one bar per period in which a step worked, waited, paused before a retry
// or was queued.

import { activationIn } from '../engine/event-facts.ts';
import type { Activation } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { EventRow } from '../store/store.ts';

/** One period of an attempt. */
interface TimelineBar {
  readonly path: string;
  readonly step: string;
  readonly attempt: number;
  readonly kind: 'work' | 'wait' | 'retry' | 'queue';
  readonly from: number;
  /** Null while the period continues. */
  readonly to: number | null;
  /** How the attempt ended; null if it continued after this period, or still does. */
  readonly outcome: string | null;
}

type OpenBar = Pick<TimelineBar, 'path' | 'step' | 'attempt' | 'kind' | 'from'>;

/** The bars of a log, in the order in which they began. */
export function timelineOf(rows: readonly EventRow[]): readonly TimelineBar[] {
  const open = new Map<string, OpenBar>();
  const bars: TimelineBar[] = [];
  const close = (path: string, to: number, outcome: string | null): void => {
    const bar = open.get(path);
    open.delete(path);
    if (bar !== undefined) bars.push({ ...bar, to, outcome });
  };
  for (const event of rows.flatMap(({ events }) => events)) {
    const activation = activationIn(event);
    if (activation !== undefined) advance({ open, close }, event, activation);
    if (event.type === 'step.settled') close(event.path, event.at, event.outcome);
    if (event.type === 'run.changed' && event.change === 'ended') for (const path of [...open.keys()]) close(path, event.at, 'cancelled');
  }
  const going = [...open.values()].map((bar) => ({ ...bar, to: null, outcome: null }));
  return [...bars, ...going].sort((a, b) => a.from - b.from);
}

interface Bars {
  readonly open: Map<string, OpenBar>;
  readonly close: (path: string, to: number, outcome: string | null) => void;
}

function advance({ open, close }: Bars, event: RunEvent, activation: Activation): void {
  const { path, step, attempt } = activation;
  const kind = kindOf(activation);
  const before = open.get(path);
  if (before?.kind === kind && before.attempt === attempt) return;
  const failed = event.type === 'step.changed' && event.failed !== undefined ? 'error' : null;
  close(path, event.at, failed);
  open.set(path, { path, step, attempt, kind, from: event.at });
}

function kindOf(activation: Activation): TimelineBar['kind'] {
  if (activation.state === 'queued') return 'queue';
  if (activation.state === 'unknown') return 'wait';
  if (activation.state !== 'waiting') return 'work';
  switch (activation.wait.kind) {
    case 'retry':
      return 'retry';
    case 'capacity':
      return 'queue';
    case 'members':
    case 'repair':
      return 'work';
    default:
      return 'wait';
  }
}
