// Owns the status of a run as users see it, what the run waits for, and when it is due. All of it is derived from the
// checkpoint, never stored twice.

import { activeIn, type Group } from '../definition/group/join.ts';
import { isSettled, type RunStatus } from '../definition/run-status.ts';
import { type Activation, dueTimeOf, type Path, type Wait, waitOf } from '../kernel/activation.ts';
import type { RunState } from '../kernel/run-state.ts';

/** One thing a run waits for, as lists and people see it: at a step, or as a whole. */
export type OpenWait = { readonly since: number } & (
  | ({ readonly path: Path; readonly step: string; readonly due?: number | undefined } & (
      | { readonly kind: Exclude<Wait['kind'], 'members' | 'repair' | 'retry' | 'human' | 'signal' | 'child' | 'checks'> }
      /** A person; `digest` is that of the question, once its subjects were read. */
      | { readonly kind: 'human'; readonly digest?: string | undefined }
      | { readonly kind: 'signal'; readonly name: string }
      /** A run that the step started. */
      | { readonly kind: 'child'; readonly child: string }
      /** Checks of a gate, and what they wait for. */
      | { readonly kind: 'checks'; readonly message?: string }
      | { readonly kind: 'unknown' }
      /** The run stopped at the step until a person says how it continues. */
      | { readonly kind: 'escalation'; readonly message: string }
    ))
  | ({ readonly path?: undefined; readonly step?: undefined; readonly due?: undefined } & (
      | { readonly kind: 'pause' }
      /** A flow stopped between its steps. */
      | { readonly kind: 'escalation'; readonly message: string }
    ))
);

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

type WaitAtStep = Pick<WaitOf<'human'>, 'path' | 'step' | 'since' | 'due'>;

/** A wait as users see it; none for internal waits. */
function shownWait(wait: Wait, at: WaitAtStep): OpenWait[] {
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
