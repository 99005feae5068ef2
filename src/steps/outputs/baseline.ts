// Owns the baseline of a step's outputs: the state of their files and effects before the step first began in a run. It is
// stored in the run's data, so that it is the same for retries, later visits and after a crash: changes of an earlier
// attempt are work of the step as well.
//
// Parallel steps in one workspace see each other's changes as their own.
//
// A step with `fresh: run` compares its files with their state before the run's first agent or first step with outputs,
// so that the work of an earlier step counts. A flow does not know its later steps, so it has no such baseline.

import { unlessEmpty } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { withoutVisits } from '../../definition/address.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import { isFileOutput } from '../../definition/output-pattern.ts';
import type { AttemptRequest } from '../attempt.ts';
import type { Job } from '../work.ts';
import { type OutputDeclaration, outputsOf } from './declaration.ts';
import { effectKey, findEffect } from './effect-output.ts';
import { digestMatching, type FileDigests } from './workspace-digest.ts';

/** The digests before the step, by pattern or by effect. */
export type Baseline = ReadonlyMap<string, FileDigests>;

/** The baselines of the step and of the run to store before the work begins, unless they exist already. */
export async function newBaselines(job: Job, declared: readonly OutputDeclaration[]): Promise<JsonObject | undefined> {
  return unlessEmpty({ ...(await newStepBaseline(job, declared)), ...(await newRunBaseline(job)) });
}

async function newStepBaseline(job: Job, declared: readonly OutputDeclaration[]): Promise<JsonObject | undefined> {
  const key = keyOf(job.request);
  if (job.context.snapshot.data[key] !== undefined || !declared.some((output) => isFileOutput(output) || output.type === 'effect'))
    return undefined;
  const digests = await takeDigests(job, declared);
  return { [key]: plainOf(digests) };
}

const OF_RUN = '$runBaseline:';

/** The baseline of the run. Parallel steps may each record one; the earliest counts. */
async function newRunBaseline(job: Job): Promise<JsonObject | undefined> {
  const { request, context, runner } = job;
  const outputs = request.workflow.definition.steps.flatMap(outputsOfRun);
  if (outputs.length === 0 || runBaseline(context.snapshot.data) !== undefined) return undefined;
  return { [`${OF_RUN}${request.activation.path}`]: { at: runner.services.now(), files: plainOf(await takeDigests(job, outputs)) } };
}

function outputsOfRun(step: StepModel): readonly OutputDeclaration[] {
  const own = step.fresh === 'run' ? outputsOf(step).filter(isFileOutput) : [];
  return [...own, ...membersOf(step).flatMap(outputsOfRun)];
}

function runBaseline(data: JsonObject): JsonObject | undefined {
  const taken = Object.entries(data).flatMap(([key, value]) => (key.startsWith(OF_RUN) && isJsonObject(value) ? [value] : []));
  const [first] = taken.sort((a, b) => Number(a.at) - Number(b.at));
  return first?.files as JsonObject | undefined;
}

function plainOf(digests: Baseline): JsonObject {
  return Object.fromEntries([...digests].map(([pattern, files]): [string, Json] => [pattern, Object.fromEntries(files)]));
}

/** The baseline of a step: the stored one, otherwise the current state. */
export async function openBaseline(job: Job, declared: readonly OutputDeclaration[]): Promise<Baseline> {
  const { data } = job.context.snapshot;
  const { request } = job;
  const { fresh } = request.bound.model;
  const kept = data[keyOf(request)];
  const isMeasure = request.sideWork === undefined && fresh !== 'activation';
  const own = isMeasure && isJsonObject(kept) ? digestsOf(kept) : await takeDigests(job, declared);
  const since = fresh === 'run' ? runBaseline(data) : undefined;
  return since === undefined ? own : new Map([...own, ...digestsOf(since)]);
}

function digestsOf(kept: JsonObject): Baseline {
  return new Map(Object.entries(kept).map(([pattern, files]) => [pattern, new Map(Object.entries(files as Record<string, string>))]));
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

// The path without visit numbers, but with the member of a group.
function keyOf({ activation }: AttemptRequest): string {
  return `$baseline:${withoutVisits(activation.path)}`;
}
