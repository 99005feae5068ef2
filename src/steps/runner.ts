// Owns running an attempt of any kind of step: the context, the preconditions, the work, and the postconditions.
//
// S1. When a precondition does not hold, or cannot be evaluated, nothing runs.
// S2. A step is `ok` if its postconditions hold after the work; what the worker reported is kept as its claim, and
//     decides nothing.
// S3. What leaves an attempt is plain data without secrets.
// S4. The runner never rejects: a failure is a result.

import { isEngineError, messageOf } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { type Json, type JsonObject, toPlain } from '../base/json.ts';
import { writtenDatabase } from '../definition/database.ts';
import { isAgentKind, pipelineOf, worksOutside } from '../definition/kind.ts';
import { roleOf } from '../definition/model.ts';
import type { AssumptionText } from '../definition/question/assumption.ts';
import { heldBy, startTimeOf } from '../kernel/activation.ts';
import { isPromise, Stopped, untilStopped } from './abort.ts';
import { accepted, holds, isJudged } from './acceptance.ts';
import type { AttemptRequest, AttemptResult, AttemptRunner, CheckResult } from './attempt.ts';
import { builtQuestion } from './built.ts';
import { evaluateConditions } from './conditions.ts';
import { type AttemptContext, openContext } from './context.ts';
import { contractBefore } from './contracts/contract-files.ts';
import { readingDatabases, recordedResult } from './databases/attempt-databases.ts';
import { filledIn } from './filling.ts';
import { type ForgePart, type ForgeReading, partsNamedBy, readForge } from './forge/forge-reading.ts';
import { AROUND_REPORT, AROUND_WORK, type Attempt, mayBeJudged, needsCopies, surrounded } from './layers.ts';
import { outputsOf } from './outputs/declaration.ts';
import { beforeWork, producing } from './outputs/production.ts';
import { recordBefore } from './protection/accepted-files.ts';
import { protectedBefore, protecting } from './protection/protection.ts';
import { redactJson, sealed } from './redaction.ts';
import { GITHUB } from './run-records.ts';
import { Secrets } from './secrets.ts';
import { entryOf, type StepServices } from './services.ts';
import { approvalOf } from './subject-changes.ts';
import { observeSubjects } from './subjects.ts';
import { type Executors, type Job, type Runner, requestError, stepError, stoppedError, type Work } from './work.ts';
import { recordHandedWork } from './worker/asking.ts';
import type { WorkerConfig } from './worker/brief.ts';
import { isForCaller } from './worker/handover.ts';
import { recordingTree } from './workspace/judged-tree.ts';

type Evidence = { readonly [name: string]: Json };

const NO_CHECKS: readonly CheckResult[] = Object.freeze([]);
const STACK_MAX = 2000;

/** Creates the function that carries out requests for attempts. A host that masks texts itself passes its secrets. */
export function createAttemptRunner(
  services: StepServices,
  { kinds, checks }: Executors,
  secrets: Secrets = new Secrets(services.secrets ?? {}, (message) => services.warn?.(message)),
): AttemptRunner {
  const own: Runner = {
    services,
    kinds,
    checks: { ...services.checks, ...checks },
    secrets,
    redactor: Object.keys(services.secrets ?? {}).length > 0 ? secrets.redactor : undefined,
  };
  return async (request) => {
    const runner = request.workspace === undefined ? own : { ...own, services: { ...services, cwd: request.workspace } };
    secrets.refresh();
    try {
      if (request.signal.aborted) throw new Stopped();
      const opened = openContext(request);
      const plain = isPromise(opened) ? await opened : opened;
      const parts = partsNamedBy(request.bound.model);
      if (parts.length > 0) return sealed(runner.redactor, await withForge(runner, request, { context: plain, parts }));
      const context = plain;
      const filled = request.bound.model.templates === true ? filledIn(request, context.snapshot) : request;
      return sealed(runner.redactor, await WANTS[filled.want](runner, filled, context));
    } catch (thrown) {
      return sealed(runner.redactor, failureOf(request, thrown));
    }
  };
}

