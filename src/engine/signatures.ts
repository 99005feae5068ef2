// Owns signatures on the way into a run: what takes one, the keys that a run knows from its beginning, and the proof of
// what is brought. What is already in a log is proved by `signature-proof.ts`.
//
// E10. What takes a signature is proved before it is posted, for whoever brings it, and again when the driver takes it
//      from the mail: a row that somebody wrote into the database is mail as well.
// E11. The rule and the keys are frozen into a run when it begins. Its forks and the runs it starts keep them.

import type { KeyList } from '../authority/enrolment.ts';
import { type Judgement, judge } from '../authority/judgement.ts';
import type { Statement } from '../authority/statement.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { Signature } from '../base/signature.ts';
import { type Definition, membersOf, type StepModel } from '../definition/model.ts';
import { humanWaitOf } from '../kernel/activation.ts';
import type { RunStarted } from '../kernel/event.ts';
import type { AnsweredInput, ControlAction, ControlInput, DecidedInput } from '../kernel/input.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { Clock } from './clock.ts';

/** Whether decisions take a signature here, and whose keys count. */
export interface Signing {
  /** Every decision about a run that begins here. */
  readonly all: boolean;
  /** The list of enrolled keys as it is now. */
  readonly keys: () => KeyList;
}

/** What a run was born with: whether everything takes a signature, and the keys that counted. */
export type FrozenSigning = Pick<RunStarted, 'keys'> & Pick<RunState, 'signed'>;

/** What the driver of a run proves signatures with. */
export interface Proof {
  /** The keys that the run knows; without them, every enrolled key will do. */
  readonly keys: readonly string[] | undefined;
  /** Signatures that are in its log: none counts twice. */
  readonly used: Set<string>;
}

/** Signs a statement in the name of whoever asked for it. */
export type Signer = (statement: Statement) => Promise<Signature>;

/** An input of a person, which may be signed. */
export type PersonInput = DecidedInput | AnsweredInput | ControlInput;

/** What a run that begins now is frozen to; `from` is the run that it was forked from or started by. */
export function frozenAtBirth({ all, keys }: Signing, definition: Definition, from: FrozenSigning | undefined): FrozenSigning {
  const signed = all || from?.signed === true;
  const isNeeded = signed || hasSignedQuestion(definition.steps);
  // What a flow will ask is not known before it runs.
  if (!isNeeded && definition.form !== 'flow') return {};
  const known = from?.keys ?? keys().active.map(({ fingerprint }) => fingerprint);
  if (isNeeded && known.length === 0)
    throw new EngineError(
      'KEY_MISSING',
      `workflow "${definition.name}" cannot start: ${signed ? 'decisions here take a signature' : 'one of its questions takes a signature'}, and no key is enrolled that could give one; create one at a terminal with "pawl identity create NAME"`,
    );
  return { ...(signed ? { signed } : {}), ...(known.length === 0 ? {} : { keys: known }) };
}

/** Whether any of the steps, or of their members, asks a question that takes a signature. */
export function hasSignedQuestion(steps: readonly StepModel[]): boolean {
  return steps.some((step) => step.gate?.signed === true || hasSignedQuestion(membersOf(step)));
}

/** Whether what a person brings takes a signature in this run. */
export function takesSignature(run: RunState, input: PersonInput): boolean {
  if (input.type === 'decided') return run.signed === true || humanWaitOf(run.live[input.path])?.signed === true;
  return run.signed === true && (input.type === 'answered' || isOverride(input.action));
}

/** Whether an action passes a step or a gate, or lets the run do more than it was started for. */
export function isOverride(action: ControlAction): boolean {
  switch (action.do) {
    case 'accept':
    case 'goto':
    case 'grant':
    case 'acceptCode':
      return true;
    case 'retry':
      return action.extend !== undefined;
    case 'resolve':
      return action.how === 'accept';
    default:
      return false;
  }
}

/** What a person who brings an input has to sign. */
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

/** What is signed by somebody who decides. */
export function decisionStatement(made: {
  readonly run: string;
  readonly path: string;
  readonly digest: string;
  readonly option: string;
  readonly input: string | undefined;
  readonly actor: string;
}): Statement {
  return { about: 'decision', ...made, input: made.input ?? null };
}

/** What is signed by somebody who passes a step or a gate by hand. */
export function overrideStatement(run: string, action: ControlAction | StartAction, actor: string): Statement {
  return { about: 'override', run, action: JSON.parse(JSON.stringify(action)) as Json, actor };
}

