// Owns the status of a run as users see it, what the run waits for, and when it is due. All of it is derived from the
// checkpoint, never stored twice.

import { activeIn, type Group } from '../definition/group/join.ts';
import { isSettled, type RunStatus } from '../definition/run-status.ts';
import { type Activation, dueTimeOf, type Path, type Wait, waitOf } from '../kernel/activation.ts';
import type { RunState } from '../kernel/run-state.ts';

/** One thing a run waits for, as lists and people see it. */
export interface OpenWait {
  readonly kind: Exclude<Wait['kind'], 'members' | 'repair' | 'retry'> | 'pause' | 'escalation' | 'unknown';
  readonly path?: Path | undefined;
  readonly step?: string | undefined;
  readonly since: number;
  readonly due?: number | undefined;
  readonly digest?: string | undefined;
  readonly name?: string | undefined;
  readonly child?: string | undefined;
  readonly message?: string | undefined;
}

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
  if (halt !== undefined) waits.push({ kind: 'escalation', since: run.at, message: halt.message, path: halt.path, step: halt.step });
  if (run.paused) waits.push({ kind: 'pause', since: run.at });
  return waits.sort((a, b) => a.since - b.since);
}

function openWaits(activation: Activation): OpenWait[] {
  const { path, step, openedAt: since } = activation;
  if (activation.state === 'unknown') return [{ kind: 'unknown', path, step, since }];
  if (activation.state === 'queued' && activation.slots !== undefined) return [{ kind: 'capacity', path, step, since }];
  if (activation.state !== 'waiting') return [];
  const named = namedWait(activation.wait);
  return named === undefined ? [] : [{ path, step, since, due: dueTimeOf(activation) ?? activation.deadline, ...named }];
}

/** A wait as users see it; undefined for internal waits. */
function namedWait(wait: Wait): Pick<OpenWait, 'kind' | 'digest' | 'name' | 'child'> | undefined {
  switch (wait.kind) {
    case 'members':
    case 'repair':
      return undefined;
    case 'human':
      return { kind: 'human', digest: wait.digest };
    case 'signal':
      return { kind: 'signal', name: wait.name };
    case 'child':
      return { kind: 'child', child: wait.run };
    case 'retry':
      return { kind: 'delay' };
    default:
      return { kind: wait.kind };
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
