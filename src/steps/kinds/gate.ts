// Owns the execution of `gate`: every check is made, in order, also after one has failed. One that could not be made is
// an error of the gate: it neither passes nor fails.

import { formatDuration } from '../../base/duration.ts';
import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { Stopped, untilStopped } from '../abort.ts';
import type { CheckResult } from '../attempt.ts';
import type { CheckScene, CheckVerdict, GateCheck } from '../checks/check.ts';
import { BUILT_IN_CHECKS } from '../checks/registry.ts';
import { programName, runProgram } from '../program.ts';
import { entryOf } from '../services.ts';
import { type Job, stepError, type Work } from '../work.ts';

/** Makes all checks of a gate. */
export async function executeGate(job: Job): Promise<Work> {
  const { now } = job.bench.services;
  const startedAt = now();
  const made: Made[] = [];
  const checks = job.request.bound.model.config.checks as readonly JsonObject[];
  for (const config of checks) made.push(await make(job, config));
  return conclude(job, made, formatDuration(now() - startedAt));
}

interface Made {
  readonly config: JsonObject;
  readonly verdict: CheckVerdict;
  readonly at: number;
}

async function make(job: Job, config: JsonObject): Promise<Made> {
  const verdict = await verdictOf(job, config);
  // A stopped gate has no verdict: what the rest of its checks would have found is nobody's business any more.
  if (job.request.signal.aborted) throw new Stopped();
  return { config, verdict, at: job.bench.services.now() };
}

async function verdictOf(job: Job, config: JsonObject): Promise<CheckVerdict> {
  const name = String(config.check);
  const { checks = {} } = job.bench.services;
  const check = entryOf(BUILT_IN_CHECKS, name) ?? entryOf(checks, name);
  if (check === undefined) {
    const hint = didYouMean(name, [...Object.keys(BUILT_IN_CHECKS), ...Object.keys(checks)]);
    return { passed: null, result: null, error: `there is no check "${name}"${hint}` };
  }
  try {
    return wellFormed(await withinTime(job, check, config));
  } catch (thrown) {
    return { passed: null, result: null, error: messageOf(thrown) };
  }
}

async function withinTime(job: Job, check: GateCheck, config: JsonObject): Promise<CheckVerdict> {
  const { signal } = job.request;
  const limitMs = config.timeoutMs;
  // The built-in command ends its own processes at the limit, and then nothing of it may be left running.
  if (check === BUILT_IN_CHECKS.command) return await check.run(config, sceneOf(job, signal));
  const limit = typeof limitMs === 'number' ? AbortSignal.timeout(limitMs) : undefined;
  const both = limit === undefined ? signal : AbortSignal.any([signal, limit]);
  try {
    return await untilStopped(Promise.resolve(check.run(config, sceneOf(job, both))), both);
  } catch (thrown) {
    if (!(thrown instanceof Stopped)) throw thrown;
    return { passed: null, result: null, error: `it took longer than ${String(limitMs)} ms`, timedOut: true };
  }
}

function sceneOf({ bench, request }: Job, signal: AbortSignal): CheckScene {
  return {
    cwd: bench.services.cwd,
    runId: request.runId,
    step: request.bound.model.id,
    attempt: request.activation.attempt,
    params: request.params,
    signal,
    now: bench.services.now,
    run: (program) => runProgram(bench, { ...request, signal }, program),
  };
}

// A check is somebody's code: what it gives is looked at before it decides anything.
function wellFormed(verdict: CheckVerdict): CheckVerdict {
  const given: { readonly passed?: unknown } | null = typeof verdict === 'object' ? verdict : null;
  if (given === null || (given.passed !== null && typeof given.passed !== 'boolean'))
    return { passed: null, result: null, error: 'it gave no verdict; a check gives { passed: true | false | null, result }' };
  return { ...verdict, result: toPlain(verdict.result, 'the result of the check') };
}

function conclude(job: Job, made: readonly Made[], duration: string): Work {
  const step = job.request.bound.model.id;
  const checks = made.map(recordOf);
  const unmade = made.filter(({ verdict }) => verdict.passed === null);
  if (unmade.length > 0) {
    const message = `gate "${step}" could not be decided: ${unmade.map(sentenceOf).join('; ')}`;
    if (unmade.every(({ verdict }) => verdict.timedOut === true))
      return { error: stepError('STEP_FAILED', message, { reason: 'timeout' }), checks };
    return { error: stepError('COMMAND_NOT_RUN', message), checks };
  }
  const failures = made.filter(({ verdict }) => verdict.passed === false);
  const passed = failures.length === 0;
  const output = { passed, failed_checks: failures.map(sentenceOf), checks: made.map(shownOf), duration };
  return { outcome: passed ? 'ok' : 'fail', output, checks };
}

function recordOf({ config, verdict, at }: Made): CheckResult {
  const { passed, result, error } = verdict;
  return { type: String(config.check), config, passed, result, ...(error === undefined ? {} : { error }), at };
}

function shownOf({ config, verdict }: Made): JsonObject {
  const { passed, error } = verdict;
  return { check: String(config.check), name: nameOf(config), passed, ...(error === undefined ? {} : { error }) };
}

function sentenceOf({ config, verdict }: Made): string {
  return `${nameOf(config)}: ${verdict.error ?? 'it did not pass'}`;
}

function nameOf(config: JsonObject): string {
  const { check, name, run, argv, paths } = config as { readonly [field: string]: Json | undefined };
  if (typeof name === 'string') return name;
  if (check === 'command') return programName({ ...(typeof run === 'string' ? { run } : { argv: listOf(argv) }) });
  return check === 'file_exists' ? `file_exists ${listOf(paths).join(', ')}` : String(check);
}

function listOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map((item: Json) => (isJsonObject(item) ? JSON.stringify(item) : String(item))) : [];
}
