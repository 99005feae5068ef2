// Owns requests to a run: decide, signal, cancel and pause. Each request is mail: it is on disk before anything
// acts on it, a repeated one is harmless, and the run's owner consumes it. An invalid request is rejected before it is
// posted, with a message that says what to do.

import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { createRunId } from '../../base/id.ts';
import { type JsonObject, toPlain } from '../../base/json.ts';
import type { Signature } from '../../base/signature.ts';
import { didYouMean } from '../../base/suggest.ts';
import { withoutVisits } from '../../definition/address.ts';
import { leadsToLanding } from '../../definition/landing.ts';
import { decisionValue } from '../../definition/question/decision-value.ts';
import { isFinal, isSettled } from '../../definition/run-status.ts';
import type { Activation } from '../../kernel/activation.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { ControlAction, InputOf, RunInput } from '../../kernel/input.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { StoredValue, SuccessfulClaim } from '../../store/store.ts';
import type { EngineCore } from '../engine.ts';
import { assertMergeAllowed } from '../merge-block.ts';
import { assertSigned, isOverride, overrideStatement, type Signer, signedBy } from '../signature/signatures.ts';
import { waitsOf } from '../status.ts';
import { storedValue } from '../values.ts';
import { ENGINE_ACTOR, requireActor } from './actor.ts';
import { approvalsIn, isAsked, type OpenApproval, openApprovals } from './approvals.ts';
import { isPending, send } from './delivery.ts';
import { nextChange } from './follow.ts';
import { watchOwner } from './owner-wait.ts';
import { checkDecision, checkSignal } from './request-shape.ts';

/** A person's decision of an approval. */
export interface DecisionRequest<Option extends string = string, Place extends string = string> {
  readonly option: Option;
  readonly actor: string;
  /** The person's text, if the option requires one. */
  readonly input?: string | undefined;
  /** The path or step of the approval. Needed when several wait. */
  readonly approval?: Place | undefined;
  /** The digest of what was shown. A decision with another digest is rejected. */
  readonly digest?: string | undefined;
  /** The actor's signature over run, question, digest, option and input. */
  readonly signature?: Signature | undefined;
  /** Creates that signature, as an alternative. */
  readonly sign?: Signer | undefined;
}

/** Records a person's decision. Resolves when it is on disk and consumed. */
export async function decideApproval(core: EngineCore, run: string, request: DecisionRequest): Promise<void> {
  const who = requireActor(request, `decide in run ${run}`);
  checkDecision(run, request);
  const loaded = await core.store.load(run);
  const { state } = loaded;
  if (isFinal(state.status)) throw finalRunError(state);
  await core.assertDrivable(loaded);
  const approvals = await approvalsIn(core, loaded);
  // A question whose subjects were not checked yet is about to be asked; the run's driver is working on it.
  if (!approvals.every(isAsked)) {
    await untilAsked(core, run);
    return decideApproval(core, run, request);
  }
  const approval = pickApproval(state, approvals, request);
  const option = approval.question.options.find((candidate) => candidate.label === request.option);
  const labels = approval.question.options.map((candidate) => candidate.label);
  if (option === undefined)
    throw new EngineError(
      'OPTION_INVALID',
      `approval "${approval.step}" of run ${run} has no option "${request.option}"${didYouMean(request.option, labels)}; it has ${labels.map((label) => `"${label}"`).join(', ')}`,
    );
  if (option.requiresInput && (request.input ?? '').trim() === '')
    throw new EngineError('INPUT_REQUIRED', `option "${option.label}" of approval "${approval.step}" requires a text; pass it as input`);
  if (request.digest !== undefined && request.digest !== approval.digest) throw contentChangedError(run, approval);
  if (leadsToLanding(core.parts.facts, loaded.definition, { question: approval.step, option }))
    await assertMergeAllowed(core.store, run, `option "${option.label}" of approval "${approval.step}"`);
  const memberName = actorFor(core, approval, who);
  // The signer's name is recorded as it is in the key list, however a group spells it.
  const actor = request.signature === undefined && request.sign === undefined ? memberName : who;
  const activation = state.live[approval.path] as Activation;
  const wait = humanWaitOf(activation);
  const decision = decisionValue({ option: option.label, actor, text: request.input }, { digest: approval.digest });
  const value = storedValue(decision);
  const unsigned: InputOf<'decided'> = {
    type: 'decided',
    at: core.clock.now(),
    path: approval.path,
    option: option.label,
    digest: approval.digest,
    actor,
    output: value.ref,
    ...omitUndefined({ text: request.input }),
  };
  const input = await signedBy(run, unsigned, request);
  await assertSignedFor(core, loaded, input);
  // If a question needs several people, each has a vote and may change it.
  const whose = (approval.question.count ?? 1) > 1 ? `/${option.label}/${actor}/${state.seq}` : '';
  const round = wait?.round === undefined ? '' : `/${wait.round}`;
  const dedupe = `decided/${approval.path}/${activation.attempt}/${approval.digest}${round}${whose}`;
  const mail = { run, dedupe, input, values: [value] };
  if ((await send(core, mail, { once: true })) === 'duplicate') {
    const first = await pendingDecision(core, run, dedupe);
    // A process that died after posting left the decision in the inbox: it counts, and must still be consumed.
    if (first !== undefined) await send(core, mail);
    if (!(first?.option === input.option && first.actor === actor)) throw await alreadyDecided(core, run, { approval, first });
  }
  await confirmDecision(core, run, { approval, dedupe, actor, after: state.seq });
}

