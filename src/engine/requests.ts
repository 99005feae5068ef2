// Owns what people and programs ask of a run: decide, signal, cancel, pause, resume. Each is mail: it is on disk
// before anything acts on it, a repeated one is harmless, and whoever owns the run takes it. What cannot be right is
// refused before it is posted, with the way out.

import { EngineError } from '../base/error.ts';
import { createRunId } from '../base/id.ts';
import { type Json, type JsonObject, toPlain } from '../base/json.ts';
import type { Signature } from '../base/signature.ts';
import { didYouMean } from '../base/suggest.ts';
import { type Budget, budgetFault } from '../definition/budget.ts';
import type { Definition } from '../definition/model.ts';
import { stepsPassed } from '../definition/passage.ts';
import type { Activation, Path } from '../kernel/activation.ts';
import { humanWaitOf, waitOf } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { ControlAction, ControlInput, DecidedInput, RunInput } from '../kernel/input.ts';
import { isFinal, isHalted, type RunState, unknownAt } from '../kernel/run-state.ts';
import { waitsOf } from '../kernel/status.ts';
import type { Claimed, StoredValue } from '../store/store.ts';
import { requireActor } from './actor.ts';
import { isUntaken, send, storedValue } from './delivery.ts';
import { RunDriver } from './driver.ts';
import type { EngineCore } from './engine.ts';
import { nextChange } from './follow.ts';
import { gatesIn, type OpenGate, openGates } from './gates.ts';
import { heldError, watchOwner } from './patience.ts';
import { checkChoice, checkDecision, checkSignal } from './request-shape.ts';
import { assertSigned, isOverride, overrideStatement, type Signer, signedBy } from './signatures.ts';

/** A decision of a person at a gate. */
export interface DecisionRequest {
  readonly option: string;
  readonly actor: string;
  /** What the person wrote, where the option asks for it. */
  readonly input?: string;
  /** Which gate, when several wait: its path or its step. */
  readonly gate?: string;
  /** The digest of what was shown; a decision about something else is refused. */
  readonly digest?: string;
  /** The signature of the actor over run, question, digest, option and input. */
  readonly signature?: Signature;
  /** Gives that signature, instead. */
  readonly sign?: Signer;
}

/** How a run that stands still goes on. */
export type ResumeChoice =
  | { readonly how: 'retry'; readonly note?: string; readonly extend?: number }
  | { readonly how: 'accept'; readonly note?: string; readonly output?: Json }
  | { readonly how: 'goto'; readonly step: string; readonly note?: string }
  /** `path` is that of the step or, for all members of a group whose end is unknown, of the group. */
  | { readonly how: 'rerun' | 'done' | 'failed'; readonly path?: Path; readonly note?: string; readonly output?: Json };

