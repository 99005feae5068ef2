// Owns the request for one attempt: what the step runner receives about the run and the activation.

import type { Ref } from '../base/digest.ts';
import type { Json } from '../base/json.ts';
import { withoutVisits } from '../definition/address.ts';
import type { Vote } from '../definition/question/asked-question.ts';
import type { AnsweredAssumption, AssumptionText } from '../definition/question/assumption.ts';
import { type Activation, heldBy } from '../kernel/activation.ts';
import type { AttemptPhase } from '../kernel/effect.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { AttemptRequest, PastSetback, RecordedDecision, RunPast } from '../steps/attempt.ts';
import type { SavedState } from '../steps/worker/saved-state.ts';
import type { Store } from '../store/store.ts';
import { runTreeOf } from './children.ts';
import type { RunDriver } from './driver.ts';
import { pathOf } from './event-facts.ts';
import type { DriverHost, DriverStart } from './host.ts';
import { blockingAssumptionsIn } from './merge-block.ts';
import { refsOfAnswers } from './run-cache.ts';
import { readValues } from './values.ts';

/** The parts of a request. */
export interface RequestParts {
  readonly host: DriverHost;
  readonly driver: RunDriver;
  readonly start: Pick<DriverStart, 'cache' | 'bound' | 'place'>;
  readonly want: AttemptPhase;
  readonly activation: Activation;
  readonly signal: AbortSignal;
}

/** Builds the request for one attempt. */
export function attemptRequest({ host, driver, start, want, activation, signal }: RequestParts): AttemptRequest {
  const { cache, bound, place } = start;
  const state = driver.checkpoint;
  const { answers, saved, member } = activation;
  const items = member === undefined ? undefined : state.groups[member.group]?.items;
  const list = items === undefined ? undefined : (cache.value(items) as readonly unknown[]);
  const group = member === undefined ? undefined : state.live[member.group];
  const held = heldBy(activation)?.output;
  return {
    want,
    group: group === undefined ? undefined : bound(group.step).model,
    answers: answers?.map((ref) => cache.value(ref)),
    notes: state.notes,
    answered: state.assumptions === undefined ? undefined : answeredIn(state, (ref) => cache.value(ref)),
    blockingAssumptions: () => blockingAssumptionsIn(host.store, driver.run),
    savedState: saved === undefined ? undefined : (cache.value(saved) as SavedState),
    past: () => readPast(host.store, driver.checkpoint),
    visit: state.counts[group?.step ?? activation.step] ?? 1,
    bound: bound(activation.step),
    activation,
    runId: driver.run,
    startedAt: state.createdAt,
    workflow: host.workflowOf(state.workflow),
    runTree: runTreeOf(host, state),
    params: cache.params,
    result: held === undefined ? null : cache.value(held),
    item: list?.[member?.index ?? 0] as AttemptRequest['item'],
    snapshot: () => cache.snapshot(driver.checkpoint),
    decisionAt: (step) => readDecision(host.store, driver.run, step),
    signal,
    // At the end: V8 defines every field that comes after a spread by a separate call.
    ...place,
  };
}

/**
 * Reads what went wrong and what people wrote since an agent last succeeded. The past of a run's ancestors counts as well: a gate
 * of the parent may have sent the child back to work.
 */
async function readPast(store: Store, run: RunState): Promise<RunPast> {
  const ancestors = run.parent === undefined ? [] : (await store.tree(run.id)).ancestors;
  const above = await Promise.all(ancestors.map(async (id) => (await store.load(id)).state));
  // The topmost run comes first, so that the past nearest to the step comes last.
  const runs = [...above.reverse(), run];
  const refs = runs.flatMap((state) => [...(state.setbacks ?? []).map(({ output }) => output), ...refsOfAnswers(state)]);
  const read = await readValues(store, refs);
  const setbacks = runs.flatMap((state) =>
    (state.setbacks ?? []).map(
      ({ output, ...rest }): PastSetback => ({ ...rest, output: read(output), ...(state === run ? {} : { inParent: true }) }),
    ),
  );
  const answered = runs.flatMap((state) => answeredIn(state, read));
  return { setbacks, notes: runs.flatMap(({ notes = [] }) => notes), answered };
}

/** Returns the answered assumptions of a checkpoint, in the form that agents get. */
function answeredIn(state: RunState, value: (ref: Ref) => Json): readonly AnsweredAssumption[] {
  return (state.assumptions ?? []).flatMap(({ list, index, step, answer }) => {
    if (answer === undefined) return [];
    const text = (value(list) as unknown as readonly AssumptionText[])[index] as AssumptionText;
    const { actor, agrees } = answer;
    return [{ ...text, step, actor, agrees, answer: answer.text === undefined ? text.assumed : (value(answer.text) as string) }];
  });
}

/**
 * The decision that ended the last visit of a step, from the run's log; undefined if it ended without one. The result of a step is
 * no record of that: at a step that does work and then asks, it is what the worker wrote.
 */
async function readDecision(store: Store, run: string, step: string): Promise<RecordedDecision | undefined> {
  let chosen: Vote | undefined;
  let last: RecordedDecision | undefined;
  for (const event of (await store.events(run, 0)).flatMap(({ events }) => events)) {
    if (event.type === 'run.changed') {
      if (event.change === 'decided' && event.decision.step === step) chosen = event.decision;
      continue;
    }
    const path = pathOf(event);
    if (path === undefined || withoutVisits(path) !== step) continue;
    if (event.type === 'step.settled') last = chosen && { option: chosen.option, actor: chosen.actor, outcome: event.outcome };
    // Otherwise the choice was one vote of several, or it was void.
    if (!isVerifying(event)) chosen = undefined;
  }
  return last;
}

/** Whether a step only verifies its result after the decision. */
function isVerifying(event: RunEvent): boolean {
  return event.type === 'step.changed' && event.activation.state === 'verifying';
}
