// Runs an attempt of any kind of step: the context, the preconditions, the work, and the postconditions.
//
// S1. When a precondition does not hold, or cannot be evaluated, nothing runs.
// S2. A step is `ok` if its postconditions hold after the work; the worker's report is kept as its claim, and decides
//     nothing.
// S3. The result of an attempt is plain data without secrets.
// S4. The runner never rejects: a failure is a result.

import { isEngineError, messageOf, readableError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { invariant } from '../base/invariant.ts';
import { type Json, type JsonObject, toPlain } from '../base/json.ts';
import { writtenDatabase } from '../definition/database.ts';
import { isAgentKind, pipelineOf, runsInOtherProcess } from '../definition/kind.ts';
import { roleOf } from '../definition/model.ts';
import type { AssumptionText } from '../definition/question/assumption.ts';
import { heldBy, startTimeOf } from '../kernel/activation.ts';
import type { StepError } from '../kernel/input.ts';
import { AttemptStopped, isPromise, untilStopped } from './abort.ts';
import { checkPostconditions, needsVerification, verifyResult } from './acceptance.ts';
import type { AttemptRecord, AttemptRequest, AttemptResult, AttemptRunner, CheckResult } from './attempt.ts';
import { builtQuestion } from './built-values.ts';
import { evaluateConditions } from './conditions.ts';
import { type AttemptContext, openContext, typeName } from './context.ts';
import { recordFilesBefore } from './contracts/contract-files.ts';
import { recordedResult, runWithReadOnlyCopies } from './databases/attempt-databases.ts';
import { type ForgePart, type ForgeReading, forgePartsOf, readForge } from './forge/forge-reading.ts';
import { type Attempt, mayHaveChecks, needsCopies, REPORT_LAYERS, runInLayers, WORK_LAYERS } from './layers.ts';
import { outputsOf } from './outputs/declaration.ts';
import { baselinesBeforeWork, runWithOutputs } from './outputs/output-verification.ts';
import { recordBefore } from './protection/accepted-files.ts';
import { protectedBefore, protectFiles } from './protection/protection.ts';
import { redactJson, redactResult } from './redaction.ts';
import { GITHUB } from './run-records.ts';
import { Secrets } from './secrets.ts';
import { ownEntry, type StepServices } from './services.ts';
import { approvalOf } from './subject-changes.ts';
import { observeSubjects } from './subjects.ts';
import { renderTemplates } from './template-rendering.ts';
import { type Executors, type Job, type Runner, requestError, stepError, stoppedError, type Work } from './work.ts';
import { isForCaller } from './worker/handover.ts';
import { recordHandedWork } from './worker/worker-call.ts';
import type { WorkerConfig } from './worker/worker-task.ts';
import { recordTree } from './workspace/tree-verdict.ts';

type Evidence = { readonly [name: string]: Json };

const NO_CHECKS: readonly CheckResult[] = Object.freeze([]);
const NOT_DONE: AttemptResult = Object.freeze({ type: 'ready', evidence: { reconciled: false }, checks: NO_CHECKS });
const STACK_MAX = 2000;

/** Creates the function that carries out attempts. A host that masks texts itself passes its secrets. */
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
  const attempt: AttemptRunner = async (request) => {
    const runner = runnerFor(own, request);
    secrets.refresh();
    try {
      if (request.signal.aborted) throw new AttemptStopped();
      const opened = openContext(request);
      const context = isPromise(opened) ? await opened : opened;
      const parts = forgePartsOf(request.bound.model);
      const result = parts.length > 0 ? withForge(runner, request, { context, parts }) : handle(runner, request, context);
      return redactResult(runner.redactor, await result);
    } catch (thrown) {
      return redactResult(runner.redactor, failureOf(request, thrown));
    }
  };
  const { guard } = services;
  if (guard === undefined) return attempt;
  return async (request) => {
    const { runId, activation } = request;
    try {
      return await guard({ run: runId, step: activation.step }, () => attempt(request));
    } catch (thrown) {
      return redactResult(own.redactor, failureOf(request, thrown));
    }
  };
}