/** Records a person's decision; resolves when it is on disk and taken. */
export async function decideGate(core: EngineCore, run: string, request: DecisionRequest): Promise<void> {
  const who = requireActor(request, `decides in run ${run}`);
  checkDecision(run, request);
  const loaded = await core.store.load(run);
  const { state } = loaded;
  if (isFinal(state.status)) throw finalRun(state);
  await core.assertDrivable(loaded);
  const gates = await gatesIn(core, loaded);
  // A question whose subjects were not looked at yet is about to be put; whoever drives the run is at it.
  if (gates.some((gate) => gate.digest === '')) {
    await untilPut(core, run);
    return decideGate(core, run, request);
  }
  const gate = pickGate(state, gates, request);
  const option = gate.gate.options.find((candidate) => candidate.label === request.option);
  const labels = gate.gate.options.map((candidate) => candidate.label);
  if (option === undefined)
    throw new EngineError(
      'OPTION_INVALID',
      `gate "${gate.step}" of run ${run} has no option "${request.option}"${didYouMean(request.option, labels)}; it has ${labels.map((label) => `"${label}"`).join(', ')}`,
    );
  if (option.requiresInput && (request.input ?? '').trim() === '')
    throw new EngineError('INPUT_REQUIRED', `option "${option.label}" of gate "${gate.step}" needs a text; give it as input`);
  if (request.digest !== undefined && request.digest !== gate.digest) throw changed(run, gate);
  const known = actorFor(core, gate, who);
  // Who signs is recorded as the list of keys has them, however a group spells their name.
  const actor = request.signature === undefined && request.sign === undefined ? known : who;
  const activation = state.live[gate.path] as Activation;
  const wait = humanWaitOf(activation);
  const decision = {
    option: option.label,
    actor,
    digest: gate.digest,
    ...(request.input === undefined ? {} : { input: request.input }),
  };
  const value = storedValue(decision);
  const unsigned: DecidedInput = {
    type: 'decided',
    at: core.clock.now(),
    path: gate.path,
    option: option.label,
    digest: gate.digest,
    actor,
    output: value.ref,
    ...(request.input === undefined ? {} : { text: request.input }),
  };
  const input = await signedBy(run, unsigned, request);
  await assertSignedFor(core, loaded, input);
  // Where it takes several people each has a word of their own, and may change their mind.
  const whose = (gate.gate.count ?? 1) > 1 ? `/${option.label}/${actor}/${state.seq}` : '';
  const round = wait?.round === undefined ? '' : `/${wait.round}`;
  const dedupe = `decided/${gate.path}/${activation.attempt}/${gate.digest}${round}${whose}`;
  const mail = { run, dedupe, input, values: [value] };
  if ((await send(core, mail, { once: true })) === 'duplicate') {
    const first = await untakenDecision(core, run, dedupe);
    // A process that died after it posted left it there: it counts, and somebody has to take it.
    if (first !== undefined) await send(core, mail);
    if (!(first?.option === input.option && first.actor === actor)) throw await alreadyDecided(core, run, { gate, first });
  }
  await confirmDecision(core, run, { gate, dedupe, actor, after: state.seq });
}

/** Refuses what takes a signature of a person and has none that counts. */
export async function assertSignedFor(
  core: EngineCore,
  loaded: Pick<Claimed, 'state' | 'definition'>,
  input: Parameters<typeof assertSigned>[2],
): Promise<void> {
  const proof = () => core.proofOf(loaded);
  await assertSigned(core.parts.signing, { state: loaded.state, proof, at: core.clock.now() }, input);
}

/** Drives the run, or waits for its owner, until every question in it has been put. */
async function untilPut(core: EngineCore, run: string): Promise<void> {
  await core.drive(run, {});
  await untilState(core, run, isPut);
}

/** The questions that wait for people. Those that this process is about to put are put first: they have no digest yet. */
export async function putGates(core: EngineCore, run: string): Promise<readonly OpenGate[]> {
  if (core.driverOf(run) !== undefined) await untilState(core, run, isPut);
  return openGates(core, run);
}

function isPut({ live }: RunState): boolean {
  return Object.values(live).every((activation) => {
    const wait = humanWaitOf(activation);
    return wait === undefined || wait.digest !== undefined;
  });
}

/** Resolves when the checkpoint of a run is as wanted, whoever drives it. */
export async function untilState(core: EngineCore, run: string, isSo: (state: RunState) => boolean): Promise<void> {
  const owned = watchOwner(core, run, 'work');
  try {
    for (;;) {
      const changed = nextChange(core);
      try {
        const { state, owner } = await core.store.load(run);
        // Nobody drives it any more: what is left there stays until somebody resumes it.
        if (isSo(state) || (owner === undefined && core.driverOf(run) === undefined)) return;
        await Promise.race([changed.happened, owned.free]);
      } finally {
        changed.stop();
      }
    }
  } finally {
    owned.stop();
  }
}

