// Owns reports and questions of workers about handed-out work (open-steps.ts), and the answers. Each request is mail: on
// disk before anything acts on it, and harmless when repeated.
//
// - A token belongs to one attempt. It says which work a report is about, not who holds it.
// - The same report again returns the recorded verdict and the next step. A different report for the same token is
//   rejected.

import { timingSafeEqual } from 'node:crypto';
import { checkQuestions } from '../../agents/reply.ts';
import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, toPlain } from '../../base/json.ts';
import type { Signature } from '../../base/signature.ts';
import { modelNamed } from '../../definition/address.ts';
import type { StepKind } from '../../definition/model.ts';
import { argValueFaults } from '../../definition/param/arg.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { Activation, Path } from '../../kernel/activation.ts';
import { heldBy, waitOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { InputOf, RunInput } from '../../kernel/input.ts';
import type { RunState } from '../../kernel/run-state.ts';
import { readReport, type StoredHandover } from '../../steps/worker/handover.ts';
import { readSavedState, type StatePlace } from '../../steps/worker/saved-state.ts';
import type { StoredAttempt, StoredValue } from '../../store/store.ts';
import type { EngineCore } from '../engine.ts';
import { type Signer, signedBy } from '../signature/signatures.ts';
import { readValues, storedValue } from '../values.ts';
import { requireActor } from './actor.ts';
import { send } from './delivery.ts';
import { type OpenQuestions, questionsOf, tokenOf } from './open-steps.ts';
import { checkAnswers } from './request-shape.ts';
import { assertSignedFor, finalRunError, untilState } from './requests.ts';

/** A worker's report on its attempt: the result, or why it failed. */
export type WorkReport = { readonly token: string; readonly result: unknown } | { readonly token: string; readonly failure: string };

/** The response to a report. `repeated`: the report was already recorded, and this is its verdict. */
export interface ReportVerdict {
  readonly accepted: boolean;
  readonly repeated: boolean;
  readonly step: string;
  readonly path: Path;
  readonly attempt: number;
  /** Why the report was not accepted. */
  readonly message?: string;
}

async function handoverOf(core: EngineCore, activation: Activation): Promise<StoredHandover> {
  const wait = waitOf(activation);
  const ref = wait?.kind === 'report' ? wait.handover : undefined;
  return (await readValues(core.store, [ref]))(ref) as unknown as StoredHandover;
}

/** Accepts a report. Resolves when it is verified and the verdict is on disk. */
export async function reportWork(core: EngineCore, run: string, received: WorkReport): Promise<ReportVerdict> {
  const report = masked(core, received);
  const loaded = await core.store.load(run);
  const { state, definition } = loaded;
  const activation = activationOf(core, state, report.token);
  if (activation === undefined) return earlierVerdict(core, state, report);
  await core.assertDrivable(loaded);
  const { path, step, attempt, member } = activation;
  const handover = await handoverOf(core, activation);
  const result = 'failure' in report ? undefined : toPlain(report.result ?? null, 'the result');
  const read = result === undefined ? undefined : readReport(handover, definition.form, result);
  if (read !== undefined && 'problem' in read)
    throw new EngineError('REPORT_INVALID', `step "${step}": ${read.problem}`, { details: { step } });
  const output = read?.output;
  const { args = {} } = (member === undefined ? modelNamed(definition, step) : undefined) ?? {};
  const faults = isJsonObject(output) ? argValueFaults(args, output) : [];
  if (faults.length > 0) throw new EngineError('REPORT_INVALID', `step "${step}": ${faults.join('; ')}`, { details: { step } });
  const value = read === undefined || read.output === null ? undefined : storedValue(read.output);
  const ending =
    'failure' in report
      ? { error: { code: 'AGENT_FAILED', message: `the agent reported a failure: ${report.failure}`, reason: 'error' as const } }
      : { outcome: read?.outcome ?? 'ok', output: value?.ref };
  const input: RunInput = { type: 'reported', at: core.clock.now(), path, attempt, ...ending };
  const dedupe = `reported/${path}/${attempt}`;
  const posted = await send(core, { run, dedupe, input, values: value === undefined ? [] : [value] });
  await untilState(core, run, ({ live }) => !isBeingVerified(live[path], attempt));
  // Another report used this token first: the same report gets the same verdict, a different one is rejected.
  if (posted === 'duplicate') return earlierVerdict(core, (await core.store.load(run)).state, report);
  return verdictOn(core, run, { path, attempt, step, after: state.seq });
}

/** Masks secrets in a report, because it is written to disk before it is verified. */
function masked({ parts }: EngineCore, report: WorkReport): WorkReport {
  if ('failure' in report) return { ...report, failure: String(parts.mask(report.failure)) };
  return { ...report, result: parts.mask(toPlain(report.result ?? null, 'the result')) };
}

function isBeingVerified(activation: Activation | undefined, attempt: number): boolean {
  return activation?.attempt === attempt && (activation.state === 'verifying' || waitOf(activation)?.kind === 'report');
}

function activationOf(core: EngineCore, state: RunState, token: string): Activation | undefined {
  return Object.values(state.live).find(
    (activation) => waitOf(activation)?.kind === 'report' && isSame(tokenOf(core, { ...activation, run: state.id }), token),
  );
}

function isSame(token: string, other: string): boolean {
  const [a, b] = [Buffer.from(token), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

interface ReportedAttempt {
  readonly path: Path;
  readonly attempt: number;
  readonly step: string;
  readonly after: number;
}

/** Reads the verdict on an attempt from the log. */
async function verdictOn(core: EngineCore, run: string, { path, attempt, step, after }: ReportedAttempt): Promise<ReportVerdict> {
  const events = (await core.store.events(run, after)).flatMap((row) => row.events);
  const ended = events.find((event) => endsAttempt(event, path, attempt));
  const base = { repeated: false, step, path, attempt };
  if (ended === undefined) throw notVerified(step, run);
  if (ended.type === 'step.settled' && ended.outcome === 'cancelled') return { ...base, accepted: false, message: CANCELLED };
  const failed = ended.type === 'step.changed' ? ended.failed?.error : ended.type === 'step.settled' ? ended.error : undefined;
  if (failed !== undefined) return { ...base, accepted: false, message: failed.message };
  return { ...base, accepted: true };
}

function notVerified(step: string, run: string): EngineError {
  return new EngineError(
    'STORE_UNAVAILABLE',
    `the report on step "${step}" of run ${run} is recorded, but the run stopped before it was verified; resume the run, then call "next"`,
  );
}

function endsAttempt(event: RunEvent, path: Path, attempt: number): boolean {
  if (event.type === 'step.settled') return event.path === path && event.attempt === attempt;
  // Between the verified work and its end there may be a question to a person: the work itself was accepted.
  if (event.type !== 'step.changed' || event.activation.path !== path) return false;
  return event.failed?.attempt === attempt || (event.activation.state === 'waiting' && event.activation.held !== undefined);
}

/** Returns the verdict on a report whose token belongs to no open attempt: the same report may have been sent before. */
async function earlierVerdict(core: EngineCore, state: RunState, report: WorkReport): Promise<ReportVerdict> {
  const used = await usedAttempt(core, state, report.token);
  if ('endedAt' in used) return repeatedVerdict(state, used, report);
  if (isPendingResult(state, used, report)) return pendingVerdict(core, state.id, { pending: used, report });
  throw beingVerifiedError(state, used);
}

/** Finds the attempt of a token that is not open: it has ended, or its report is being verified. Throws if the token is not of this run. */
async function usedAttempt(core: EngineCore, state: RunState, token: string): Promise<StoredAttempt | Activation> {
  const run = state.id;
  const isOf = ({ path, attempt }: Pick<Activation, 'path' | 'attempt'>): boolean => isSame(tokenOf(core, { run, path, attempt }), token);
  const used = (await core.store.attempts(run)).find(isOf) ?? Object.values(state.live).find(isOf);
  if (used !== undefined) return used;
  if (isFinal(state.status)) throw finalRunError(state);
  throw new EngineError('TOKEN_UNKNOWN', `this token does not belong to run ${run}; "next" prints the open step and its token`, {
    details: { run },
  });
}

function beingVerifiedError({ id }: RunState, { step }: Activation): EngineError {
  return new EngineError('TOKEN_SPENT', `the report on step "${step}" of run ${id} is recorded and being verified; call "next"`);
}

/** The verdict on a report that was sent before: its result waits for a person who approves it, or is still being verified. */
async function pendingVerdict(
  core: EngineCore,
  run: string,
  { pending, report }: { readonly pending: Activation; readonly report: WorkReport },
): Promise<ReportVerdict> {
  const { step, path, attempt } = pending;
  if (pending.state === 'waiting') return { accepted: true, repeated: true, step, path, attempt };
  await core.drive(run);
  await untilState(core, run, ({ live }) => !isBeingVerified(live[path], attempt));
  const { state } = await core.store.load(run);
  if (isBeingVerified(state.live[path], attempt)) throw notVerified(step, run);
  return earlierVerdict(core, state, report);
}

/** Whether the result of this report is the one that waits to be verified or approved. */
function isPendingResult({ form }: RunState, activation: Activation, report: WorkReport): boolean {
  const held = heldBy(activation);
  if (held === undefined || 'failure' in report) return false;
  const { kind } = activation;
  const digests = outputDigests(form, kind, toPlain(report.result ?? null, 'the result'));
  return digests.includes(held.output?.digest ?? digestText('null'));
}

const CANCELLED = 'the step was cancelled before its report was verified; no more work is needed on it';

function repeatedVerdict(state: RunState, row: StoredAttempt, report: WorkReport): ReportVerdict {
  const { step, path, attempt, error, claim, output } = row;
  if (row.outcome === 'cancelled') return { accepted: false, repeated: true, step, path, attempt, message: CANCELLED };
  const reported = 'failure' in report ? undefined : outputDigests(state.form, row.kind, toPlain(report.result ?? null, 'the result'));
  const known = [claim?.digest, output?.digest, claim === undefined && output === undefined ? digestText('null') : undefined];
  const isSameReport = reported === undefined ? error?.code === 'AGENT_FAILED' : reported.some((digest) => known.includes(digest));
  if (!wasReported(row) || !isSameReport) throw tokenSpentError(state, row, 'was already reported with a different result');
  return { accepted: error === undefined, repeated: true, step, path, attempt, ...omitUndefined({ message: error?.message }) };
}

/** Whether an ended attempt was reported: one that timed out, or that asked a question, was not. */
function wasReported({ error }: StoredAttempt): boolean {
  return error === undefined || error.reason === 'contract' || error.code === 'AGENT_FAILED';
}

function tokenSpentError({ id: run }: RunState, row: StoredAttempt, reported: string): EngineError {
  const { step, attempt, error } = row;
  const why = wasReported(row)
    ? reported
    : error?.code === 'AGENT_ASKED'
      ? 'ended with a question; once a person has answered it, the step is open again with a new token'
      : `ended without a report: ${error?.message}`;
  return new EngineError(
    'TOKEN_SPENT',
    `attempt ${attempt} of step "${step}" of run ${run} ${why}; "next" prints the step that is open now`,
    { details: { run, step, attempt } },
  );
}

/** The digests under which a result may be recorded: as reported, and as its step kind passes it to a flow. */
function outputDigests(form: RunState['form'], kind: StepKind, result: Json): string[] {
  const read = readReport({ kind }, form, result);
  return [result, ...('problem' in read ? [] : [read.output])].map((value) => digestText(JSON.stringify(value)));
}

/** Returns the open attempt that a token belongs to. */
export async function attemptWithToken(core: EngineCore, state: RunState, token: string): Promise<Activation> {
  const activation = activationOf(core, state, token);
  if (activation !== undefined) return activation;
  const used = await usedAttempt(core, state, token);
  throw 'endedAt' in used ? tokenSpentError(state, used, 'has already ended') : beingVerifiedError(state, used);
}

/** Passes questions of a worker on to the person it works for. Resolves when they are on disk. */
export async function askPerson(
  core: EngineCore,
  run: string,
  request: { readonly token: string; readonly questions: unknown },
): Promise<void> {
  const loaded = await core.store.load(run);
  const activation = await attemptWithToken(core, loaded.state, request.token);
  await core.assertDrivable(loaded);
  const { path, attempt, step } = activation;
  const { mayAsk, state } = await handoverOf(core, activation);
  if (!mayAsk)
    throw new EngineError('NOT_ALLOWED', `step "${step}" does not accept questions; complete it, or report a failure with "fail"`);
  const read = checkQuestions(core.parts.mask(toPlain(request.questions ?? null, 'the questions')));
  if (read.kind === 'invalid') throw new EngineError('REPORT_INVALID', `the questions are invalid: ${read.why}`);
  const value = storedValue(read.questions as unknown as Json);
  const saved = state === undefined ? undefined : await savedValue(core, step, state);
  const input: RunInput = {
    type: 'asked',
    at: core.clock.now(),
    path,
    attempt,
    questions: value.ref,
    ...omitUndefined({ saved: saved?.ref }),
  };
  await send(core, { run, dedupe: `asked/${path}/${attempt}`, input, values: saved === undefined ? [value] : [value, saved] });
}

async function savedValue({ parts }: EngineCore, step: string, place: StatePlace): Promise<StoredValue> {
  const read = await readSavedState(place);
  if ('problem' in read)
    throw new EngineError('REPORT_INVALID', `step "${step}" requires saved progress before questions: ${read.problem}`, {
      details: { step },
    });
  return storedValue(parts.mask(read.kept));
}

/** A person's answers to the questions of a worker, in order. */
export interface AnswerRequest<Place extends string = string> {
  readonly answers: readonly (string | readonly string[])[];
  readonly actor: string;
  /** The path or id of the asking step. Needed when several steps ask. */
  readonly step?: Place | undefined;
  /** The actor's signature over run, step, attempt and answers. */
  readonly signature?: Signature | undefined;
  /** Creates that signature, as an alternative. */
  readonly sign?: Signer | undefined;
}

/** Returns questions with their answers, as they are stored and signed. */
export function answersValue({ questions }: Pick<OpenQuestions, 'questions'>, answers: AnswerRequest['answers']): StoredValue {
  return storedValue(questions.map(({ question }, index) => ({ question, answer: answers[index] ?? '' })) as unknown as Json);
}

/** Answers the questions of a worker. A new attempt gets the answers. */
export async function answerQuestions(core: EngineCore, run: string, request: AnswerRequest): Promise<void> {
  const actor = requireActor(request, `answer questions in run ${run}`);
  checkAnswers(run, request);
  const loaded = await core.store.load(run);
  if (isFinal(loaded.state.status)) throw finalRunError(loaded.state);
  await core.assertDrivable(loaded);
  const all = await questionsOf(core, run);
  const named = request.step === undefined ? all : all.filter(({ path, step }) => path === request.step || step === request.step);
  const [open] = named;
  if (open === undefined || named.length > 1)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      open === undefined
        ? `run ${run} has no question${request.step === undefined ? '' : ` of step "${request.step}"`} that waits for an answer${all.length === 0 ? '' : `; these steps have questions: ${all.map(({ path }) => path).join(', ')}`}`
        : `${named.length} steps of run ${run} have questions; name one of them: ${named.map(({ path }) => path).join(', ')}`,
    );
  if (open.questions.length !== request.answers.length)
    throw new EngineError(
      'INPUT_REQUIRED',
      `step "${open.step}" asks ${open.questions.length} questions, but got ${request.answers.length} answers; answer each question`,
    );
  const value = answersValue(open, request.answers);
  const { path, attempt } = open;
  const dedupe = `answered/${path}/${attempt}`;
  const unsigned: InputOf<'answered'> = {
    type: 'answered',
    at: core.clock.now(),
    path,
    attempt,
    answers: value.ref,
    actor,
  };
  const input = await signedBy(run, unsigned, request);
  await assertSignedFor(core, loaded, input);
  if ((await send(core, { run, dedupe, input, values: [value] }, { once: true })) === 'duplicate')
    throw new EngineError('ALREADY_DECIDED', `the questions of step "${open.step}" of run ${run} were already answered`);
}