/** The runner of one attempt: in its workspace, with the checks that the step contains. */
function runnerFor(own: Runner, { workspace, bound: { code } }: AttemptRequest): Runner {
  if (workspace === undefined && code.checks === undefined) return own;
  const services = workspace === undefined ? own.services : { ...own.services, cwd: workspace };
  // The type of a definition does not have the inputs of a check.
  return { ...own, services, checks: { ...own.checks, ...(code.checks as Runner['checks'] | undefined) } };
}

/** Reads the forge facts that the step uses, and records them with the evidence. */
async function withForge(
  runner: Runner,
  request: AttemptRequest,
  { context, parts }: { readonly context: AttemptContext; readonly parts: readonly ForgePart[] },
): Promise<AttemptResult> {
  const { facts, problem } = await readForge(runner.services.forge, context.snapshot.data, parts);
  if (problem !== undefined) return forgeUnreadable(request, problem);
  const result = await handle(runner, request, context.withData(GITHUB.with(facts)));
  return result.type === 'observed' ? result : { ...result, evidence: { ...(result.evidence as Evidence | undefined), github: facts } };
}

/** A delay does not fail if the forge is unavailable: it polls again. */
function forgeUnreadable({ bound: { model }, want }: AttemptRequest, problem: NonNullable<ForgeReading['problem']>): AttemptResult {
  const evidence = { github: problem.message };
  if (model.kind === 'delay' && want === 'execute' && problem.isTransient)
    return { type: 'settled', outcome: 'iterate', output: null, evidence, checks: NO_CHECKS };
  const error = requestError('STEP_FAILED', `step "${model.id}": ${problem.message}`, problem);
  return errored(error, { evidence });
}

type Handler = (runner: Runner, request: AttemptRequest, context: AttemptContext) => Promise<AttemptResult>;

const HANDLERS: Readonly<Record<AttemptRequest['want'], Handler>> = { prepare, execute, verify, reconcile, observe };

function handle(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const rendered = request.bound.model.templates === true ? renderTemplates(request, context.snapshot) : request;
  return HANDLERS[rendered.want](runner, rendered, context);
}

function errored(error: StepError, record: Partial<AttemptRecord> = {}): AttemptResult {
  return { type: 'errored', error, checks: NO_CHECKS, ...record };
}

/** Before work: takes its baselines. Before a wait: checks the preconditions and builds its question. */
async function prepare(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  if (pipelineOf(runner, request.bound.model.kind) === 'execute') {
    const job = { runner, request, context };
    // Functions that find effects before the work see the databases of that time.
    return request.bound.code.finds === undefined ? prepareWork(job) : withDatabases(job, prepareWork);
  }
  return withDatabases({ runner, request, context }, prepareWait);
}

/** Runs the attempt with the databases that conditions and functions of the step read. */
function withDatabases(job: Job, attempt: Attempt): Promise<AttemptResult> {
  return needsCopies(job) ? runWithReadOnlyCopies(job, attempt) : attempt(job);
}

async function prepareWork(job: Job): Promise<AttemptResult> {
  const guarded = { ...(await baselinesBeforeWork(job)), ...(await protectedBefore(job)) };
  const baseline = mayHaveChecks(job) ? { ...guarded, ...(await recordBefore(job)) } : guarded;
  const handsOut = isForCaller(job) ? { handsOut: true as const } : {};
  return { type: 'ready', ...(Object.keys(baseline).length === 0 ? {} : { found: baseline }), ...handsOut, checks: NO_CHECKS };
}

async function prepareWait({ runner, request, context }: Job): Promise<AttemptResult> {
  const { evidence, error } = await evaluateConditions('preconditions', request, context);
  const noted = { evidence: { preconditions: evidence }, checks: NO_CHECKS };
  if (error !== undefined) return errored(error, noted);
  const found = await recordFilesBefore({ runner, request, context });
  return { type: 'ready', ...(await builtQuestion(runner, request, context)), ...omitUndefined({ found }), ...noted };
}

/** While a person decides: what the question is about outside the run. */
async function observe(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const subjects = await observeSubjects({ runner, request, context });
  const { path, step } = request.activation;
  return { type: 'observed', subjects, ...approvalOf(subjects, { path, step, now: runner.services.now() }) };
}