/** Throws if a person's request requires a signature and has no valid one. */
export async function assertSignedFor(
  core: EngineCore,
  loaded: Pick<SuccessfulClaim, 'state' | 'definition'>,
  input: Parameters<typeof assertSigned>[2],
): Promise<void> {
  const proof = () => core.signatureContext(loaded);
  await assertSigned(core.parts.signing, { state: loaded.state, proof, at: core.clock.now() }, input);
}

/** Drives the run, or waits for its owner, until every question in it has been asked. */
async function untilAsked(core: EngineCore, run: string): Promise<void> {
  await core.drive(run, {});
  await untilState(core, run, allAsked);
}

/** Returns the questions that are shown to people, once this process has asked those that it is about to ask. */
export async function askedApprovals(core: EngineCore, run: string): Promise<readonly OpenApproval[]> {
  if (core.driverOf(run) !== undefined) await untilState(core, run, allAsked);
  return (await openApprovals(core, run)).filter(isAsked);
}

/**
 * Observes the subjects of a run's open questions again and returns the questions. A question whose subjects changed is
 * asked again, so that people see the current state.
 */
export async function freshApprovals(core: EngineCore, run: string): Promise<readonly OpenApproval[]> {
  const { state } = await core.store.load(run);
  if (!isSettled(state.status) && externalSubjects(state).some(({ seen }) => seen !== undefined)) {
    await controlRun(core, run, { action: { do: 'recheckGates' }, actor: ENGINE_ACTOR });
    await untilState(core, run, (now) => externalSubjects(now).every(({ seen, decided }) => seen !== undefined && decided === undefined));
  }
  return askedApprovals(core, run);
}

/** The outside subjects of a run's open questions. */
function externalSubjects({ live }: RunState) {
  return Object.values(live).flatMap((activation) => humanWaitOf(activation)?.outside ?? []);
}

function allAsked({ live }: RunState): boolean {
  return Object.values(live).every((activation) => {
    const wait = humanWaitOf(activation);
    return wait === undefined || wait.digest !== undefined;
  });
}

/** Resolves when the checkpoint of a run satisfies the condition, whichever process drives it. */
export async function untilState(core: EngineCore, run: string, condition: (state: RunState) => boolean): Promise<void> {
  using owned = watchOwner(core, run, 'work');
  for (;;) {
    using changed = nextChange(core);
    const { state, owner } = await core.store.load(run);
    // The run has no driver any more: it stays as it is until it is resumed.
    if (condition(state) || (owner === undefined && core.driverOf(run) === undefined)) return;
    await Promise.race([changed.happened, owned.free]);
  }
}

/** Makes sure that a decision took effect: a timeout, a cancel or a change of what was shown may have come first. */
async function confirmDecision(
  core: EngineCore,
  run: string,
  decision: { readonly approval: OpenApproval; readonly dedupe: string; readonly actor: string; readonly after: number },
): Promise<void> {
  const { approval, dedupe, actor, after } = decision;
  await untilState(
    core,
    run,
    ({ live }) => !(humanWaitOf(live[approval.path])?.outside?.decided ?? []).some((pending) => pending.actor === actor),
  );
  const isIt = (event: RunEvent): boolean =>
    event.type === 'run.changed' && event.change === 'decided' && event.decision.actor === actor && event.decision.step === approval.step;
  // The inbox is read first: a decision that is consumed in between is then found in the log.
  const isWaiting = await isPending(core, run, dedupe);
  if ((await core.store.events(run, after)).some(({ events }) => events.some(isIt))) return;
  if (isWaiting)
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `the decision of approval "${approval.step}" of run ${run} is recorded, but the run stopped before it took effect; resume the run`,
    );
  const { state } = await core.store.load(run);
  throw isFinal(state.status) ? finalRunError(state) : contentChangedError(run, approval, await noteOn(core, run, { approval, after }));
}

