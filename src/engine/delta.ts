// Translates a batch of decisions into one write: the rows of history, values, data, members, slots and mail that
// follow from its events.

import type { Ref } from '../base/digest.ts';
import { omitUndefined } from '../base/fields.ts';
import { isMember } from '../definition/address.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { isFinal } from '../definition/run-status.ts';
import { type Activation, childOf, type Path, slotsOf, startTimeOf } from '../kernel/activation.ts';
import { effectOf } from '../kernel/effect.ts';
import type { RunEvent } from '../kernel/event.ts';
import { blocksNewSteps, isHeldBack, type RunState } from '../kernel/run-state.ts';
import type { EndedAttempt } from '../kernel/turn.ts';
import type { CheckResult } from '../steps/attempt.ts';
import type { AttemptRow, Delta, Mail, RunCreation, SlotClaim } from '../store/store.ts';
import { pathOf } from './event-facts.ts';
import type { RunCache, SuppliedResult } from './run-cache.ts';
import { dueOf, hasRoom, isWorking, statusOf } from './status.ts';

/** References to what is stored with the result of an attempt. */
export interface AttemptEvidence {
  readonly claim?: Ref | undefined;
  readonly evidence?: Ref | undefined;
  readonly actor?: string | undefined;
  readonly checks: readonly CheckResult[];
}

/** One or more decisions that are committed together, with everything that the write needs. */
export interface DecidedBatch {
  readonly before: RunState;
  readonly after: RunState;
  readonly epoch: number;
  readonly at: number;
  readonly events: readonly RunEvent[];
  readonly ended: readonly EndedAttempt[];
  /** The paths that the events refer to. */
  readonly touched: ReadonlySet<Path>;
  readonly consumed: readonly number[];
  readonly take: readonly SlotClaim[];
  readonly cache: RunCache;
  readonly evidenceOf: (path: Path, attempt: number) => AttemptEvidence | undefined;
  readonly create?: RunCreation | undefined;
  readonly supplied?: readonly AttemptRow[] | undefined;
  readonly release: boolean;
}

/** Creates the write that makes a batch of decisions durable. */
export function createDelta(batch: DecidedBatch): Delta {
  const { before, after, cache, touched } = batch;
  const ended = batch.ended.map((end) => attemptRow(batch, end));
  const { values, data } = cache.takeChanges();
  return {
    run: after.id,
    epoch: batch.epoch,
    seq: before.seq,
    state: after,
    status: statusOf(after),
    due: nextDriveAt(after),
    at: batch.at,
    events: batch.events,
    attempts: batch.supplied === undefined ? ended : [...batch.supplied, ...ended],
    values,
    data,
    members: membersOf(after, touched),
    consumed: batch.consumed,
    post: mailOf(batch),
    slots: { take: batch.take, free: freedSlots(before, after, touched) },
    release: batch.release,
    codeHash: codeOf(batch.events),
    create: batch.create,
  };
}

/** The code that was accepted last. */
function codeOf(events: readonly RunEvent[]): string | undefined {
  let code: string | undefined;
  for (const event of events) if (event.type === 'run.changed' && event.change === 'code-accepted') code = event.code;
  return code;
}

/**
 * Rows for results that were supplied in place of steps. They have attempt number 0. A flow does not list its steps, so the
 * kind of a step in it is not known, and its row says `task`.
 */
export function suppliedRows(workflow: CompiledWorkflow, supplied: readonly SuppliedResult[], at: number): AttemptRow[] {
  return supplied.map(({ step, ref }) => {
    const kind = workflow.definition.steps.find((candidate) => candidate.id === step)?.kind ?? 'task';
    const row = {
      path: `${step}#0`,
      step,
      kind,
      attempt: 0,
      maxAttempts: 0,
      outcome: 'ok',
      status: 'completed' as const,
      openedAt: at,
      endedAt: at,
      actor: 'supplied',
      checks: [],
    };
    return ref === undefined ? row : { ...row, output: ref };
  });
}

/**
 * When an engine must pick up the run if it has no owner. Work that is running or queued makes it due immediately, so
 * that another engine finds it when the owner closes or cannot continue.
 */
export function nextDriveAt(run: RunState): number | undefined {
  const due = dueOf(run);
  for (const path in run.live) {
    // This value is the same for as long as there is work, so that a step does not change the row of its run.
    if (isWorking(run.live[path] as Activation) || isQueued(run, path)) return Math.min(run.createdAt, due ?? run.createdAt);
  }
  return due;
}

function isQueued(run: RunState, path: Path): boolean {
  const activation = run.live[path] as Activation;
  const group = run.groups[path];
  return !isHeldBack(run, activation) && (activation.state === 'queued' || (group !== undefined && hasRoom(group)));
}

