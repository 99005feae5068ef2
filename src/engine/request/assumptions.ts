// Owns requests about assumptions, which workers make instead of asking: recording, reading and answering them. Recording
// and answering are mail: on disk before anything acts on it, and harmless when repeated.

import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { type Json, toPlain } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { ASSUMPTIONS_PER_ATTEMPT, type AssumptionText, checkAssumptions, isSameAnswer } from '../../definition/question/assumption.ts';
import { type Assumption, OPEN_ASSUMPTIONS_MAX, openAssumptions } from '../../definition/question/assumption-record.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { Path } from '../../kernel/activation.ts';
import { apply, createRun, type Draft, draftOf } from '../../kernel/apply.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { ControlAction, InputOf } from '../../kernel/input.ts';
import type { HaltedStep, RunState } from '../../kernel/run-state.ts';
import type { Store } from '../../store/store.ts';
import type { EngineCore } from '../engine.ts';
import { readWholeTree } from '../run-tree.ts';
import { overrideStatement, type Signer } from '../signature/signatures.ts';
import { storedValue } from '../values.ts';
import { requireActor } from './actor.ts';
import { type RunAssumption, readAssumptions, textsOf } from './assumption-list.ts';
import { send } from './delivery.ts';
import { attemptWithToken } from './reports.ts';
import { assertSignedFor } from './requests.ts';

/** The assumptions of an agent that does a step itself. */
export interface AssumeRequest {
  readonly token: string;
  /** A list of objects with `question`, `assumed`, `severity` and optionally `options`. */
  readonly assumptions: unknown;
}

/** A person's answer to an assumption. */
export interface AssumptionRequest {
  /** The id of the assumption in the run, such as a1. Needed when several are open. */
  readonly assumption?: string | undefined;
  /** The answer; one with the same text as the assumption agrees with it. */
  readonly answer?: string | undefined;
  /** Agrees with the assumption. */
  readonly agree?: true | undefined;
  readonly actor: string;
  /** The digest of the shown assumption. An answer with another digest is rejected. */
  readonly digest?: string | undefined;
  /** Signs as the actor, if the run requires signatures. */
  readonly sign?: Signer | undefined;
}

/** Returns the assumptions of a run's workers, oldest first. */
export async function assumptionsOf({ store }: Pick<EngineCore, 'store'>, run: string): Promise<readonly RunAssumption[]> {
  const { state } = await store.load(run);
  return readAssumptions(store, state);
}

/** Records assumptions of an agent about the step it is working on. Resolves when they are on disk. */
export async function recordAssumption(core: EngineCore, run: string, request: AssumeRequest): Promise<void> {
  const loaded = await core.store.load(run);
  const { path, attempt } = await attemptWithToken(core, loaded.state, request.token);
  await core.assertDrivable(loaded);
  const read = checkAssumptions(core.parts.mask(toPlain(request.assumptions ?? null, 'the assumptions')));
  if ('why' in read) throw new EngineError('REPORT_INVALID', `the assumptions are invalid: ${read.why}`);
  const value = storedValue(read.assumptions as unknown as Json);
  const recorded = (loaded.state.assumptions ?? []).filter((known) => known.path === path && known.attempt === attempt);
  const isRepeated = recorded.some(({ list }) => list.digest === value.ref.digest);
  if (!isRepeated && recorded.length + read.assumptions.length > ASSUMPTIONS_PER_ATTEMPT)
    throw new EngineError(
      'LIMIT_REACHED',
      `this attempt has recorded ${recorded.length} assumptions, and ${ASSUMPTIONS_PER_ATTEMPT} is the limit; decide the rest yourself, or ask`,
    );
  if (openAssumptions(loaded.state).length + read.assumptions.length > OPEN_ASSUMPTIONS_MAX)
    throw new EngineError(
      'LIMIT_REACHED',
      `run ${run} has ${openAssumptions(loaded.state).length} open assumptions, and ${OPEN_ASSUMPTIONS_MAX} is the limit; a person must answer some: "pawl assumptions ${run}"`,
    );
  const input: InputOf<'assumed'> = { type: 'assumed', at: core.clock.now(), path, attempt, assumed: value.ref };
  await send(core, { run, dedupe: `assumed/${path}/${attempt}/${value.ref.digest}`, input, values: [value] });
}

