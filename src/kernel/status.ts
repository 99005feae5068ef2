// Owns the status of a run as users see it, and what the run waits for. Both are derived, never stored twice.

import { type Activation, isSettled, isWorking, type Path, type RunState, type RunStatus, type WaitKind } from './run-state.ts';

/** One thing a run waits for, as lists and people see it. */
export interface OpenWait {
  readonly kind: WaitKind;
  readonly path?: Path;
  readonly step?: string;
  readonly since: number;
  readonly due?: number;
  readonly digest?: string;
  readonly name?: string;
  readonly child?: string;
  readonly message?: string;
}

/** The status that users see. */
export function statusOf(run: RunState): RunStatus {
  if (isSettled(run.status)) return hasWork(run) && run.status === 'escalated' ? 'running' : run.status;
  return hasWork(run) ? 'running' : 'waiting';
}

function hasWork(run: RunState): boolean {
  for (const path in run.live) {
    const activation = run.live[path] as Activation;
    if (isWorking(activation) || (activation.state === 'waiting' && activation.wait === undefined && run.groups[path] === undefined))
      return true;
  }
  return false;
}

/** Everything the run waits for, oldest first. */
export function waitsOf(run: RunState): OpenWait[] {
  const waits = Object.values(run.live).flatMap((activation) => waitOf(activation));
  if (run.halt !== undefined)
    waits.push({
      kind: 'escalation',
      since: run.at,
      message: run.halt.message,
      ...(run.halt.path === undefined ? {} : { path: run.halt.path }),
      ...(run.halt.step === undefined ? {} : { step: run.halt.step }),
    });
  if (run.paused) waits.push({ kind: 'pause', since: run.at });
  return waits.sort((a, b) => a.since - b.since);
}

function waitOf(activation: Activation): OpenWait[] {
  const { path, step, openedAt: since, wait } = activation;
  const due = activation.due ?? activation.deadline;
  const when = due === undefined ? {} : { due };
  if (activation.state === 'unknown') return [{ kind: 'unknown', path, step, since }];
  if (activation.state === 'queued' && activation.slots !== undefined) return [{ kind: 'capacity', path, step, since }];
  if (activation.state !== 'waiting' || wait === undefined || wait.kind === 'fix') return [];
  return [
    {
      kind: wait.kind,
      path,
      step,
      since,
      ...when,
      ...(wait.digest === undefined ? {} : { digest: wait.digest }),
      ...(wait.name === undefined ? {} : { name: wait.name }),
      ...(wait.child === undefined ? {} : { child: wait.child }),
    },
  ];
}

/** The step a run is at: its oldest live activation, or where it halted. */
export function currentStepOf(run: RunState): string | undefined {
  for (const path in run.live) {
    const activation = run.live[path] as Activation;
    if (activation.group === undefined) return activation.step;
  }
  return run.halt?.step;
}