/** Whether an owner would have something to do in the run. */
export function hasWorkLeft(run: RunState): boolean {
  return Object.values(run.live).some(
    (activation) =>
      // A waiting activation with an effect has a child to follow, or a question whose subjects must be checked.
      isWorking(activation) || (activation.state === 'queued' ? !isHeldBack(run, activation) : effectOf(run, activation) !== undefined),
  );
}

/** Returns the paths that the events refer to. */
export function touchedPaths(events: readonly RunEvent[]): Set<Path> {
  const paths = new Set<Path>();
  for (const event of events) {
    const path = pathOf(event);
    if (path !== undefined) paths.add(path);
  }
  return paths;
}

function attemptRow(batch: DecidedBatch, { event, activation, maxAttempts }: EndedAttempt): AttemptRow {
  const settled = event.type === 'step.settled' ? event : undefined;
  const kept = batch.evidenceOf(activation.path, activation.attempt);
  const { path, step, kind, attempt, openedAt, member, input } = activation;
  // Every row has the same shape, also with undefined fields: this runs for every step.
  return {
    path,
    step,
    kind,
    attempt,
    maxAttempts,
    outcome: settled?.outcome,
    status: settled === undefined ? 'failed' : statusOfRow(settled.outcome),
    openedAt,
    startedAt: startTimeOf(activation),
    endedAt: event.at,
    output: settled?.output,
    error: event.type === 'step.settled' ? event.error : event.failed?.error,
    claim: kept?.claim,
    evidence: kept?.evidence,
    actor: settled?.actor ?? kept?.actor,
    group: member?.group,
    key: member?.key,
    index: member?.index,
    input,
    checks: kept?.checks ?? NO_CHECKS,
  };
}

const NO_CHECKS: AttemptRow['checks'] = [];

function statusOfRow(outcome: string): AttemptRow['status'] {
  if (outcome === 'skip') return 'skipped';
  if (outcome === 'cancelled') return 'cancelled';
  return outcome === 'error' || outcome === 'timeout' || outcome === 'fail' ? 'failed' : 'completed';
}

function membersOf(after: RunState, touched: ReadonlySet<Path>): Delta['members'] {
  const put: Activation[] = [];
  const drop: Path[] = [];
  for (const path of touched) {
    const activation = after.live[path];
    if (activation?.member !== undefined) put.push(activation);
    else if (activation === undefined && isMember(path)) drop.push(path);
  }
  return { put, drop };
}

/** Work that releases its semaphores or its place in their queues. A paused or halted run blocks no other run. */
function freedSlots(before: RunState, after: RunState, touched: ReadonlySet<Path>): Path[] {
  const freed: Path[] = [];
  for (const path of touched) if (wantsSlots(before.live[path]) && !wantsSlots(after.live[path])) freed.push(path);
  if (!blocksNewSteps(after) || blocksNewSteps(before)) return freed;
  const heldBack = Object.values(after.live).filter((live) => live.state === 'queued' && wantsSlots(live) && isHeldBack(after, live));
  return [...freed, ...heldBack.map(({ path }) => path)];
}

function wantsSlots(activation: Activation | undefined): boolean {
  return slotsOf(activation) !== undefined;
}

/** Mail that must be sent with this commit: to the parent when the run ends, and to children that are cut off. */
function mailOf({ before, after, ended, at }: DecidedBatch): Mail[] {
  const mail: Mail[] = [];
  const over = isFinal(after.status) || after.status === 'failed';
  if (over && before.status !== after.status && after.parent !== undefined) {
    const { run, path } = after.parent;
    const message = after.halt?.message;
    const input = {
      type: 'childEnded' as const,
      at,
      path,
      child: after.id,
      status: after.status,
      ...omitUndefined({ output: after.output, message }),
    };
    mail.push({ run, dedupe: `childEnded/${after.id}/${after.seq}`, input, values: [] });
  }
  for (const child of childrenCutOff(after, ended)) {
    mail.push({
      run: child,
      dedupe: 'cancel/parent',
      values: [],
      input: { type: 'control', at, actor: `run ${after.id}`, action: { do: 'cancel', reason: 'its parent no longer needs it' } },
    });
  }
  return mail;
}

function childrenCutOff(after: RunState, ended: readonly EndedAttempt[]): string[] {
  const cutOff = ended.filter(({ event }) => isCutOff(event)).map(({ activation }) => activation);
  const left = after.ending === undefined ? [] : Object.values(after.live);
  return [...cutOff, ...left].flatMap((activation) => childOf(activation) ?? []);
}

/** Whether an attempt ended while its child may still be working: after a timeout another attempt may follow. */
function isCutOff(event: EndedAttempt['event']): boolean {
  if (event.type === 'step.changed') return event.failed?.error.reason === 'timeout';
  return event.outcome === 'cancelled' || event.outcome === 'timeout';
}