/** The result of answering an assumption. */
export interface AssumptionResult {
  readonly assumption: string;
  readonly agrees: boolean;
  /** The step that runs again because of it: in the run, or in an ancestor if the run itself has ended. */
  readonly again?: { readonly run: string; readonly step: string } | undefined;
  /** The step where a fork that follows the answer would start, if the run itself has ended. */
  readonly fork?: string;
}

/** Answers an assumption. Resolves when the answer is on disk and has taken effect. */
export async function answerAssumption(core: EngineCore, run: string, request: AssumptionRequest): Promise<AssumptionResult> {
  const actor = requireActor(request, `answer an assumption of run ${run}`);
  const loaded = await core.store.load(run);
  const { state } = loaded;
  const chosen = pickAssumption(state, request);
  const { assumed } = (await textsOf(core.store, [chosen]))(chosen);
  const agrees = request.agree === true || (request.answer !== undefined && isSameAnswer(assumed, request.answer));
  const answerText = request.answer?.trim() ?? '';
  if (!agrees && answerText === '')
    throw new EngineError(
      'INPUT_REQUIRED',
      `the answer to ${chosen.id} of run ${run} is empty; pass a text, or agree with what was assumed`,
    );
  if (!isFinal(state.status)) await core.assertDrivable(loaded);
  const value = answerText === '' ? undefined : storedValue(answerText);
  const place = agrees ? undefined : await placeOf(core.store, run, chosen);
  const action: ControlAction = { do: 'answer', assumption: chosen.id, agrees, ...omitUndefined({ text: value?.ref, place }) };
  const signature = await request.sign?.(overrideStatement(run, action, actor));
  const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor, action, ...omitUndefined({ signature }) };
  await assertSignedFor(core, loaded, input);
  await send(core, { run, dedupe: `assumption/${chosen.id}`, input, values: value === undefined ? [] : [value] });
  const after = (await core.store.load(run)).state.assumptions?.find(({ id }) => id === chosen.id)?.answer;
  if (after === undefined || after.actor !== actor || after.agrees !== agrees) throw alreadyAnswered(run, chosen.id, after);
  await recheckTree(core, run, actor);
  if (agrees) return { assumption: chosen.id, agrees };
  if (after.unmet !== true) return { assumption: chosen.id, agrees, again: { run, step: chosen.step } };
  const above = await runAgainAbove(core, state, { ...request, actor, assumed: (await textsOf(core.store, [chosen]))(chosen), answerText });
  return { assumption: chosen.id, agrees, ...(above === undefined ? { fork: place?.step ?? chosen.step } : { again: above }) };
}

interface AnswerBelow {
  readonly actor: string;
  readonly assumed: AssumptionText;
  readonly answerText: string;
  readonly sign?: Signer | undefined;
}

/** For an ended run: if an ancestor has not ended, its step that led to the run runs again, with the answer. */
async function runAgainAbove(core: EngineCore, child: RunState, answer: AnswerBelow): Promise<AssumptionResult['again']> {
  const { actor, assumed, answerText, sign } = answer;
  if (child.parent === undefined) return undefined;
  const { run, path } = child.parent;
  const loaded = await core.store.load(run);
  if (isFinal(loaded.state.status)) return runAgainAbove(core, loaded.state, answer);
  const place = await placeOf(core.store, run, { path });
  if (place === undefined) return undefined;
  const note = `${assumed.question} It was assumed: ${assumed.assumed} The answer is: ${answerText}`;
  const action: ControlAction = { do: 'again', place, note };
  const signature = await sign?.(overrideStatement(run, action, actor));
  const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor, action, ...omitUndefined({ signature }) };
  await assertSignedFor(core, loaded, input);
  await send(core, { run, dedupe: `again/${child.id}/${loaded.state.seq}`, input, values: [] });
  return { run, step: place.step };
}