/** Does the work, and checks the contract before and after it. */
function execute(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  return runInLayers(WORK_LAYERS, { runner, request, context }, executeHere);
}

async function executeHere({ runner, request, context }: Job): Promise<AttemptResult> {
  const { model } = request.bound;
  // A delay is polled many times; the host checks its conditions before the first poll and after the last.
  const isPoll = model.kind === 'delay';
  let before: Evidence | undefined;
  if (model.preconditions.length > 0 && !isPoll) {
    const { evidence, error } = await evaluateConditions('preconditions', request, context);
    before = { preconditions: evidence };
    if (error !== undefined) return errored(error, { evidence: before });
    if (request.signal.aborted) throw new AttemptStopped();
  }
  const pending = startWork({ runner, request, context });
  const work = isPromise(pending) ? await pending : pending;
  const assumptions = [...context.assumed, ...(work.assumptions ?? [])];
  if ('handed' in work) return { type: 'handed', handover: work.handed as unknown as JsonObject, ...recordOf(work, before) };
  if ('asks' in work)
    return { type: 'asked', questions: work.asks as unknown as Json, ...omitUndefined({ saved: work.saved }), ...recordOf(work, before) };
  const result = resultOf(runner, request, { work, before, assumptions });
  return isPoll || !needsVerification(request.bound, result) ? result : verifyResult({ runner, request, context }, result);
}

function startWork(job: Job): Work | Promise<Work> {
  const start = (): Work | Promise<Work> => work(job);
  // Only with a forge can anything be merged.
  return job.runner.services.forge === undefined ? start() : recordTree(job, start);
}

function work(job: Job): Work | Promise<Work> {
  const { kind } = job.request.bound.model;
  const execute = ownEntry(job.runner.kinds, kind)?.execute;
  if (execute === undefined) return { error: stepError('STEP_FAILED', `a step of kind "${kind}" waits; it is not executed`) };
  // Declared outputs are verified for every worker; agents and programs must also leave protected files alone.
  if (runsInOtherProcess(job.runner, kind) || outputsOf(job.request.bound.model).length > 0) return runWithOutputs(job, execute);
  return isAgentKind(job.runner, kind) ? protectFiles(job, execute) : execute(job);
}

interface FinishedWork {
  readonly work: Exclude<Work, { readonly handed: unknown } | { readonly asks: unknown }>;
  readonly before: Evidence | undefined;
  readonly assumptions?: readonly AssumptionText[];
}

function resultOf(runner: Runner, request: AttemptRequest, { work, before, assumptions = [] }: FinishedWork): AttemptResult {
  const noted = recordOf(work, before);
  if ('error' in work) return { type: 'errored', error: work.error, ...omitUndefined({ output: work.output }), ...noted };
  const record = assumptions.length === 0 ? noted : { ...noted, assumptions };
  return { type: 'settled', outcome: work.outcome, output: plainOutput(runner, request, work.output), ...record };
}

const NOTHING = Object.freeze({ checks: NO_CHECKS });

function recordOf({ claim, evidence, actor, remember, checks = NO_CHECKS }: Work, before: Evidence | undefined) {
  // A fast path, because this runs for every step.
  if ((claim ?? evidence ?? actor ?? remember ?? before) === undefined && checks === NO_CHECKS) return NOTHING;
  return {
    ...omitUndefined({ claim }),
    ...(evidence === undefined && before === undefined ? {} : { evidence: { ...before, ...evidence } }),
    ...omitUndefined({ actor, remember }),
    checks,
  };
}

/** Checks a result that came from outside: the report of a calling agent, or how a wait ended. */
async function verify(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const job = { runner, request, context };
  if (pipelineOf(runner, request.bound.model.kind) === 'execute') return runInLayers(REPORT_LAYERS, job, verifyReport);
  return withDatabases(job, verifyWait);
}

