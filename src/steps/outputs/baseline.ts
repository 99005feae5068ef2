// Owns the baseline of a step's outputs: the state of their files and effects before the step first began in a run. It is
// stored in the run's data, so that it is the same for retries, later visits and after a crash: changes of an earlier
// attempt are work of the step too.
//
// Parallel steps in one workspace see each other's changes as their own.
//
// A step with `fresh: run` compares its files with their state before the run's first agent or first step with outputs,
// so that the work of an earlier step counts. A flow does not know its later steps, so it has no such baseline.

import { unlessEmpty } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import { isFileOutput } from '../../definition/output-pattern.ts';
import { BASELINES, RUN_BASELINES } from '../run-records.ts';
import type { Job } from '../work.ts';
import { type OutputDeclaration, outputsOf } from './declaration.ts';
import { effectKey, findEffect } from './effect-output.ts';
import { digestMatching, type FileDigests } from './workspace-digest.ts';

/** Digests as a run stores them, by pattern or effect and then by path. */
export type StoredDigests = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The digests before the step, by pattern or by effect. */
export type Baseline = ReadonlyMap<string, FileDigests>;

/** The baselines of the step and of the run to store before the work begins, unless they already exist. */
export async function newBaselines(job: Job, declared: readonly OutputDeclaration[]): Promise<JsonObject | undefined> {
  return unlessEmpty({ ...(await newStepBaseline(job, declared)), ...(await newRunBaseline(job)) });
}

async function newStepBaseline(job: Job, declared: readonly OutputDeclaration[]): Promise<JsonObject | undefined> {
  const baseline = BASELINES.of(job.request.activation.path);
  const isMeasured = declared.some((output) => isFileOutput(output) || output.type === 'effect');
  if (!isMeasured || baseline.in(job.context.snapshot.data) !== undefined) return undefined;
  return baseline.with(plainOf(await takeDigests(job, declared)));
}

/** The baseline of the run. Parallel steps may each record one; the earliest counts. */
async function newRunBaseline(job: Job): Promise<JsonObject | undefined> {
  const { request, context, runner } = job;
  const outputs = request.workflow.definition.steps.flatMap(outputsOfRun);
  if (outputs.length === 0 || runBaseline(context.snapshot.data) !== undefined) return undefined;
  return RUN_BASELINES.of(request.activation.path).with({ at: runner.services.now(), files: plainOf(await takeDigests(job, outputs)) });
}

function outputsOfRun(step: StepModel): readonly OutputDeclaration[] {
  const own = step.fresh === 'run' ? outputsOf(step).filter(isFileOutput) : [];
  return [...own, ...membersOf(step).flatMap(outputsOfRun)];
}

function runBaseline(data: JsonObject): StoredDigests | undefined {
  const [first] = RUN_BASELINES.allIn(data).sort((a, b) => a.at - b.at);
  return first?.files;
}

function plainOf(digests: Baseline): StoredDigests {
  return Object.fromEntries([...digests].map(([pattern, files]) => [pattern, Object.fromEntries(files)]));
}

/** The baseline of a step: the stored one, otherwise the current state. */
export async function openBaseline(job: Job, declared: readonly OutputDeclaration[]): Promise<Baseline> {
  const { data } = job.context.snapshot;
  const { request } = job;
  const { fresh } = request.bound.model;
  const kept = BASELINES.of(request.activation.path).in(data);
  const isMeasure = request.sideWork === undefined && fresh !== 'activation';
  const own = isMeasure && kept !== undefined ? digestsOf(kept) : await takeDigests(job, declared);
  const since = fresh === 'run' ? runBaseline(data) : undefined;
  return since === undefined ? own : new Map([...own, ...digestsOf(since)]);
}

function digestsOf(kept: StoredDigests): Baseline {
  return new Map(Object.entries(kept).map(([pattern, files]) => [pattern, new Map(Object.entries(files))]));
}

/** The current digests of all files and effects of the outputs. */
export async function takeDigests(job: Job, declared: readonly OutputDeclaration[]): Promise<Baseline> {
  const { runner, request } = job;
  const digests = new Map<string, FileDigests>();
  for (const output of declared) if (output.type === 'effect') digests.set(effectKey(output), (await findEffect(job, output)).digests);
  for (const { pattern } of declared.filter(isFileOutput)) {
    if (digests.has(pattern)) continue;
    digests.set(pattern, await digestMatching({ cwd: runner.services.cwd, pattern, signal: request.signal }));
  }
  return digests;
}