/** Returns the changes because of which the question was asked again, if there were any. */
async function noteOn(
  core: EngineCore,
  run: string,
  { approval, after }: { approval: OpenApproval; after: number },
): Promise<string | undefined> {
  const events = (await core.store.events(run, after)).flatMap((row) => row.events);
  const changed = events.findLast(
    (event) => event.type === 'step.changed' && event.activation.path === approval.path && event.note !== undefined,
  );
  return changed?.type === 'step.changed' ? changed.note : undefined;
}

/** Returns the person's name as the groups of the approval have it. Throws for anyone else. */
function actorFor(core: EngineCore, { step, question }: OpenApproval, actor: string): string {
  if (question.from === undefined) return actor;
  const memberName = core.parts.mayDecide(question.from, actor);
  if (memberName !== undefined) return memberName;
  throw new EngineError(
    'NOT_ALLOWED',
    `approval "${step}" can only be decided by ${question.from.join(' or ')}, and "${actor}" is not a member`,
    { details: { step, from: question.from, actor } },
  );
}

function pickApproval(state: RunState, approvals: readonly OpenApproval[], request: DecisionRequest): OpenApproval {
  const named =
    request.approval === undefined
      ? approvals
      : approvals.filter((approval) => approval.path === request.approval || approval.step === request.approval);
  if (named.length === 1) return named[0] as OpenApproval;
  if (named.length > 1)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${state.id} has ${named.length} waiting approvals; name one: ${named.map((approval) => approval.path).join(', ')}`,
    );
  const decided = state.decision;
  if (decided !== undefined && (request.approval === undefined || withoutVisits(request.approval) === decided.step)) {
    throw new EngineError(
      'ALREADY_DECIDED',
      `approval "${decided.step}" of run ${state.id} was already decided: "${decided.option}" by ${decided.actor}`,
      { details: { ...decided } },
    );
  }
  throw new EngineError(
    'WAIT_NOT_FOUND',
    `run ${state.id} has no approval${request.approval === undefined ? '' : ` "${request.approval}"`} that waits for a person; ${openInstead(state, approvals)}`,
  );
}

/** The open questions or waits, for the message that the named question is not open. */
function openInstead(state: RunState, approvals: readonly OpenApproval[]): string {
  if (approvals.length > 0) return `open are: ${approvals.map(({ path }) => path).join(', ')}`;
  const waits = waitsOf(state).map(({ kind, path }) =>
    kind === 'unknown'
      ? `someone to say how ${path} ended, which was interrupted (resume the run with rerun, done or failed)`
      : `${kind}${path === undefined ? '' : ` at ${path}`}`,
  );
  return waits.length === 0 ? 'it is not waiting' : `it waits for: ${waits.join(', ')}`;
}

function contentChangedError(run: string, approval: OpenApproval, note?: string): EngineError {
  const why = note ?? 'it has changed since you saw it, or it timed out';
  return new EngineError(
    'CONTENT_CHANGED',
    `your decision of approval "${approval.step}" of run ${run} does not count: ${why}; the question was asked again with the current content: see "pawl inbox ${run}" and decide again`,
    { details: { digest: approval.digest, ...omitUndefined({ changes: note }) } },
  );
}

/** Returns a decision that is still in the inbox. */
async function pendingDecision(core: EngineCore, run: string, dedupe: string): Promise<InputOf<'decided'> | undefined> {
  const input = (await core.store.inbox(run, 0)).find((mail) => mail.dedupe === dedupe)?.input;
  return input?.type === 'decided' ? input : undefined;
}

async function alreadyDecided(
  core: EngineCore,
  run: string,
  { approval, first }: { readonly approval: OpenApproval; readonly first: InputOf<'decided'> | undefined },
): Promise<EngineError> {
  const { decision } = (await core.store.load(run)).state;
  const { option, actor } = first ?? decision ?? {};
  const who = actor === undefined ? 'another person a moment ago' : `${actor} ("${option}")`;
  return new EngineError(
    'ALREADY_DECIDED',
    `approval "${approval.step}" of run ${run} was already decided by ${who}; the first decision counts`,
    { details: actor === undefined ? {} : { step: approval.step, option, actor } },
  );
}

/** Sends a named signal. Resolves when it is on disk and consumed. `id` makes a repeated one harmless. */
export async function sendSignal(
  core: EngineCore,
  run: string,
  signal: { readonly name: string; readonly payload?: unknown; readonly id?: string },
): Promise<void> {
  checkSignal(run, signal.name);
  const loaded = await core.store.load(run);
  if (isFinal(loaded.state.status)) throw finalRunError(loaded.state);
  await core.assertDrivable(loaded);
  const payload = signal.payload === undefined ? undefined : storedValue(toPlain(signal.payload, `the payload of signal "${signal.name}"`));
  const dedupe = `signal/${signal.name}/${signal.id ?? createRunId()}`;
  const input: RunInput = { type: 'signalled', at: core.clock.now(), name: signal.name, ...omitUndefined({ payload: payload?.ref }) };
  await send(core, { run, dedupe, input, values: payload === undefined ? [] : [payload] });
}

/** Adds facts to a run's data. `id` makes a repeated call harmless. */
export async function addFacts(core: EngineCore, run: string, update: { readonly facts: JsonObject; readonly id: string }): Promise<void> {
  const value = storedValue(update.facts);
  const dedupe = `facts/${update.id}`;
  const input: RunInput = { type: 'facts', at: core.clock.now(), facts: value.ref };
  await send(core, { run, dedupe, input, values: [value] }, { stays: true });
}

/** Cancels, pauses or continues a run. Resolves when it is on disk and consumed. */
export async function controlRun(
  core: EngineCore,
  run: string,
  request: {
    readonly action: ControlAction;
    /** The name of the person or program that acts. Required. */
    readonly actor: string | undefined;
    readonly values?: readonly StoredValue[];
    readonly acceptedBy?: string;
    readonly sign?: Signer | undefined;
    /** Makes a repeated request harmless. */
    readonly id?: string;
  },
): Promise<void> {
  const { action, acceptedBy, sign, values = [], id = createRunId() } = request;
  const actor = requireActor(request, `${ACTION_TEXTS[action.do]} run ${run}`);
  const loaded = await core.store.load(run);
  if (isFinal(loaded.state.status)) throw finalRunError(loaded.state);
  const options = {
    ...omitUndefined({ acceptedBy, sign }),
    cancel: action.do === 'cancel',
    leave: action.do === 'cancel' && action.undo === false,
  };
  await core.assertDrivable(loaded, options);
  const dedupe = `control/${action.do}/${id}`;
  const signature = sign !== undefined && isOverride(action) ? await sign(overrideStatement(run, action, actor)) : undefined;
  const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor, action, ...omitUndefined({ signature }) };
  await assertSignedFor(core, loaded, input);
  await send(core, { run, dedupe, input, values }, options);
}

/** The verb of each action, for error messages. */
const ACTION_TEXTS: Readonly<Record<ControlAction['do'], string>> = {
  cancel: 'cancel',
  pause: 'pause',
  unpause: 'unpause',
  recheck: 'resume',
  grant: 'grant a budget to',
  acceptCode: 'accept the changed code of',
  retry: 'resume',
  accept: 'resume',
  answer: 'answer an assumption of',
  again: 'run a step again in',
  recheckGates: 'check the gates of',
  wake: 'wake the agents of',
  back: 'go back in',
  warn: 'warn about',
  halt: 'stop',
  undone: 'undo steps of',
  goto: 'resume',
  resolve: 'resume',
};

/** The error for a request to continue a run that was undone. */
export function undoneRunError({ id, status }: RunState): EngineError {
  const message = `run ${id} failed and was undone; it cannot continue. Start it again, or fork it to continue from one of its steps`;
  return new EngineError('RUN_FINAL', message, { details: { run: id, status } });
}

/** The error for a request to a run that has ended. */
export function finalRunError(state: RunState): EngineError {
  return new EngineError(
    'RUN_FINAL',
    `run ${state.id} is ${state.status}; it can no longer be changed. Fork it to continue from one of its steps`,
    { details: { run: state.id, status: state.status } },
  );
}
