// Executes `validate`: one round of the project's validation stages. All of them run, in order. The kernel
// decides how many rounds there are, and runs the step that repairs between them.

import { formatDuration } from '../../base/duration.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isList, type JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { StepOf } from '../../definition/model.ts';
import type { ProcessResult } from '../../process/command.ts';
import type { CheckResult } from '../../steps/attempt.ts';
import { checkTimeout } from '../../steps/check.ts';
import { runOnAcceptedFiles } from '../../steps/protection/accepted-files.ts';
import { whyNoTest } from '../../steps/reports/test-counts.ts';
import { recogniseTests } from '../../steps/reports/test-report.ts';
import { ownEntry, type ProgramSetting, type StepServices } from '../../steps/services.ts';
import { type Job, stepError, stoppedError, type Work } from '../../steps/work.ts';
import { exitSentence, outputTail, programName, runProgram } from '../../steps/worker/program.ts';

interface Stage {
  readonly name: string;
  readonly program: ProgramSetting;
}

interface StageRun {
  readonly stage: Stage;
  readonly result: ProcessResult;
  readonly at: number;
}

/** Runs every stage once. */
export async function execute(job: Job<StepOf<'validate'>>): Promise<Work> {
  const { runner, request } = job;
  const step = request.bound.model.id;
  const stages = resolveStages(runner.services, request.bound.model);
  if ('refusal' in stages) {
    return { error: stepError('DEFINITION_INVALID', `validation "${step}": ${stages.refusal}`, { retryable: false }) };
  }
  return await runOnAcceptedFiles(job, () => runStages(job, stages.list));
}

async function runStages(job: Job, stages: readonly Stage[]): Promise<Work> {
  const { runner, request } = job;
  const step = request.bound.model.id;
  const runs: StageRun[] = [];
  for (const stage of stages) {
    const limit = omitUndefined({ timeoutMs: checkTimeout(job, stage.program.timeoutMs) });
    const result = await runProgram(runner, request, { ...stage.program, ...limit, pipefail: true });
    if (request.signal.aborted) return { error: stoppedError(step) };
    runs.push({ stage, result, at: runner.services.now() });
  }
  return conclude(step, runs);
}

type StageList = { readonly list: readonly Stage[] } | { readonly refusal: string };

function resolveStages(services: StepServices, { stages }: StepOf<'validate'>): StageList {
  const { stages: table = {}, defaultStages } = services;
  const everyProgram = Object.keys(table).filter((name) => !Array.isArray(table[name]));
  const wanted = stages ?? defaultStages ?? everyProgram;
  const names = typeof wanted === 'string' ? namesUnder(services, wanted) : wanted;
  if (names.length === 0) return { refusal: 'no stages are configured, so nothing was checked; configure validation.stages' };
  const list: Stage[] = [];
  for (const name of names) {
    const setting = ownEntry(table, name);
    if (setting === undefined)
      return { refusal: `there is no stage "${name}"${didYouMean(name, Object.keys(table))}; configure it in validation.stages` };
    if (isList(setting)) return { refusal: `the stage "${name}" is a list of stages; a list names programs only` };
    list.push({ name, program: typeof setting === 'string' ? { run: setting } : setting });
  }
  return { list };
}

// A single name is a list of stages under one key, or one stage.
function namesUnder({ stages }: StepServices, name: string): readonly string[] {
  const setting = ownEntry(stages, name);
  return isList(setting) ? setting : [name];
}

function conclude(step: string, runs: readonly StageRun[]): Work {
  const checks = runs.map(recordOf);
  const stages = runs.map(shownOf);
  const evidence = { stages: stages.map((stage, index) => ({ ...stage, ...omitUndefined({ error: checks[index]?.error }) })) };
  const undecided = runs.flatMap((run) => {
    const why = whyUndecided(run);
    return why === undefined ? [] : [{ ...run, why }];
  });
  if (undecided.length > 0) {
    const sentences = undecided.map(({ stage, why }) => `${stage.name}: ${why}`);
    const message = `validation "${step}" could not be decided: ${sentences.join('; ')}`;
    if (undecided.every(({ result }) => result.kind === 'timeout' || result.kind === 'aborted'))
      return { error: stepError('STEP_FAILED', message, { reason: 'timeout' }), checks, evidence };
    return { error: stepError('COMMAND_NOT_RUN', message, { retryable: false }), checks, evidence };
  }
  const success = checks.every(({ passed }) => passed === true);
  return { outcome: success ? 'ok' : 'fail', output: { success, stages }, checks, ...(success ? {} : { evidence }) };
}

function whyUndecided({ stage, result }: StageRun): string | undefined {
  if (result.kind === 'not-run') return result.message;
  if (result.kind !== 'exited') return `timed out after ${formatDuration(result.durationMs)}; raise \`timeout\` of the stage`;
  const counts = stage.program.tests === 'optional' ? undefined : recogniseTests(result);
  return counts === undefined ? undefined : whyNoTest(counts);
}

function shownOf({ stage, result }: StageRun): JsonObject {
  if (result.kind !== 'exited') return { name: stage.name, passed: false };
  const passed = result.exitCode === 0;
  return { name: stage.name, passed, exitCode: result.exitCode, ...(passed ? {} : { stderr: outputTail(result) }) };
}

function recordOf({ stage, result, at }: StageRun): CheckResult {
  const config = { stage: stage.name, command: programName(stage.program) };
  const error = whyUndecided({ stage, result, at });
  if (result.kind !== 'exited')
    return {
      type: 'stage',
      config,
      passed: null,
      result: result.kind === 'not-run' ? { reason: result.reason } : null,
      ...omitUndefined({ error }),
      at,
    };
  const passed = error === undefined ? result.exitCode === 0 : null;
  const printed = {
    exitCode: result.exitCode,
    stdout: outputTail({ stdout: '', stderr: result.stdout }),
    stderr: outputTail({ stdout: '', stderr: result.stderr }),
  };
  return { type: 'stage', config, passed, result: printed, ...(passed ? {} : { error: error ?? `it ${exitSentence(result)}` }), at };
}