function pickAssumption(state: RunState, { assumption, digest }: AssumptionRequest): Assumption {
  const { id: run, assumptions = [] } = state;
  const open = openAssumptions(state);
  const chosen = assumption === undefined ? open[0] : assumptions.find(({ id }) => id === assumption);
  if (assumption === undefined && open.length > 1)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${run} has ${open.length} open assumptions; name one: ${open.map(({ id }) => id).join(', ')}`,
    );
  if (chosen === undefined) {
    const ids = assumptions.map(({ id }) => id);
    const which = assumption === undefined ? 'no open assumption' : `no assumption "${assumption}"${didYouMean(assumption, ids)}`;
    throw new EngineError('WAIT_NOT_FOUND', `run ${run} has ${which}; "pawl assumptions ${run}" lists them`);
  }
  if (chosen.answer !== undefined) throw alreadyAnswered(run, chosen.id, chosen.answer);
  if (digest !== undefined && !chosen.digest.startsWith(digest))
    throw new EngineError(
      'CONTENT_CHANGED',
      `assumption ${chosen.id} of run ${run} is not the one you saw; "pawl assumptions ${run}" shows it, with its digest`,
      { details: { digest: chosen.digest } },
    );
  return chosen;
}

function alreadyAnswered(run: string, id: string, answer: Assumption['answer']): EngineError {
  const who = answer === undefined ? 'someone else a moment ago' : answer.actor;
  return new EngineError('ALREADY_DECIDED', `assumption ${id} of run ${run} was already answered by ${who}; the first answer counts`, {
    details: { assumption: id, ...omitUndefined({ actor: answer?.actor }) },
  });
}

/** Returns how the step of an assumption, or its group, last ended; undefined if it never did. */
async function placeOf(store: Store, run: string, { path, within }: Pick<Assumption, 'path' | 'within'>): Promise<HaltedStep | undefined> {
  return lastEndOf(
    (await store.events(run, 0)).flatMap(({ events }) => events),
    within ?? path,
  );
}

/** Makes runs of the same tree that wait for answers before a merge check again. */
async function recheckTree(core: EngineCore, run: string, actor: string): Promise<void> {
  for (const { id } of (await readWholeTree(core.store, run)).filter((other) => other.id !== run)) {
    const { state } = await core.store.load(id);
    if (!Object.values(state.live).some((live) => live.state === 'waiting' && live.wait.kind === 'assumptions')) continue;
    const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor, action: { do: 'recheck' } };
    const dedupe = `recheck/${run}/${state.seq}`;
    // A run that cannot be driven here checks again when another process drives it. The answer itself is recorded.
    await send(core, { run: id, dedupe, input, values: [] }, { stays: true }).catch((error: unknown) => core.warn(error));
  }
}

/** Returns how the step that was opened at a path last ended, at that path or a later one; undefined if it never did. */
export function lastEndOf(log: readonly RunEvent[], opened: Path): HaltedStep | undefined {
  const [first, ...rest] = log;
  if (first?.type !== 'run.started') return undefined;
  const draft: Draft = draftOf(createRun(first));
  let step: string | undefined;
  let last: HaltedStep | undefined;
  for (const event of rest) {
    if (event.type === 'step.opened' && event.activation.path === opened) step = event.activation.step;
    const ended = event.type === 'step.settled' ? draft.live[event.path] : undefined;
    if (event.type === 'step.settled' && ended?.member === undefined && ended?.step === step && ended !== undefined) {
      const { path, attempt, input } = ended;
      last = { path, step: ended.step, outcome: event.outcome, attempt, ...omitUndefined({ input, group: draft.groups[path] }) };
    }
    apply(draft, event);
  }
  return last;
}