/** Makes sure that a decision was taken: its time, a cancel or a change of what was shown may have been quicker. */
async function confirmDecision(
  core: EngineCore,
  run: string,
  made: { readonly gate: OpenGate; readonly dedupe: string; readonly actor: string; readonly after: number },
): Promise<void> {
  const { gate, dedupe, actor, after } = made;
  await untilState(
    core,
    run,
    ({ live }) => !(humanWaitOf(live[gate.path])?.outside?.decided ?? []).some((decision) => decision.actor === actor),
  );
  const isIt = (event: RunEvent): boolean =>
    event.type === 'run.changed' && event.decision?.actor === actor && event.decision.gate === gate.step;
  if ((await core.store.events(run, after)).some(({ events }) => events.some(isIt))) return;
  if (await isUntaken(core, run, dedupe))
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `the decision at gate "${gate.step}" of run ${run} is recorded, but the run stopped before it was taken; resume the run`,
    );
  const { state } = await core.store.load(run);
  throw isFinal(state.status) ? finalRun(state) : changed(run, gate, await noteOn(core, run, { gate, after }));
}

/** What was found to be different, where that is why the question was put anew. */
async function noteOn(core: EngineCore, run: string, { gate, after }: { gate: OpenGate; after: number }): Promise<string | undefined> {
  const events = (await core.store.events(run, after)).flatMap((row) => row.events);
  const found = events.findLast(
    (event) => event.type === 'step.changed' && event.activation.path === gate.path && event.note !== undefined,
  );
  return found?.type === 'step.changed' ? found.note : undefined;
}

/** The person as the groups of the gate know them; refuses everybody else. */
function actorFor(core: EngineCore, { step, gate }: OpenGate, actor: string): string {
  if (gate.from === undefined) return actor;
  const known = core.parts.mayDecide(gate.from, actor);
  if (known !== undefined) return known;
  throw new EngineError('NOT_ALLOWED', `gate "${step}" is for ${gate.from.join(' or ')}, and "${actor}" is in none of them`, {
    details: { gate: step, from: gate.from, actor },
  });
}