async function verifyWait({ runner, request, context }: Job): Promise<AttemptResult> {
  const { error, remember, ...checked } = await checkPostconditions(
    { runner, request, context: context.withResult(request.result) },
    'ok',
    request.result,
  );
  const noted = { ...checked, ...(Object.keys(remember).length === 0 ? {} : { remember }) };
  if (error !== undefined) return errored(error, { claim: request.result, ...noted });
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
  const pending = heldBy(request.activation);
  invariant(pending !== undefined, 'only an attempt with a pending result is verified', request.activation.path);
  const { outcome } = pending;
  const job = { runner, request, context };
  await recordHandedWork(job, workerOf(job), workTimeOf(job));
  const produced = await recordTree(job, () => runWithOutputs(job, () => ({ outcome, output: claim, claim })));
  if ('handed' in produced) throw new Error('a report cannot be handed out');
  if ('asks' in produced) return { type: 'asked', questions: produced.asks as unknown as Json, ...recordOf(produced, undefined) };
  const result = resultOf(runner, request, { work: produced, before: undefined });
  return needsVerification(request.bound, result) ? verifyResult(job, result) : result;
}

/** After a crash: whether the interrupted attempt took effect. */
async function reconcile(runner: Runner, request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const { code, model } = request.bound;
  const job = { runner, request, context };
  const recorded = recordedResult(job);
  if (recorded !== undefined) return recorded;
  if (writtenDatabase(runner.kinds, model) !== undefined) {
    // The database has no record of the step. Whether the rest may run again is the author's decision.
    if (model.recovery === 'ask')
      return unknownEffect(`the database has no change by step "${model.id}", and the step does not declare that it can run again`);
    if (code.reconcile === undefined) return NOT_DONE;
  }
  return withDatabases(job, reconcileByCode);
}

async function reconcileByCode({ runner, request, context }: Job): Promise<AttemptResult> {
  const { code, model } = request.bound;
  if (code.reconcile === undefined) return reconcileByContract(request, context);
  let answer: unknown;
  try {
    const pending = code.reconcile(context);
    answer = isPromise(pending) ? await untilStopped(pending, request.signal) : pending;
  } catch (thrown) {
    if (thrown instanceof AttemptStopped) throw thrown;
    return unknownEffect(`Pawl could not determine whether step "${model.id}" took effect: ${messageOf(thrown)}`);
  }
  if (answer === false) return NOT_DONE;
  const output = answer === true ? null : typeof answer === 'object' && answer !== null && 'output' in answer ? answer.output : undefined;
  if (output === undefined)
    return unknownEffect(`the reconcile function of step "${model.id}" must return true, false or { output }, not ${typeName(answer)}`);
  const plain = plainOutput(runner, request, output);
  return { type: 'settled', outcome: 'ok', output: plain, evidence: { reconciled: true }, checks: NO_CHECKS };
}

async function reconcileByContract(request: AttemptRequest, context: AttemptContext): Promise<AttemptResult> {
  const { model } = request.bound;
  if (model.postconditions.length === 0)
    return unknownEffect(`Pawl cannot determine whether step "${model.id}" took effect; give it a reconcile function or postconditions`);
  const { evidence, error } = await evaluateConditions('postconditions', request, context.withResult(null));
  const noted = { evidence: { postconditions: evidence }, checks: NO_CHECKS };
  if (error === undefined) return { type: 'settled', outcome: 'ok', output: null, ...noted };
  return error.code === 'CONDITION_ERROR' ? { ...unknownEffect(error.message), ...noted } : { type: 'ready', ...noted };
}

// If it is unknown whether a step took effect, a person decides, and nothing runs again.
function unknownEffect(message: string): AttemptResult {
  return errored(stepError('CONDITION_ERROR', message, { retryable: false }));
}

function plainOutput(runner: Runner, { bound }: AttemptRequest, output: unknown): Json {
  return redactJson(runner.redactor, toPlain(output, `the output of step "${bound.model.id}"`));
}

function failureOf({ bound: { model } }: AttemptRequest, value: unknown): AttemptResult {
  const thrown = readableError(value);
  if (thrown instanceof AttemptStopped) return errored(stoppedError(model.id));
  if (isEngineError(thrown)) return errored(stepError(thrown.code, thrown.message));
  const stack = thrown instanceof Error && thrown.stack !== undefined ? { evidence: { thrown: thrown.stack.slice(0, STACK_MAX) } } : {};
  return errored(stepError('STEP_FAILED', messageOf(thrown)), stack);
}