interface Asking {
  readonly context: AttemptContext;
  readonly parts: readonly ForgePart[];
}

/** Runs it with the forge facts that the step uses, read now and recorded with the evidence. */
async function withForge(runner: Runner, request: AttemptRequest, { context, parts }: Asking): Promise<AttemptResult> {
  const { facts, problem } = await readForge(runner.services.forge, context.snapshot.data, parts);
  if (problem !== undefined) return unread(request, problem);
  const known = context.knowing(GITHUB.with(facts));
  const filled = request.bound.model.templates === true ? filledIn(request, known.snapshot) : request;
  const result = await WANTS[filled.want](runner, filled, known);
  return result.type === 'observed' ? result : { ...result, evidence: { ...(result.evidence as Evidence | undefined), github: facts } };
}

/** A delay does not fail because the forge does not answer: it polls again. */
function unread({ bound: { model }, want }: AttemptRequest, problem: NonNullable<ForgeReading['problem']>): AttemptResult {
  const evidence = { github: problem.message };
  if (model.kind === 'delay' && want === 'execute' && problem.mayPass)
    return { type: 'settled', outcome: 'iterate', output: null, evidence, checks: NO_CHECKS };
  const error = requestError('STEP_FAILED', `step "${model.id}": ${problem.message}`, problem);
  return { type: 'errored', error, evidence, checks: NO_CHECKS };
}

type Want = (runner: Runner, request: AttemptRequest, context: AttemptContext) => Promise<AttemptResult>;

const WANTS: Readonly<Record<AttemptRequest['want'], Want>> = { prepare, execute, verify, reconcile, observe };

async function prepare(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  if (pipelineOf(runner, request.bound.model.kind) === 'execute') {
    const job = { runner, request, context };
    // Functions that find effects before the work see the databases of that time.
    return request.bound.code.finds === undefined ? prepareWork(job) : reading(job, prepareWork);
  }
  return reading({ runner, request, context }, prepareWait);
}

/** Lets conditions and functions of a step read its databases. */
function reading(job: Job, attempt: Attempt): Promise<AttemptResult> {
  return needsCopies(job) ? readingDatabases(job, attempt) : attempt(job);
}

async function prepareWork(job: Job): Promise<AttemptResult> {
  const guarded = { ...(await beforeWork(job)), ...(await protectedBefore(job)) };
  const found = mayBeJudged(job) ? { ...guarded, ...(await recordBefore(job)) } : guarded;
  const handsOut = isForCaller(job) ? { handsOut: true as const } : {};
  return { type: 'ready', ...(Object.keys(found).length === 0 ? {} : { found }), ...handsOut, checks: NO_CHECKS };
}

async function prepareWait({ runner, request, context }: Job): Promise<AttemptResult> {
  const { evidence, error } = await evaluateConditions('preconditions', request, context);
  const noted = { evidence: { preconditions: evidence }, checks: NO_CHECKS };
  if (error !== undefined) return { type: 'errored', error, ...noted };
  const found = await contractBefore({ runner, request, context });
  return { type: 'ready', ...(await builtQuestion(runner, request, context)), ...present({ found }), ...noted };
}

async function observe(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const subjects = await observeSubjects({ runner, request, context });
  const { path, step } = request.activation;
  return { type: 'observed', subjects, ...approvalOf(subjects, { path, step, now: runner.services.now() }) };
}

function execute(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  return surrounded(AROUND_WORK, { runner, request, context }, executeHere);
}

