// Owns what the files and effects of a step's outputs were before it first began in a run. It is taken before the work begins and is
// among the run's data from then on, so that retries, later visits and processes after a crash compare with the same:
// what an earlier attempt changed is the work of the step as well.
//
// Steps that work at the same time in one workspace see each other's changes as their own.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { comparesFiles, isFileOutput } from '../../definition/output-pattern.ts';
import type { AttemptRequest } from '../attempt.ts';
import type { Job } from '../work.ts';
import type { OutputDeclaration } from './declaration.ts';
import { effectKey, findEffect } from './effect-output.ts';
import { digestMatching, type FileDigests } from './workspace-digest.ts';

/** The digests before the step, by pattern or by effect. */
export type Baseline = ReadonlyMap<string, FileDigests>;

/** What has to be kept before the work begins: the baseline, unless an earlier visit has taken it. */
export async function foundBefore(job: Job, declared: readonly OutputDeclaration[]): Promise<JsonObject | undefined> {
  const key = keyOf(job.request);
  if (job.context.snapshot.data[key] !== undefined || !comparesFiles({ kind: 'task', outputs: declared })) return undefined;
  const digests = await takeDigests(job, declared);
  const plain = [...digests].map(([pattern, files]): [string, Json] => [pattern, Object.fromEntries(files)]);
  return { [key]: Object.fromEntries(plain) };
}

/** The baseline of a step in a run: the one that was kept, else what is there now. */
export async function openBaseline(job: Job, declared: readonly OutputDeclaration[]): Promise<Baseline> {
  const { request, context } = job;
  const kept = context.snapshot.data[keyOf(request)];
  const isMeasure = request.apart === undefined && request.bound.model.fresh !== 'activation';
  if (!isMeasure || !isJsonObject(kept)) return takeDigests(job, declared);
  return new Map(Object.entries(kept).map(([pattern, files]) => [pattern, new Map(Object.entries(files as Record<string, string>))]));
}

/** The digests of all files and effects that the outputs are about, as they are now. */
export async function takeDigests(job: Job, declared: readonly OutputDeclaration[]): Promise<Baseline> {
  const { bench, request } = job;
  const digests = new Map<string, FileDigests>();
  for (const output of declared) if (output.type === 'effect') digests.set(effectKey(output), (await findEffect(job, output)).digests);
  for (const { pattern } of declared.filter(isFileOutput)) {
    if (digests.has(pattern)) continue;
    digests.set(pattern, await digestMatching({ cwd: bench.services.cwd, pattern, signal: request.signal }));
  }
  return digests;
}

// The visits are left out of the path; the member of a group is not.
function keyOf({ activation }: AttemptRequest): string {
  return `$baseline:${activation.path.replaceAll(/#\d+/g, '')}`;
}
