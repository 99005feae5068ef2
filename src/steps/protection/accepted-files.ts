// Owns the state of the protected files that a run's checks accept. The changes of an agent's step are found when it ends
// (`protection.ts`); later changes, such as by a program that the agent left running, are found here, when a gate runs.
//
// - The protected files are recorded in the run's data before the first agent of a run works.
// - A later change is accepted if the step that made it is allowed to: an agent with `mayChange`, or a step without an
//   agent, which is the author's own code. New files below an open pattern are accepted from every step.
// - A gate or a validation has no verdict while a protected file differs from what is accepted. A person who retries it
//   accepts the files as they are then.
// - A child run begins with what its parent accepts, and what one run of a tree accepts counts for the others.
//
// Not detected: other changes to such a file while a step that may change it is running.

import { unlessEmpty } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { isAgentKind } from '../../definition/kind.ts';
import type { AttemptResult } from '../attempt.ts';
import type { Attempt } from '../layers.ts';
import { ACCEPTED, GUARDED } from '../run-records.ts';
import { type Job, stepError, type Work } from '../work.ts';
import { matches } from '../workspace/glob.ts';
import type { Guard } from './protected-files.ts';
import { type Change, changesBetween, type Digests, describeChanges, digestGuarded, sharedGuards } from './protected-guards.ts';

/** The protected files of a run before its first agent. */
export interface GuardedFiles {
  readonly at: number;
  readonly guards: readonly Guard[];
  readonly files: Readonly<Record<string, string>>;
}

/** The files that a step changed; null for a deleted file. */
export interface AcceptedChange {
  readonly at: number;
  readonly files: Readonly<Record<string, string | null>>;
}

/** Whether an agent does the work. This includes a handed-out command, which can only be known when its report is verified. */
export function isAgentWork({ runner, request }: Job): boolean {
  return isAgentKind(runner, request.bound.model.kind) || request.want === 'verify';
}

/** The record that checks of this run compare with. Parallel agents may each have created one; the earliest counts. */
export function recordIn(data: JsonObject): GuardedFiles | undefined {
  return oldestFirst(GUARDED.allIn(data))[0];
}

/** Records the protected files before an agent works, if the run has no record yet. */
export async function recordBefore(job: Job): Promise<JsonObject | undefined> {
  if (!isAgentWork(job) || recordIn(job.context.snapshot.data) !== undefined) return undefined;
  const guards = await sharedGuards(job);
  const files = Object.fromEntries(await digestGuarded(job, guards));
  return GUARDED.of(job.request.activation.path).with({ at: job.runner.services.now(), guards, files });
}

/** The record for a new child run. */
export function inheritedRecord(data: JsonObject): JsonObject {
  const record = recordIn(data);
  if (record === undefined) return {};
  const files = Object.fromEntries(acceptedFiles(record, [data]));
  return GUARDED.of('parent').with({ ...record, files });
}

/** Runs an attempt, and accepts its changes to protected files if the step may make them. */
export async function acceptChanges(job: Job, attempt: Attempt): Promise<AttemptResult> {
  const { bound, signal } = job.request;
  const { data } = await job.request.snapshot();
  const record = recordIn(data);
  if (record === undefined) return await attempt(job);
  const isAgent = isAgentWork(job);
  const files = isAgent ? acceptedFiles(record, [data]) : await digestGuarded(job, record.guards);
  const result = await attempt(job);
  if ((result.type !== 'settled' && result.type !== 'errored') || signal.aborted) return result;
  const after = await digestGuarded(job, record.guards);
  const before = { files, guards: record.guards };
  const { mayChange = [] } = bound.model;
  const refused = isAgent ? changesBetween(before, after).filter(({ path }) => !mayChange.some((pattern) => matches(path, pattern))) : [];
  const change = changeBetween(files, after, new Set(refused.map(({ path }) => path)));
  if (Object.keys(change).length === 0) return result;
  return { ...result, remember: { ...result.remember, ...acceptanceData(job, change) } };
}

/** Runs a check, unless protected files differ from their accepted state; then it has no verdict. */
export async function runOnAcceptedFiles(job: Job, work: () => Promise<Work>): Promise<Work> {
  const { data } = job.context.snapshot;
  const record = recordIn(data);
  if (record === undefined) return await work();
  const now = await digestGuarded(job, record.guards);
  const files = acceptedFiles(record, [data]);
  if (isRetriedByPerson(job)) {
    const done = await work();
    const change = unlessEmpty(changeBetween(files, now, new Set()));
    return change === undefined ? done : { ...done, remember: { ...done.remember, ...acceptanceData(job, change, 'retry') } };
  }
  if (changesBetween({ files, guards: record.guards }, now).length === 0) return await work();
  // Another run of the tree may have accepted the changes; their data is read only in this case.
  const others = (await job.request.runTree?.others()) ?? [];
  const ofFamily = acceptedFiles(record, [data, ...others.map((run) => run.data)]);
  const changes = changesBetween({ files: ofFamily, guards: record.guards }, now);
  return changes.length === 0 ? await work() : refusal(job.request.bound.model.id, changes);
}

function refusal(step: string, changes: readonly Change[]): Work {
  const message =
    `"${step}" was not checked, because protected files changed outside of the steps that may change them: ${describeChanges(changes)}; ` +
    'look for a program that an agent left running, and restore the files; "pawl retry" accepts them as they are';
  const evidence = { protected: changes.map(({ path, what }) => ({ path, what })) };
  return { error: stepError('PROTECTED_CHANGED', message, { retryable: false }), evidence };
}

// The second condition excludes a gate that a merge runs again.
function isRetriedByPerson({ request: { activation, bound } }: Job): boolean {
  return activation.since > 1 && activation.attempt === activation.since && activation.step === bound.model.id;
}

function acceptedFiles({ files }: GuardedFiles, related: readonly JsonObject[]): Digests {
  const found = new Map(Object.entries(files));
  const changes = oldestFirst(related.flatMap((data) => ACCEPTED.allIn(data)));
  for (const change of changes)
    for (const [path, digest] of Object.entries(change.files)) {
      if (digest === null) found.delete(path);
      else found.set(path, digest);
    }
  return found;
}

function changeBetween(before: Digests, after: Digests, leftOut: ReadonlySet<string>): Record<string, string | null> {
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path) => [path, null] as const);
  const changed = [...after].filter(([path, digest]) => before.get(path) !== digest);
  return Object.fromEntries([...gone, ...changed].filter(([path]) => !leftOut.has(path)));
}

function acceptanceData({ runner, request }: Job, files: AcceptedChange['files'], by?: 'retry'): JsonObject {
  const { path, attempt } = request.activation;
  return ACCEPTED.of({ by, path, attempt }).with({ at: runner.services.now(), files });
}

function oldestFirst<Entry extends { readonly at: number }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => one.at - other.at);
}
