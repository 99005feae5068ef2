// Owns signatures on requests to a run: which requests need one, the keys that a run accepts from its start, and their
// verification. `signature-proof.ts` verifies what is already in a log.
//
// - A required signature is verified before the request is posted, and again when the driver reads the mail: a row
//   that was written directly into the database is mail as well.
// - The rule and the keys are fixed when a run starts. Its forks and the runs it starts keep them.

import type { KeyList } from '../../authority/enrolment.ts';
import type { Statement } from '../../authority/statement.ts';
import { type Verification, verifySignature } from '../../authority/verification.ts';
import { EngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { Signature } from '../../base/signature.ts';
import { type Definition, membersOf, type StepModel } from '../../definition/model.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { ControlAction, InputOf } from '../../kernel/input.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { Clock } from '../clock.ts';

/** Which decisions need a signature, and whose keys count. */
export interface Signing {
  /** True if every decision about a run that starts here needs one. */
  readonly all: boolean;
  /** Returns the current list of enrolled keys. */
  readonly keys: () => KeyList;
}

/** The signing rules fixed when a run starts: whether everything needs a signature, and which keys counted then. */
export type FrozenSigning = Pick<EventOf<'run.started'>, 'keys'> & Pick<RunState, 'signed'>;

/** The facts with which the driver of a run verifies signatures. */
export interface Proof {
  /** The keys that the run accepts; every enrolled key if undefined. */
  readonly keys: readonly string[] | undefined;
  /** Signatures that are in its log: none counts twice. */
  readonly used: Set<string>;
}

/** Signs a statement in the name of the caller. */
export type Signer = (statement: Statement) => Promise<Signature>;

/** An input from a person, which may be signed. */
export type PersonInput = InputOf<'decided'> | InputOf<'answered'> | InputOf<'control'>;

/** Returns the signing rules of a run that starts now. `from` are those of the run that it was forked from or started by. */
export function signingAtStart({ all, keys }: Signing, definition: Definition, from: FrozenSigning | undefined): FrozenSigning {
  const signed = all || from?.signed === true;
  const isNeeded = signed || hasSignedQuestion(definition.steps);
  // A flow's questions are not known before it runs.
  if (!isNeeded && definition.form !== 'flow') return {};
  const accepted = from?.keys ?? keys().active.map(({ fingerprint }) => fingerprint);
  if (isNeeded && accepted.length === 0)
    throw new EngineError(
      'KEY_MISSING',
      `workflow "${definition.name}" cannot start: ${signed ? 'decisions here require a signature' : 'one of its questions requires a signature'}, but no key is enrolled; create one at a terminal with "pawl identity create NAME"`,
    );
  return { ...(signed ? { signed } : {}), ...(accepted.length === 0 ? {} : { keys: accepted }) };
}

/** Whether any of the steps, or of their members, asks a question that requires a signature. */
export function hasSignedQuestion(steps: readonly StepModel[]): boolean {
  return steps.some((step) => step.question?.signed === true || hasSignedQuestion(membersOf(step)));
}

/** Whether a person's input requires a signature in this run. */
export function requiresSignature(run: RunState, input: PersonInput): boolean {
  if (input.type === 'decided') return run.signed === true || humanWaitOf(run.live[input.path])?.signed === true;
  return run.signed === true && (input.type === 'answered' || isOverride(input.action));
}

/** Whether an action skips a step or a gate, or lets the run do more than it was started for. */
export function isOverride(action: ControlAction): boolean {
  switch (action.do) {
    case 'accept':
    case 'goto':
    case 'grant':
    case 'acceptCode':
    case 'answer':
    case 'again':
      return true;
    case 'retry':
      return action.extend !== undefined;
    case 'resolve':
      return action.how === 'accept';
    default:
      return false;
  }
}

/** The statement that signs a person's input. */
function statementOf(run: string, input: PersonInput): Statement {
  const { actor } = input;
  switch (input.type) {
    case 'decided':
      return decisionStatement({ run, path: input.path, digest: input.digest, option: input.option, input: input.text, actor });
    case 'answered':
      return { about: 'answer', run, path: input.path, attempt: input.attempt, answers: input.answers.digest, actor };
    case 'control':
      return overrideStatement(run, input.action, actor);
  }
}

/** Returns the statement that signs a decision. */
export function decisionStatement(decision: {
  readonly run: string;
  readonly path: string;
  readonly digest: string;
  readonly option: string;
  readonly input: string | undefined;
  readonly actor: string;
}): Statement {
  return { about: 'decision', ...decision, input: decision.input ?? null };
}

/** Returns the statement that signs an override of a step or a gate. */
export function overrideStatement(run: string, action: ControlAction | StartAction, actor: string): Statement {
  return { about: 'override', run, action: JSON.parse(JSON.stringify(action)) as Json, actor };
}

/** Starting a run elsewhere than at its first step, or with supplied results. */
interface StartAction {
  readonly do: 'start';
  readonly from: string;
  readonly supplied: Readonly<Record<string, string>>;
  readonly fork: EventOf<'run.started'>['fork'] | null;
}

/** Returns the statement that signs a start elsewhere than at the first step. */
export function startStatement(
  { run, supplied = {}, fork }: Pick<EventOf<'run.started'>, 'run' | 'supplied' | 'fork'>,
  { from, actor }: { readonly from: string; readonly actor: string },
): Statement {
  const digests = Object.fromEntries(Object.entries(supplied).map(([step, { digest }]) => [step, digest]));
  return overrideStatement(run.id, { do: 'start', from, supplied: digests, fork: fork ?? null }, actor);
}

/** Returns the first event with its signature, if it requires one. A plain start at the entry does not. */
export async function signFirstEvent(
  { keys }: Signing,
  event: EventOf<'run.started'>,
  {
    from,
    entry,
    actor,
    sign,
  }: { readonly from: string | undefined; readonly entry: string; readonly actor?: string; readonly sign?: Signer | undefined },
): Promise<EventOf<'run.started'>> {
  const passes = event.fork !== undefined || event.supplied !== undefined || (from !== undefined && from !== entry);
  if (event.run.signed !== true || !passes) return event;
  const begins = from ?? entry;
  // A flow has no entry, and the empty text is what is signed for its beginning.
  const where = begins === '' ? 'with supplied results' : `at "${begins}"`;
  if (sign === undefined || actor === undefined)
    throw new EngineError(
      'SIGNATURE_REQUIRED',
      `starting workflow "${event.run.workflow}" ${where} requires the signature of an enrolled key; start it with "pawl" at a terminal, or with --passphrase-fd`,
    );
  const statement = startStatement(event, { from: begins, actor });
  const signature = await sign(statement);
  const verified = verifySignature(keys(), { statement, signature, keys: event.keys, at: event.at });
  if (!verified.isValid) throw new EngineError('SIGNATURE_INVALID', `the signature is not valid: ${verified.why}; nothing was started`);
  return { ...event, signed: { from: begins, actor, signature } };
}

/** Returns the input with the signature that was passed, or that the signer creates now. */
export async function signedBy<T extends PersonInput>(
  run: string,
  input: T,
  request: { readonly signature?: Signature | undefined; readonly sign?: Signer | undefined },
): Promise<T> {
  const signature = request.signature ?? (await request.sign?.(statementOf(run, input)));
  return signature === undefined ? input : { ...input, signature };
}

/** Throws if a required signature is missing, or any signature is not valid, before the input is posted. */
export async function assertSigned(
  signing: Signing,
  { state, proof, at }: { readonly state: RunState; readonly proof: () => Promise<Proof>; readonly at: number },
  input: PersonInput,
): Promise<void> {
  const { signature } = input;
  if (signature === undefined) {
    if (!requiresSignature(state, input)) return;
    throw new EngineError(
      'SIGNATURE_REQUIRED',
      `${NAMES[input.type]} run ${state.id} requires the signature of an enrolled key; sign it with "pawl" at a terminal, or with --passphrase-fd`,
      { details: { run: state.id, ...('path' in input ? { path: input.path } : {}) } },
    );
  }
  const verified = verifyInput(signing, { run: state.id, proof: await proof(), at }, { ...input, signature });
  if (!verified.isValid)
    throw new EngineError('SIGNATURE_INVALID', `the signature for run ${state.id} is not valid: ${verified.why}; nothing was recorded`, {
      details: { run: state.id, key: signature.key },
    });
}

const NAMES = { decided: 'a decision about', answered: 'an answer to an agent of', control: 'overriding a step or a limit of' } as const;

/** Verifies the signature of an input. */
export function verifyInput(
  { keys }: Signing,
  { run, proof, at }: { readonly run: string; readonly proof: Proof; readonly at: number },
  input: PersonInput & { readonly signature: Signature },
): Verification {
  if (proof.used.has(input.signature.value)) return { isValid: false, why: 'it was already used in this run' };
  return verifySignature(keys(), { statement: statementOf(run, input), signature: input.signature, keys: proof.keys, at });
}

/** Returns the input that accepts other code for a run, signed if the run requires it. */
export async function acceptanceOf(
  { signing, clock }: { readonly signing: Signing; readonly clock: Clock },
  { state, proof, code }: { readonly state: RunState; readonly proof: Proof; readonly code: string },
  { actor, sign }: { readonly actor: string; readonly sign?: Signer | undefined },
): Promise<InputOf<'control'>> {
  const action = { do: 'acceptCode' as const, code };
  const signature = sign === undefined ? {} : { signature: await sign(overrideStatement(state.id, action, actor)) };
  const input = { type: 'control' as const, at: clock.now(), actor, action, ...signature };
  await assertSigned(signing, { state, proof: async () => proof, at: input.at }, input);
  return input;
}
