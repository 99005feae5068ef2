// Owns the request for one attempt: what the step runner receives about the run and the activation.

import { type Activation, heldBy } from '../kernel/activation.ts';
import type { StepWork } from '../kernel/effect.ts';
import type { AttemptRequest } from '../steps/attempt.ts';
import type { SavedState } from '../steps/worker/saved-state.ts';
import { familyOf } from './children.ts';
import { readDecision } from './decision.ts';
import type { RunDriver } from './driver.ts';
import type { DriverHost, DriverStart } from './host.ts';
import { blockingAssumptionsIn } from './merge-block.ts';
import { answeredIn, readPast } from './past.ts';

/** The parts of a request. */
export interface RequestParts {
  readonly host: DriverHost;
  readonly driver: RunDriver;
  readonly start: Pick<DriverStart, 'record' | 'bound' | 'place'>;
  readonly want: StepWork;
  readonly activation: Activation;
  readonly signal: AbortSignal;
}

/** Builds the request for one attempt. */
export function attemptRequest({ host, driver, start, want, activation, signal }: RequestParts): AttemptRequest {
  const { record, bound, place } = start;
  const state = driver.checkpoint;
  const { answers, saved, member } = activation;
  const items = member === undefined ? undefined : state.groups[member.group]?.items;
  const list = items === undefined ? undefined : (record.value(items) as readonly unknown[]);
  const group = member === undefined ? undefined : state.live[member.group];
  const held = heldBy(activation)?.output;
  return {
    want,
    group: group === undefined ? undefined : bound(group.step).model,
    answers: answers?.map((ref) => record.value(ref)),
    notes: state.notes,
    answered: state.assumptions === undefined ? undefined : answeredIn(state, (ref) => record.value(ref)),
    blockingAssumptions: () => blockingAssumptionsIn(host.store, driver.run),
    savedState: saved === undefined ? undefined : (record.value(saved) as SavedState),
    past: () => readPast(host.store, driver.checkpoint),
    visit: state.counts[group?.step ?? activation.step] ?? 1,
    bound: bound(activation.step),
    activation,
    runId: driver.run,
    startedAt: state.createdAt,
    workflow: host.workflowOf(state.workflow),
    family: familyOf(host, state),
    params: record.params,
    result: held === undefined ? null : record.value(held),
    item: list?.[member?.index ?? 0] as AttemptRequest['item'],
    snapshot: () => record.snapshot(driver.checkpoint),
    decisionAt: (step) => readDecision(host.store, driver.run, step),
    signal,
    // At the end: V8 defines every field that comes after a spread by a separate call.
    ...place,
  };
}
