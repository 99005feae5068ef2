// Owns the progress of a run, computed from its log: every step that was opened, in order, with its current or final state.
// Unlike the checkpoint it keeps steps that have ended, so that a view can show the whole run.

import { omitUndefined } from '../../base/fields.ts';
import type { Group } from '../../definition/group/join.ts';
import { REFUSED_ELSEWHERE } from '../../definition/outcome.ts';
import type { RunStatus } from '../../definition/run-status.ts';
import { pathOf } from '../../engine/event-facts.ts';
import { statusOf } from '../../engine/status.ts';
import { type Activation, type Path, waitOf } from '../../kernel/activation.ts';
import { apply, createRun, type Draft, draftOf } from '../../kernel/apply.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { UNDO_STEP } from '../../programs/undo.ts';
import type { AnyStatus } from '../status.ts';

/** One visit of a step, live or ended. */
export interface StepProgress {
  readonly activation: Activation;
  readonly status: AnyStatus;
  /** True if the last event changed its state or attempt. */
  readonly moved?: boolean;
  readonly outcome?: string;
  readonly endedAt?: number;
  readonly error?: string;
  /** The member counts of a fan-out or of parallel branches. */
  readonly members?: Pick<Group, 'total' | 'ok' | 'reject' | 'fail' | 'skip'>;
  /** How many members are reviewers that completed, but reject the work. */
  readonly rejecting?: number;
}

/** Why a step ended as it did, according to its output. */
export interface EndReason {
  readonly error: string;
  /** The step is part of a review and rejects the work. */
  readonly rejects: boolean;
}

/** A run up to the last event read. */
export class RunProgress {
  readonly steps: Map<Path, StepProgress> = new Map();
  private draft: Draft | undefined;

  get state(): Draft | undefined {
    return this.draft;
  }

  get status(): RunStatus {
    return this.draft === undefined ? 'pending' : statusOf(this.draft);
  }

  /** Applies the next event of the log; `reason` is for a step that failed or rejects the work without an error. */
  apply(event: RunEvent, reason?: EndReason): void {
    if (event.type === 'run.started') {
      this.draft = draftOf(createRun(event));
      return;
    }
    if (this.draft === undefined) return;
    const before = liveOf(this.draft, event);
    apply(this.draft, event);
    if (event.type === 'step.settled' && before !== undefined) this.settle(event, before, reason);
    else if (event.type === 'step.opened' || event.type === 'step.reopened') this.update(event.activation.path);
    else if (event.type === 'step.changed') this.update(event.activation.path, event.failed?.error.message);
    else if (event.type === 'group.joined') this.count(event.path, event.counters);
  }

  private update(path: Path, error?: string): void {
    const activation = this.draft?.live[path];
    if (activation === undefined) return;
    const known = this.steps.get(path);
    const message = error ?? (activation.attempt > 1 ? known?.error : undefined);
    const members = this.draft?.groups[path] ?? known?.members;
    const rejecting = known?.rejecting;
    this.steps.set(path, {
      activation,
      status: liveStatus(activation),
      moved: known?.activation.state !== activation.state || known.activation.attempt !== activation.attempt,
      ...omitUndefined({ error: message, members, rejecting }),
    });
  }

  private settle(event: Extract<RunEvent, { type: 'step.settled' }>, activation: Activation, reason: EndReason | undefined): void {
    const { members, rejecting } = this.steps.get(event.path) ?? {};
    // The end of undoing is recorded as a skipped step, which is not shown.
    if (activation.step === UNDO_STEP && event.outcome === 'skip') return void this.steps.delete(event.path);
    this.steps.set(event.path, {
      activation,
      status: reason?.rejects === true || (rejecting ?? 0) > 0 ? 'rejected' : statusOfOutcome(event.outcome),
      outcome: event.outcome,
      endedAt: event.at,
      ...omitUndefined({ error: event.error?.message ?? reason?.error, members, rejecting }),
    });
    const { member } = activation;
    const group = member === undefined ? undefined : this.steps.get(member.group);
    if (member === undefined || group === undefined) return;
    if (reason?.rejects === true) this.steps.set(member.group, { ...group, rejecting: (group.rejecting ?? 0) + 1 });
    const counters = this.draft?.groups[member.group];
    if (counters !== undefined) this.count(member.group, counters);
  }

  private count(path: Path, members: NonNullable<StepProgress['members']>): void {
    const known = this.steps.get(path);
    if (known !== undefined) this.steps.set(path, { ...known, members });
  }
}

/** A step counts as running while it is prepared, and while its members or its child run work. */
function liveStatus(activation: Activation): AnyStatus {
  const { state } = activation;
  if (state === 'preparing') return 'running';
  if (state === 'reconciling') return 'verifying';
  const kind = waitOf(activation)?.kind;
  return kind === 'members' || kind === 'child' || kind === 'repair' ? 'running' : state;
}

function liveOf(draft: Draft, event: RunEvent): Activation | undefined {
  const path = pathOf(event);
  return path === undefined ? undefined : draft.live[path];
}

const FAILED: ReadonlySet<string> = new Set(['error', 'timeout', 'fail', 'reject', ...REFUSED_ELSEWHERE]);

function statusOfOutcome(outcome: string): AnyStatus {
  if (outcome === 'skip') return 'skipped';
  if (outcome === 'cancelled') return 'cancelled';
  return FAILED.has(outcome) ? 'failed' : 'completed';
}
