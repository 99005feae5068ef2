// Owns the protection of files that control or check an agent's work: tests and gate scripts that the author names, files
// that decide what the workflow's gates run, and always the settings of the engine, of git, of CI and of agents. They are
// hashed before the work and compared after it.
//
// - If a protected file was changed or deleted, the verdict is void: ok, fail or reject.
// - So it is after a new file that takes effect by itself: below what is always protected, where it decides what a gate
//   runs, and below a folder that the author closed (`ci/`, with a trailing slash). Below a pattern such as `tests/**` new
//   files are allowed, because writing more tests is work.
// - All attempts of one activation are compared with the state before the first, so a retry gains nothing. That state is
//   in the run's data, under a reserved name.
// - Nothing is posted for work with a void verdict.
//
// The engine cannot know who changed a file: parallel steps in one workspace are responsible for each other's changes.

import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { patternRefusal } from '../../definition/output-pattern.ts';
import { PROTECTED } from '../run-records.ts';
import { type Executor, type Job, stepError, type Work } from '../work.ts';
import { matches } from '../workspace/glob.ts';
import { isAgentWork, recordIn } from './accepted-files.ts';
import { recordChanges } from './flow-protection.ts';
import { type Guard, isUnreadable } from './protected-files.ts';
import {
  type Change,
  changesBetween,
  type Digests,
  describeChanges,
  digestGuarded,
  GIT_GUARDS,
  guardFor,
  type ProtectedState,
  sharedGuards,
} from './protected-guards.ts';

/** Runs the work of an agent. Its verdict counts only if the protected files are unchanged. */
export async function protectFiles(job: Job, work: Executor): Promise<Work> {
  const refusal = refusalOf(job);
  if (refusal !== undefined) return refusal;
  const before = isAgentWork(job) ? await openBaseline(job) : undefined;
  const unreadable = before === undefined ? undefined : unreadableOf(job, before);
  if (unreadable !== undefined) return unreadable;
  const done = before === undefined ? await work(job) : await recordChanges(job, () => work(job));
  if ('handed' in done) return withBaseline(job, done, before ?? (await openBaseline(job)));
  if (before === undefined) return done;
  if ('asks' in done || job.request.signal.aborted) return withBaseline(job, done, before);
  const changed = changesBetween(before, await takeDigests(job, before.guards));
  if (changed.length > 0) return withBaseline(job, voidVerdict(job, done, changed), before);
  // After a successful attempt the files are unchanged, so a later attempt needs no older baseline.
  return 'error' in done ? withBaseline(job, done, before) : done;
}

/** The state of the protected files before the work begins, for the run's data. */
export async function protectedBefore(job: Job): Promise<JsonObject | undefined> {
  if (!isAgentWork(job) || refusalOf(job) !== undefined || storedBaseline(job) !== undefined) return undefined;
  const guards = await guardsOf(job);
  return baselineData(job, { guards, files: await takeDigests(job, guards) });
}

/** The patterns that people wrote: for the project, the workflow or the step. */
function namedPatterns({ runner, request }: Job): readonly string[] {
  const { bound, workflow } = request;
  return [...(runner.services.protected ?? []), ...(workflow.definition.protected ?? []), ...(bound.model.protected ?? [])];
}

async function guardsOf(job: Job): Promise<readonly Guard[]> {
  const ofStep = (job.request.bound.model.protected ?? []).map(guardFor);
  const all = [...GIT_GUARDS, ...ofStep, ...(await sharedGuards(job)), ...(recordIn(job.context.snapshot.data)?.guards ?? [])];
  return [...new Map(all.map((guard) => [JSON.stringify(guard), guard])).values()];
}

function refusalOf(job: Job): Work | undefined {
  for (const pattern of [...namedPatterns(job), ...(job.request.bound.model.mayChange ?? [])]) {
    const why = patternRefusal(pattern);
    if (why === undefined) continue;
    const subject = `the protected path "${pattern}" for step "${job.request.bound.model.id}" is rejected`;
    return { error: stepError('STEP_FAILED', `${subject}: ${why}; use one inside the workspace`, { retryable: false }) };
  }
  return undefined;
}

// A named file that the engine cannot read must not seem to be protected.
function unreadableOf(job: Job, { files }: Baseline): Work | undefined {
  const patterns = namedPatterns(job).map((pattern) => (pattern.endsWith('/') ? `${pattern}**` : pattern));
  const found = [...files].find(
    ([path, digest]) => isUnreadable(digest) && patterns.some((pattern) => matches(path, pattern) || matches(`${path}/x`, pattern)),
  );
  if (found === undefined) return undefined;
  const [path, digest] = found;
  const subject = `the protected path "${path}" cannot be checked for step "${job.request.bound.model.id}"`;
  const why = `it ${digest === 'special file' ? 'is a named pipe, a socket or a device' : digest}`;
  const advice = 'replace it by a file of the workspace, or remove it from the protected paths';
  return { error: stepError('STEP_FAILED', `${subject}: ${why}; ${advice}`, { retryable: false }) };
}

interface Baseline extends ProtectedState {
  readonly isKept: boolean;
}

async function openBaseline(job: Job): Promise<Baseline> {
  const kept = storedBaseline(job);
  if (kept !== undefined) return { ...kept, isKept: true };
  const guards = await guardsOf(job);
  return { files: await takeDigests(job, guards), guards, isKept: false };
}

async function takeDigests(job: Job, guards: readonly Guard[]): Promise<Digests> {
  const all = await digestGuarded(job, guards);
  const lifted = job.request.bound.model.mayChange ?? [];
  return new Map([...all].filter(([path]) => !lifted.some((pattern) => matches(path, pattern))));
}

function storedBaseline({ request, context }: Job): ProtectedState | undefined {
  const { path } = request.activation;
  const kept = request.sideWork === undefined ? PROTECTED.of(path).in(context.snapshot.data) : undefined;
  return kept?.path === path ? { files: new Map(Object.entries(kept.files)), guards: kept.guards } : undefined;
}

function baselineData({ request: { activation } }: Job, { files, guards }: ProtectedState): JsonObject {
  const { path } = activation;
  return PROTECTED.of(path).with({ path, files: Object.fromEntries(files), guards });
}

function withBaseline(job: Job, done: Work, { isKept, ...watched }: Baseline): Work {
  return isKept || job.request.sideWork !== undefined ? done : { ...done, remember: { ...done.remember, ...baselineData(job, watched) } };
}

function voidVerdict(job: Job, done: Work, changed: readonly Change[]): Work {
  const { id } = job.request.bound.model;
  const message =
    `protected files were changed during step "${id}", so its result was discarded: ${describeChanges(changed)}; ` +
    'restore them (remove those that were added), and do the work without changing them. ' +
    'Only the author of the workflow can allow such a change, with may_change (mayChange in TypeScript) at this step';
  const { claim, actor, remember, checks, evidence } = done;
  return {
    ...omitUndefined({ actor, remember, checks, claim }),
    evidence: { ...evidence, protected: changed.map(({ path, what }) => ({ path, what })) },
    error: stepError('PROTECTED_CHANGED', message, { reason: 'contract' }),
  };
}
