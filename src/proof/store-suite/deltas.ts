// Creates deltas without a kernel, for tests and benchmarks of stores: a store must keep whatever a kernel might decide, so
// its tests should not depend on the decisions of this kernel. Checkpoints are folded, never invented.

import { digestText } from '../../base/digest.ts';
import { invariant } from '../../base/invariant.ts';
import { type Json, toPlain } from '../../base/json.ts';
import { createPath, isMember } from '../../definition/address.ts';
import type { Definition, GraphDefinition, StepModel } from '../../definition/model.ts';
import { plainFrame } from '../../definition/plain-frame.ts';
import { isSettled, type RunStatus } from '../../definition/run-status.ts';
import { dueOf } from '../../engine/status.ts';
import type { Activation, ActivationIn } from '../../kernel/activation.ts';
import { applyRow } from '../../kernel/apply.ts';
import type { EventOf, RunEvent } from '../../kernel/event.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { AttemptRow, CommitResult, Delta, Mail, RunCreation, StoredValue } from '../../store/store.ts';

/** The default of every time in a delta. */
export const START_AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A definition of steps that follow each other. */
export function createLine(name: string, steps: readonly string[]): GraphDefinition {
  const models = steps.map((id, index) => createStep(id, steps[index + 1]));
  return {
    name,
    title: name,
    description: '',
    form: 'graph',
    params: {},
    entry: steps[0] as string,
    steps: models,
    limits: { maxIterations: 3 },
  };
}

function createStep(id: string, next: string | undefined): StepModel {
  const to = next === undefined ? ({ end: 'complete' } as const) : { step: next };
  return { ...plainFrame(id, 'ask'), kind: 'task', config: {}, next: { ok: { to } }, retry: { max: 0, on: [] } };
}

/** Plain data for a store. */
export function createValue(value: Json): StoredValue {
  const text = JSON.stringify(toPlain(value, 'the value'));
  return { ref: { digest: digestText(text), bytes: Buffer.byteLength(text) }, text };
}

/** An activation at the first attempt of the first visit. */
export function createActivation(step: string, more: Partial<ActivationIn<'running'>> = {}): ActivationIn<'running'> {
  return {
    path: createPath(step, 1),
    step,
    kind: 'task',
    state: 'running',
    attempt: 1,
    since: 1,
    openedAt: START_AT,
    startedAt: START_AT,
    ...more,
  };
}

/** The step `build` while it waits for the signal `go`. */
export const PARKED: ActivationIn<'waiting'> = { ...createActivation('build'), state: 'waiting', wait: { kind: 'signal', name: 'go' } };

/** A live member of a group. */
export function createMember(key: string, index = 0, more: Partial<ActivationIn<'running'>> = {}): ActivationIn<'running'> {
  return createActivation('lint', { path: `each#1/${key}`, member: { group: 'each#1', key, index }, ...more });
}

/** The event that opens a step. */
export function openStep(activation: Activation, at = START_AT): EventOf<'step.opened'> {
  return { type: 'step.opened', at, activation };
}

/** The event that changes a step; by default it changes nothing of the step `build`. */
export function changeStep(activation: Activation = createActivation('build'), at = START_AT): EventOf<'step.changed'> {
  return { type: 'step.changed', at, activation };
}

/** An attempt that succeeded. */
export function createAttempt(step: string, more: Partial<AttemptRow> = {}): AttemptRow {
  const times = { openedAt: START_AT, startedAt: START_AT + 10, endedAt: START_AT + 1260 };
  return {
    path: createPath(step, 1),
    step,
    kind: 'task',
    attempt: 1,
    maxAttempts: 1,
    outcome: 'ok',
    status: 'completed',
    ...times,
    checks: [],
    ...more,
  };
}

/** A signal to a run, whose name is its dedupe key. */
export function createSignal(run: string, dedupe: string): Mail {
  return { run, dedupe, input: { type: 'signalled', at: START_AT, name: dedupe }, values: [] };
}

/** The result of a commit that leaves the run with its owner. */
export const COMMITTED: CommitResult = { result: 'committed', released: false };

interface FirstDelta {
  readonly run: string;
  readonly owner: string;
  readonly definition?: Definition;
  readonly creation?: Partial<RunCreation>;
  readonly started?: Partial<EventOf<'run.started'>['run']>;
  readonly activation?: Activation;
  readonly more?: Partial<Delta>;
}

/** The delta that creates a run and opens its first step. */
export function createFirst(first: FirstDelta): Delta {
  const definition = first.definition ?? createLine('deploy', ['build', 'approve']);
  const def = digestText(JSON.stringify(definition));
  const at = first.more?.at ?? START_AT;
  const started = { id: first.run, workflow: definition.name, def, form: definition.form, ...first.started };
  const activation = first.activation ?? createActivation(definition.steps[0]?.id as string);
  const events: RunEvent[] = [
    { type: 'run.started', at, run: started },
    { type: 'step.opened', at, activation },
  ];
  const create = { owner: first.owner, definition, codeHash: digestText('code'), origin: {}, ...first.creation };
  return { ...createDelta({ run: first.run, epoch: 1, seq: 0 }, applyRow(undefined, events), events), create, at, ...first.more };
}

/** The delta that comes after another one: the events are folded into its checkpoint. */
export function createNext(
  before: Pick<Delta, 'run' | 'epoch' | 'seq' | 'state'>,
  events: readonly RunEvent[],
  more: Partial<Delta> = {},
): Delta {
  const position = { run: before.run, epoch: more.epoch ?? before.epoch, seq: before.seq + 1 };
  return { ...createDelta(position, applyRow(before.state, events), events), ...more };
}

/** The delta that comes first after a claim. */
export function createResumed(
  claimed: { readonly epoch: number; readonly state: RunState },
  events: readonly RunEvent[],
  more: Partial<Delta> = {},
): Delta {
  const { epoch, state } = claimed;
  return createNext({ run: state.id, epoch, seq: state.seq - 1, state }, events, more);
}

function createDelta(position: Pick<Delta, 'run' | 'epoch' | 'seq'>, state: RunState, events: readonly RunEvent[]): Delta {
  return {
    ...position,
    state,
    status: statusOf(state),
    due: dueOf(state),
    at: events.at(-1)?.at ?? START_AT,
    events,
    attempts: [],
    values: [],
    data: [],
    members: membersOf(state, events),
    consumed: [],
    post: [],
    slots: { take: [], free: [] },
  };
}

function statusOf(state: RunState): RunStatus {
  if (isSettled(state.status)) return state.status;
  return Object.values(state.live).some(({ state: now }) => now === 'running') ? 'running' : 'waiting';
}

function membersOf(state: RunState, events: readonly RunEvent[]): Delta['members'] {
  const touched = new Set(
    events.flatMap((event) =>
      'activation' in event ? [event.activation.path] : 'path' in event && event.path !== undefined ? [event.path] : [],
    ),
  );
  const put = [...touched].flatMap((path) => (state.live[path]?.member === undefined ? [] : [state.live[path]]));
  const drop = [...touched].filter((path) => state.live[path] === undefined && isMember(path));
  return { put, drop };
}

/** The event with which a run ends or halts in the given state. */
export function createEnd(status: RunStatus, at = START_AT): RunEvent {
  const type = 'run.changed';
  if (status === 'failed' || status === 'escalated')
    return { type, at, change: 'halted', status, halt: { reason: 'error', message: 'a step failed' } };
  invariant(status !== 'pending' && status !== 'running' && status !== 'waiting', 'such a run has not ended', status);
  return { type, at, change: 'ended', status };
}