function pickGate(state: RunState, gates: readonly OpenGate[], request: DecisionRequest): OpenGate {
  const named = request.gate === undefined ? gates : gates.filter((gate) => gate.path === request.gate || gate.step === request.gate);
  if (named.length === 1) return named[0] as OpenGate;
  if (named.length > 1)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${state.id} has ${named.length} gates that wait; name one: ${named.map((gate) => gate.path).join(', ')}`,
    );
  const decided = state.decision;
  if (decided !== undefined && (request.gate === undefined || request.gate.split('#')[0] === decided.gate)) {
    throw new EngineError(
      'ALREADY_DECIDED',
      `gate "${decided.gate}" of run ${state.id} was decided: "${decided.option}" by ${decided.actor}`,
      { details: { ...decided } },
    );
  }
  const waits = waitsOf(state).map((wait) => wait.kind);
  throw new EngineError(
    'WAIT_NOT_FOUND',
    `run ${state.id} has no gate${request.gate === undefined ? '' : ` "${request.gate}"`} that waits for a person; it ${waits.length === 0 ? 'waits for nothing' : `waits for: ${waits.join(', ')}`}`,
  );
}

function changed(run: string, gate: OpenGate, note?: string): EngineError {
  const why = note ?? 'it has changed since you looked, or its time ran out';
  return new EngineError(
    'CONTENT_CHANGED',
    `what gate "${gate.step}" of run ${run} is about is not what you decided on: ${why}; the question was put again, about what is there now: look at it with "pawl inbox ${run}" and decide again`,
    { details: { digest: gate.digest, ...(note === undefined ? {} : { changes: note }) } },
  );
}

/** A decision that lies in the inbox. */
async function untakenDecision(core: EngineCore, run: string, dedupe: string): Promise<DecidedInput | undefined> {
  const input = (await core.store.inbox(run, 0)).find((mail) => mail.dedupe === dedupe)?.input;
  return input?.type === 'decided' ? input : undefined;
}

async function alreadyDecided(
  core: EngineCore,
  run: string,
  { gate, first }: { readonly gate: OpenGate; readonly first: DecidedInput | undefined },
): Promise<EngineError> {
  const { decision } = (await core.store.load(run)).state;
  const { option, actor } = first ?? decision ?? {};
  const who = actor === undefined ? 'somebody else, a moment ago' : `${actor} ("${option}")`;
  return new EngineError('ALREADY_DECIDED', `gate "${gate.step}" of run ${run} was already decided by ${who}; the first decision counts`, {
    details: actor === undefined ? {} : { gate: gate.step, option, actor },
  });
}

/** Sends a named signal; resolves when it is on disk and taken. `id` makes a repeated one harmless. */
export async function sendSignal(
  core: EngineCore,
  run: string,
  signal: { readonly name: string; readonly payload?: unknown; readonly id?: string },
): Promise<void> {
  checkSignal(run, signal.name);
  const loaded = await core.store.load(run);
  if (isFinal(loaded.state.status)) throw finalRun(loaded.state);
  await core.assertDrivable(loaded);
  const payload = signal.payload === undefined ? undefined : storedValue(toPlain(signal.payload, `the payload of signal "${signal.name}"`));
  const dedupe = `signal/${signal.name}/${signal.id ?? createRunId()}`;
  const input: RunInput = {
    type: 'signalled',
    at: core.clock.now(),
    name: signal.name,
    ...(payload === undefined ? {} : { payload: payload.ref }),
  };
  await send(core, { run, dedupe, input, values: payload === undefined ? [] : [payload] });
}

/** Tells a run facts that join its data; `id` makes a repeated telling harmless. */
export async function tellFacts(core: EngineCore, run: string, told: { readonly facts: JsonObject; readonly id: string }): Promise<void> {
  const value = storedValue(told.facts);
  const dedupe = `facts/${told.id}`;
  const input: RunInput = { type: 'observed', at: core.clock.now(), facts: value.ref };
  await send(core, { run, dedupe, input, values: [value] }, { stays: true });
}

/** Cancels, pauses or continues a run; resolves when it is on disk and taken. */
export async function steerRun(
  core: EngineCore,
  run: string,
  steering: {
    readonly action: ControlAction;
    /** Whoever acts; a request without a name is refused. */
    readonly actor: string | undefined;
    readonly values?: readonly StoredValue[];
    readonly acceptedBy?: string;
    readonly sign?: Signer;
  },
): Promise<void> {
  const { action, acceptedBy, sign, values = [] } = steering;
  const actor = requireActor(steering, `${STEERING[action.do]} run ${run}`);
  const loaded = await core.store.load(run);
  if (isFinal(loaded.state.status)) throw finalRun(loaded.state);
  const how = {
    ...(acceptedBy === undefined ? {} : { acceptedBy }),
    ...(sign === undefined ? {} : { sign }),
    cancel: action.do === 'cancel',
  };
  await core.assertDrivable(loaded, how);
  const dedupe = `control/${action.do}/${createRunId()}`;
  const signature = sign !== undefined && isOverride(action) ? await sign(overrideStatement(run, action, actor)) : undefined;
  const input: ControlInput = { type: 'control', at: core.clock.now(), actor, action, ...(signature === undefined ? {} : { signature }) };
  await assertSignedFor(core, loaded, input);
  await send(core, { run, dedupe, input, values }, how);
}

/** What an action does to a run, after the name of whoever wants it. */
const STEERING: Readonly<Record<ControlAction['do'], string>> = {
  cancel: 'cancels',
  pause: 'pauses',
  unpause: 'ends the pause of',
  recheck: 'resumes',
  grant: 'grants a budget to',
  acceptCode: 'accepts the changed code of',
  retry: 'resumes',
  accept: 'resumes',
  goto: 'resumes',
  resolve: 'resumes',
};

/**
 * How a run is to be driven on. After a crash it goes on as it is, and nobody need be named; then work that waits for
 * budget or capacity looks again only when somebody says so. Everything that is chosen, granted or accepted is on record
 * with the actor.
 */
export type ResumeRequest =
  | {
      readonly actor?: string;
      readonly choice?: undefined;
      readonly budget?: undefined;
      readonly acceptChanges?: false;
      readonly sign?: Signer;
    }
  | {
      readonly actor: string;
      readonly choice?: ResumeChoice;
      /** Lets the run use so much more than its budgets say. */
      readonly budget?: Budget;
      /** Goes on with the code as it is now, though it is not what the run began with. */
      readonly acceptChanges?: boolean;
      /** Signs, as the actor, what takes a signature: each thing that is passed or widened by itself. */
      readonly sign?: Signer;
    };

/** Drives a run on: after a crash as it is, after a halt with a choice of a named person. */
export async function resumeRun(core: EngineCore, run: string, options: ResumeRequest): Promise<void> {
  const { budget } = options;
  const isNamed = options.actor !== undefined;
  const decides = options.choice !== undefined || budget !== undefined || options.acceptChanges === true;
  const { state, definition } = await core.store.load(run);
  const actor = isNamed || decides ? requireActor(options, `resumes run ${run}`) : undefined;
  if (isFinal(state.status)) throw finalRun(state);
  const accept = {
    ...(options.acceptChanges === true && actor !== undefined ? { acceptedBy: actor } : {}),
    ...(options.sign === undefined ? {} : { sign: options.sign }),
  };
  if (options.choice !== undefined) checkChoice(run, options.choice);
  // A choice that is refused must not leave the grant beside it behind.
  const chosen = options.choice === undefined ? undefined : actionOf(state, definition, options.choice);
  if (budget !== undefined) await grantBudget(core, run, { budget, actor, ...accept });
  if (chosen === undefined) {
    if (isHalted(state.status) && budget === undefined) throw refused(state);
    if (state.paused) return steerRun(core, run, { action: { do: 'unpause' }, actor, ...accept });
    if (budget !== undefined) return;
    const waits = Object.values(state.live).map((activation) => waitOf(activation)?.kind);
    // Whoever says so knows that there is capacity again; where there is none, the next agent finds that out.
    if (isNamed && waits.includes('capacity')) await core.store.openAccounts();
    if (isNamed && (waits.includes('budget') || waits.includes('capacity')))
      return steerRun(core, run, { action: { do: 'recheck' }, actor, ...accept });
    const driver = await core.drive(run, accept);
    if (driver !== undefined && !(driver instanceof RunDriver)) throw heldError(run, driver.heldBy, { at: state.at, isRecorded: false });
    return;
  }
  await steerRun(core, run, { ...chosen, actor, ...accept });
}

interface Grant {
  readonly budget: Budget;
  readonly actor: string | undefined;
  readonly acceptedBy?: string;
  readonly sign?: Signer;
}

/** Lets a run use more than its budgets say. Runs that it started wait for the same budget, and look again. */
async function grantBudget(core: EngineCore, run: string, { budget, ...how }: Grant): Promise<void> {
  const fault = budgetFault(budget);
  if (fault !== undefined) throw new EngineError('OPTION_INVALID', `the budget for run ${run} cannot be granted: ${fault}`);
  await steerRun(core, run, { action: { do: 'grant', budget }, ...how });
  await recheckChildren(core, run, how.actor);
}

async function recheckChildren(core: EngineCore, run: string, actor: string | undefined): Promise<void> {
  for (const { id, status } of await core.store.list({ parent: run })) {
    if (isFinal(status)) continue;
    const { state } = await core.store.load(id);
    const waits = Object.values(state.live).some((activation) => waitOf(activation)?.kind === 'budget');
    // What cannot be driven here looks again when somebody drives it; the grant stands.
    if (waits) await steerRun(core, id, { action: { do: 'recheck' }, actor }).catch((error: unknown) => core.warn(error));
    await recheckChildren(core, id, actor);
  }
}

function actionOf(
  state: RunState,
  definition: Definition,
  choice: ResumeChoice,
): { action: ControlAction; values: readonly StoredValue[] } {
  const note = choice.note === undefined ? {} : { note: choice.note };
  const value =
    'output' in choice && choice.output !== undefined && choice.output !== null
      ? storedValue(toPlain(choice.output, 'the accepted output'))
      : undefined;
  const output = value === undefined ? {} : { output: value.ref };
  const values = value === undefined ? [] : [value];
  switch (choice.how) {
    case 'retry':
      if (!isHalted(state.status)) throw refused(state);
      if (state.halt?.reason === 'exhausted' && choice.extend === undefined) throw refused(state);
      return { values, action: { do: 'retry', ...note, ...(choice.extend === undefined ? {} : { extend: choice.extend }) } };
    case 'accept':
      if (!isHalted(state.status) || state.halt?.path === undefined || state.halt.reason === 'exhausted') throw refused(state);
      return { values, action: { do: 'accept', ...note, ...output } };
    case 'goto':
      if (!isHalted(state.status) || state.form === 'flow') throw refused(state);
      if (!definition.steps.some((step) => step.id === choice.step))
        throw new EngineError(
          'STEP_UNKNOWN',
          `workflow "${state.workflow}" has no step "${choice.step}"${didYouMean(
            choice.step,
            definition.steps.map((step) => step.id),
          )}`,
        );
      return { values, action: { do: 'goto', step: choice.step, passed: passedBy(state, definition, choice.step), ...note } };
    default:
      return { values, action: { do: 'resolve', path: unknownPath(state, choice), how: RESOLUTIONS[choice.how], ...note, ...output } };
  }
}

/** The steps that a run which stands still gets past when it goes on at another step. */
function passedBy({ halt }: RunState, definition: Definition, step: string): readonly string[] {
  return stepsPassed(definition, halt?.step ?? definition.entry, step);
}

const NAMED_MAX = 20;
const RESOLUTIONS = { rerun: 'rerun', done: 'accept', failed: 'fail' } as const;

function unknownPath(state: RunState, { path, output }: Extract<ResumeChoice, { readonly how: 'rerun' | 'done' | 'failed' }>): Path {
  const unknown = Object.values(state.live).filter((activation) => activation.state === 'unknown');
  const [only, another] = unknown;
  const named = path ?? (another === undefined ? only?.path : undefined);
  const found = named === undefined ? [] : unknownAt(state, named);
  if (found.length > 1 && output !== undefined)
    throw new EngineError('OPTION_INVALID', `an output is that of one step, and ${named} has ${found.length}; name one of them`);
  if (named !== undefined && found.length > 0) return named;
  const groups = new Set(unknown.flatMap(({ member }) => member?.group ?? []));
  const names = [...groups, ...unknown.map((activation) => activation.path)];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  throw new EngineError(
    'WAIT_NOT_FOUND',
    unknown.length === 0
      ? `run ${state.id} has no step whose end is unknown`
      : `run ${state.id} has steps whose end is unknown; name one${groups.size === 0 ? '' : ', or a group for all of its members'}: ${names.slice(0, NAMED_MAX).join(', ')}${more}`,
  );
}

function refused(state: RunState): EngineError {
  if (!isHalted(state.status))
    return new EngineError('RESUME_REFUSED', `run ${state.id} is ${state.status}, not stopped; resume it without a choice`);
  const { halt } = state;
  const exhausted = halt?.reason === 'exhausted';
  const ways = exhausted
    ? 'retry with extend: N to allow N more, goto another step, or cancel'
    : `retry (with a note), accept by a named person, ${state.form === 'graph' ? 'goto another step, ' : ''}or cancel`;
  return new EngineError(
    'RESUME_REFUSED',
    `run ${state.id} stopped${halt?.step === undefined ? '' : ` at "${halt.step}"`}: ${halt?.message ?? 'no reason recorded'}; say how it goes on: ${ways}`,
    { details: { run: state.id, halt: halt as unknown as Record<string, unknown> } },
  );
}

/** The error of asking something of a run that is over. */
export function finalRun(state: RunState): EngineError {
  return new EngineError(
    'RUN_FINAL',
    `run ${state.id} is ${state.status}; nothing can change it any more. Fork it to go on from one of its steps`,
    { details: { run: state.id, status: state.status } },
  );
}