async function executeHere({ runner, request, context }: Job): Promise<AttemptResult> {
  const { model } = request.bound;
  // A delay is polled many times; its host checks its contract before it begins and after it ends.
  const isPoll = model.kind === 'delay';
  let before: Evidence | undefined;
  if (model.preconditions.length > 0 && !isPoll) {
    const found = await evaluateConditions('preconditions', request, context);
    before = { preconditions: found.evidence };
    if (found.error !== undefined) return { type: 'errored', error: found.error, evidence: before, checks: NO_CHECKS };
    if (request.signal.aborted) throw new Stopped();
  }
  const pending = startWork({ runner, request, context });
  const work = isPromise(pending) ? await pending : pending;
  const assumptions = [...context.assumed, ...(work.assumptions ?? [])];
  if ('handed' in work) return { type: 'handed', handover: work.handed as unknown as JsonObject, ...notedOf(work, before) };
  if ('asks' in work)
    return { type: 'asked', questions: work.asks as unknown as Json, ...present({ saved: work.saved }), ...notedOf(work, before) };
  const result = resultOf(runner, request, { work, before, assumptions });
  return isPoll || !isJudged(request.bound, result) ? result : accepted({ runner, request, context }, result);
}

function startWork(job: Job): Work | Promise<Work> {
  const start = (): Work | Promise<Work> => work(job);
  // Only with a forge can anything be merged.
  return job.runner.services.forge === undefined ? start() : recordingTree(job, start);
}

function work(job: Job): Work | Promise<Work> {
  const { kind } = job.request.bound.model;
  const execute = entryOf(job.runner.kinds, kind)?.execute;
  if (execute === undefined) return { error: stepError('STEP_FAILED', `a step of kind "${kind}" waits; it is not executed`) };
  // Declared outputs are verified for every worker; agents and programs must also leave protected files alone.
  if (worksOutside(job.runner, kind) || outputsOf(job.request.bound.model).length > 0) return producing(job, execute);
  return isAgentKind(job.runner, kind) ? protecting(job, execute) : execute(job);
}

interface Done {
  readonly work: Exclude<Work, { readonly handed: unknown } | { readonly asks: unknown }>;
  readonly before: Evidence | undefined;
  readonly assumptions?: readonly AssumptionText[];
}

function resultOf(runner: Runner, request: AttemptRequest, { work, before, assumptions = [] }: Done): AttemptResult {
  const noted = notedOf(work, before);
  if ('error' in work) return { type: 'errored', error: work.error, ...present({ output: work.output }), ...noted };
  const said = assumptions.length === 0 ? noted : { ...noted, assumptions };
  return { type: 'settled', outcome: work.outcome, output: plainOutput(runner, request, work.output), ...said };
}

const NOTHING = Object.freeze({ checks: NO_CHECKS });

function notedOf({ claim, evidence, actor, remember, checks = NO_CHECKS }: Work, before: Evidence | undefined) {
  // A fast path first: this runs for every step.
  if ((claim ?? evidence ?? actor ?? remember ?? before) === undefined && checks === NO_CHECKS) return NOTHING;
  return {
    ...present({ claim }),
    ...(evidence === undefined && before === undefined ? {} : { evidence: { ...before, ...evidence } }),
    ...present({ actor, remember }),
    checks,
  };
}

async function verify(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const job = { runner, request, context };
  if (pipelineOf(runner, request.bound.model.kind) === 'execute') return surrounded(AROUND_REPORT, job, verifyReport);
  return reading(job, verifyWait);
}

async function verifyWait({ runner, request, context }: Job): Promise<AttemptResult> {
  const { error, remember, ...seen } = await holds({ runner, request, context: context.after(request.result) }, 'ok', request.result);
  const noted = { ...seen, ...(Object.keys(remember).length === 0 ? {} : { remember }) };
  if (error !== undefined) return { type: 'errored', error, claim: request.result, ...noted };
  return { type: 'settled', outcome: 'ok', output: request.result, ...noted };
}

function workTimeOf({ runner, request }: Job): number {
  const began = startTimeOf(request.activation);
  return began === undefined ? 0 : runner.services.now() - began;
}

function workerOf({ runner, request: { bound } }: Job): WorkerConfig {
  const { model } = bound;
  return isAgentKind(runner, model.kind) && 'config' in model ? { ...model.config, role: roleOf(model) } : {};
}

