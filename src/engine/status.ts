// Owns the status of a run as users see it, what the run waits for, and when it is due. All of it is derived from the
// checkpoint, never stored twice.

import { activeIn, type Group } from '../definition/group/join.ts';
import { isSettled, type RunStatus } from '../definition/run-status.ts';
import { type Activation, dueTimeOf, type Path, type Wait, waitOf } from '../kernel/activation.ts';
import type { RunState } from '../kernel/run-state.ts';

/** Where a step of a run waits, since when, and until when. */
interface StepWait {
  readonly path: Path;
  readonly step: string;
  readonly since: number;
  readonly due?: number | undefined;
}

/** Since when a whole run waits. */
interface RunWait {
  readonly since: number;
  readonly path?: undefined;
  readonly step?: undefined;
  readonly due?: undefined;
}

/** Waits of steps without fields of their own; a pause before a retry is a delay. */
type PlainKind = Exclude<Wait['kind'], 'members' | 'repair' | 'retry' | 'human' | 'signal' | 'child' | 'checks'> | 'unknown';

type PlainWait<Kind = PlainKind> = Kind extends PlainKind ? StepWait & { readonly kind: Kind } : never;

/** One thing a run waits for, as lists and people see it. */
export type OpenWait =
  | PlainWait
  /** A person; `digest` is that of the question, once its subjects were looked at. */
  | (StepWait & { readonly kind: 'human'; readonly digest?: string | undefined })
  | (StepWait & { readonly kind: 'signal'; readonly name: string })
  /** A run that the step started. */
  | (StepWait & { readonly kind: 'child'; readonly child: string })
  /** Checks of a gate, and what they wait for. */
  | (StepWait & { readonly kind: 'checks'; readonly message?: string })
  /** The run stopped until a person says how it continues; a flow can stop between its steps. */
  | (Omit<StepWait, 'due'> & { readonly due?: undefined; readonly kind: 'escalation'; readonly message: string })
  | (RunWait & { readonly kind: 'escalation'; readonly message: string })
  | (RunWait & { readonly kind: 'pause' });

/** A wait of one kind. */
export type WaitOf<Kind extends OpenWait['kind']> = Extract<OpenWait, { readonly kind: Kind }>;

/** The status that users see. */
export function statusOf(run: RunState): RunStatus {
  if (isSettled(run.status)) return hasWork(run) && run.status === 'escalated' ? 'running' : run.status;
  return hasWork(run) ? 'running' : 'waiting';
}

function hasWork(run: RunState): boolean {
  return Object.values(run.live).some(
    (activation) => isWorking(activation) || (waitOf(activation)?.kind === 'members' && run.groups[activation.path] === undefined),
  );
}

/** Everything the run waits for, oldest first. */
export function waitsOf(run: RunState): OpenWait[] {
  const waits = Object.values(run.live).flatMap(openWaits);
  const { halt } = run;
  if (halt !== undefined) {
    const { message, path, step } = halt;
    const at = path === undefined ? {} : { path, step };
    waits.push({ kind: 'escalation', since: run.at, message, ...at });
  }
  if (run.paused) waits.push({ kind: 'pause', since: run.at });
  return waits.sort((a, b) => a.since - b.since);
}

function openWaits(activation: Activation): OpenWait[] {
  const { path, step, openedAt: since } = activation;
  if (activation.state === 'unknown') return [{ kind: 'unknown', path, step, since }];
  if (activation.state === 'queued' && activation.slots !== undefined) return [{ kind: 'capacity', path, step, since }];
  if (activation.state !== 'waiting') return [];
  return shownWait(activation.wait, { path, step, since, due: dueTimeOf(activation) ?? activation.deadline });
}

/** A wait as users see it; none for internal waits. */
function shownWait(wait: Wait, at: StepWait): OpenWait[] {
  switch (wait.kind) {
    case 'members':
    case 'repair':
      return [];
    case 'human':
      return [{ ...at, kind: 'human', digest: wait.digest }];
    case 'signal':
      return [{ ...at, kind: 'signal', name: wait.name }];
    case 'child':
      return [{ ...at, kind: 'child', child: wait.run }];
    case 'retry':
      return [{ ...at, kind: 'delay' }];
    default:
      return [{ ...at, kind: wait.kind }];
  }
}

/** True when a group has members to open and room for them. */
export function hasRoom(group: Group): boolean {
  return group.queued + (group.again?.length ?? 0) > 0 && activeIn(group) < group.limit;
}

/** The next time at which the run is due. */
export function dueOf(run: RunState): number | undefined {
  let nearest = Number.POSITIVE_INFINITY;
  for (const activation of Object.values(run.live))
    nearest = Math.min(nearest, dueTimeOf(activation) ?? nearest, activation.deadline ?? nearest);
  return nearest === Number.POSITIVE_INFINITY ? undefined : nearest;
}

/** True while the host is working on an activation. */
export function isWorking({ state }: Activation): boolean {
  return state === 'running' || state === 'preparing' || state === 'verifying' || state === 'reconciling';
}