/** Beginning a run somewhere else than at its first step, or with results in the place of steps. */
interface StartAction {
  readonly do: 'start';
  readonly from: string;
  readonly supplied: Readonly<Record<string, string>>;
  readonly fork: RunStarted['fork'] | null;
}

/** What is signed by somebody who lets a run begin behind its first step. */
export function startStatement(
  { run, supplied = {}, fork }: Pick<RunStarted, 'run' | 'supplied' | 'fork'>,
  { from, actor }: { readonly from: string; readonly actor: string },
): Statement {
  const digests = Object.fromEntries(Object.entries(supplied).map(([step, { digest }]) => [step, digest]));
  return overrideStatement(run.id, { do: 'start', from, supplied: digests, fork: fork ?? null }, actor);
}

/** The first event with the signature that it takes; one that begins at the entry with nothing given takes none. */
export async function signedBirth(
  { keys }: Signing,
  event: RunStarted,
  {
    from,
    entry,
    actor = '',
    sign,
  }: { readonly from: string | undefined; readonly entry: string; readonly actor?: string; readonly sign?: Signer },
): Promise<RunStarted> {
  const passes = event.fork !== undefined || event.supplied !== undefined || (from !== undefined && from !== entry);
  if (event.run.signed !== true || !passes) return event;
  const begins = from ?? entry;
  if (sign === undefined)
    throw new EngineError(
      'SIGNATURE_REQUIRED',
      `beginning workflow "${event.run.workflow}" at "${begins}" takes the signature of an enrolled key; start it with "pawl" at a terminal, or with --passphrase-fd`,
    );
  const statement = startStatement(event, { from: begins, actor });
  const signature = await sign(statement);
  const judged = judge(keys(), { statement, signature, keys: event.keys, at: event.at });
  if (!judged.counts) throw new EngineError('SIGNATURE_INVALID', `the signature does not count: ${judged.why}; nothing was started`);
  return { ...event, signed: { from: begins, actor, signature } };
}

/** The input with the signature that was given, or that whoever asks gives now. */
export async function signedBy<T extends PersonInput>(
  run: string,
  input: T,
  { signature, sign }: { readonly signature?: Signature; readonly sign?: Signer },
): Promise<T> {
  const given = signature ?? (await sign?.(statementOf(run, input)));
  return given === undefined ? input : { ...input, signature: given };
}

/** Refuses what takes a signature and has none that counts, before it is posted; a signature that is given must count. */
export async function assertSigned(
  signing: Signing,
  { state, proof, at }: { readonly state: RunState; readonly proof: () => Promise<Proof>; readonly at: number },
  input: PersonInput,
): Promise<void> {
  const { signature } = input;
  if (signature === undefined) {
    if (!takesSignature(state, input)) return;
    throw new EngineError(
      'SIGNATURE_REQUIRED',
      `${NAMES[input.type]} run ${state.id} takes the signature of an enrolled key; sign it with "pawl" at a terminal, or with --passphrase-fd`,
      { details: { run: state.id, ...('path' in input ? { path: input.path } : {}) } },
    );
  }
  const judged = judgeInput(signing, { run: state.id, proof: await proof(), at }, { ...input, signature });
  if (!judged.counts)
    throw new EngineError('SIGNATURE_INVALID', `the signature for run ${state.id} does not count: ${judged.why}; nothing was recorded`, {
      details: { run: state.id, key: signature.key },
    });
}

const NAMES = { decided: 'a decision about', answered: 'an answer to an agent of', control: 'passing a step or a limit of' } as const;

/** Whether the signature of an input counts. */
export function judgeInput(
  { keys }: Signing,
  { run, proof, at }: { readonly run: string; readonly proof: Proof; readonly at: number },
  input: PersonInput & { readonly signature: Signature },
): Judgement {
  if (proof.used.has(input.signature.value)) return { counts: false, why: 'it was used in this run before' };
  return judge(keys(), { statement: statementOf(run, input), signature: input.signature, keys: proof.keys, at });
}

/** The word of a person that a run goes on with other code, signed where it takes that. */
export async function acceptanceOf(
  { signing, clock }: { readonly signing: Signing; readonly clock: Clock },
  { state, proof, code }: { readonly state: RunState; readonly proof: Proof; readonly code: string },
  { actor, sign }: { readonly actor: string; readonly sign?: Signer },
): Promise<ControlInput> {
  const action = { do: 'acceptCode' as const, code };
  const signature = sign === undefined ? {} : { signature: await sign(overrideStatement(state.id, action, actor)) };
  const input = { type: 'control' as const, at: clock.now(), actor, action, ...signature };
  await assertSigned(signing, { state, proof: async () => proof, at: input.at }, input);
  return input;
}