/** A report is verified like the result of a driven worker: declared outputs first, then the contract. */
async function verifyReport({ runner, request, context }: Job): Promise<AttemptResult> {
  const claim = request.result;
  const outcome = heldBy(request.activation)?.outcome ?? 'ok';
  const job = { runner, request, context };
  await recordHandedWork(job, workerOf(job), workTimeOf(job));
  const produced = await recordingTree(job, () => producing(job, () => ({ outcome, output: claim, claim })));
  if ('handed' in produced) throw new Error('a report is no new work');
  if ('asks' in produced) return { type: 'asked', questions: produced.asks as unknown as Json, ...notedOf(produced, undefined) };
  const result = resultOf(runner, request, { work: produced, before: undefined });
  return isJudged(request.bound, result) ? accepted(job, result) : result;
}

async function reconcile(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const { code, model } = request.bound;
  const job = { runner, request, context };
  const known = recordedResult(job);
  if (known !== undefined) return known;
  if (writtenDatabase(runner.kinds, model) !== undefined) {
    // The database has no record of it. Whether the rest may run again is the author's policy.
    if (model.recovery === 'ask')
      return unclear(`the database has no change by step "${model.id}", and the step does not declare that it can run again`);
    if (code.reconcile === undefined) return { type: 'ready', evidence: { reconciled: false }, checks: NO_CHECKS };
  }
  return reading(job, reconcileByCode);
}

async function reconcileByCode({ runner, request, context }: Job): Promise<AttemptResult> {
  const { code, model } = request.bound;
  if (code.reconcile === undefined) return reconcileByContract(request, context);
  let found: unknown;
  try {
    const pending = code.reconcile(context);
    found = isPromise(pending) ? await untilStopped(pending, request.signal) : pending;
  } catch (thrown) {
    if (thrown instanceof Stopped) throw thrown;
    return unclear(`Pawl could not determine whether step "${model.id}" took effect: ${messageOf(thrown)}`);
  }
  if (found === false) return { type: 'ready', evidence: { reconciled: false }, checks: NO_CHECKS };
  const output = found === true ? null : typeof found === 'object' && found !== null && 'output' in found ? found.output : undefined;
  if (output === undefined) return unclear(`the reconcile function of step "${model.id}" must return true, false or { output }`);
  const plain = plainOutput(runner, request, output);
  return { type: 'settled', outcome: 'ok', output: plain, evidence: { reconciled: true }, checks: NO_CHECKS };
}

async function reconcileByContract(request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const { model } = request.bound;
  if (model.postconditions.length === 0)
    return unclear(`Pawl cannot determine whether step "${model.id}" took effect; give it a reconcile function or postconditions`);
  const { evidence, error } = await evaluateConditions('postconditions', request, context.after(null));
  const noted = { evidence: { postconditions: evidence }, checks: NO_CHECKS };
  if (error === undefined) return { type: 'settled', outcome: 'ok', output: null, ...noted };
  return error.code === 'CONDITION_ERROR' ? { ...unclear(error.message), ...noted } : { type: 'ready', ...noted };
}

// It is unknown whether it took effect: a person decides, and nothing runs again.
function unclear(message: string): AttemptResult {
  return { type: 'errored', error: stepError('CONDITION_ERROR', message, { retryable: false }), checks: NO_CHECKS };
}

function plainOutput(runner: Runner, { bound }: AttemptRequest, output: unknown): Json {
  return redactJson(runner.redactor, toPlain(output, `the output of step "${bound.model.id}"`));
}

function failureOf({ bound: { model } }: AttemptRequest, thrown: unknown): AttemptResult {
  if (thrown instanceof Stopped) return { type: 'errored', error: stoppedError(model.id), checks: NO_CHECKS };
  if (isEngineError(thrown)) return { type: 'errored', error: stepError(thrown.code, thrown.message), checks: NO_CHECKS };
  const stack = thrown instanceof Error && thrown.stack !== undefined ? { evidence: { thrown: thrown.stack.slice(0, STACK_MAX) } } : {};
  return { type: 'errored', error: stepError('STEP_FAILED', messageOf(thrown)), ...stack, checks: NO_CHECKS };
}
