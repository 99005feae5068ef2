// Owns the protection of files that judge or steer an agent's work: tests and gate scripts that the author names, files
// that decide what the workflow's gates run, and always the settings of the engine, of git, of CI and of agents. They are
// hashed before the work and compared after it.
//
// - A protected file that was changed or deleted makes the verdict void, whatever it was: ok, fail or reject.
// - So does a new file that would take effect by itself: below what is always protected, where it decides what a gate
//   runs, and below a folder that the author closed (`ci/`, with a trailing slash). Below a pattern such as `tests/**` new
//   files are allowed: writing more tests is work.
// - All attempts of one activation are compared with the state before the first, so a retry gains nothing. That state is
//   in the run's data, under a reserved name.
// - Nothing is posted for work whose verdict is void.
//
// The engine cannot tell who changed a file: parallel steps in one workspace are responsible for each other's changes.

import { present } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { patternRefusal } from '../../definition/output-pattern.ts';
import { PROTECTED } from '../run-records.ts';
import { type Executor, type Job, stepError, type Work } from '../work.ts';
import { matches } from '../workspace/glob.ts';
import { isAgentWork, recordIn } from './accepted-files.ts';
import { recordingChanges } from './flow-protection.ts';
import { type Guard, isUnreadable } from './protected-files.ts';
import {
  type Change,
  changesBetween,
  type Digests,
  describeChanges,
  digestGuarded,
  GIT_GUARDS,
  guardFor,
  sharedGuards,
  type Watched,
} from './protected-guards.ts';

/** Runs the work of an agent; its verdict counts only if it left the protected files alone. */
export async function protecting(job: Job, work: Executor): Promise<Work> {
  const refusal = refusalOf(job);
  if (refusal !== undefined) return refusal;
  const before = isAgentWork(job) ? await openBaseline(job) : undefined;
  const unreadable = before === undefined ? undefined : unreadableOf(job, before);
  if (unreadable !== undefined) return unreadable;
  const done = before === undefined ? await work(job) : await recordingChanges(job, () => work(job));
  if ('handed' in done) return remembering(job, done, before ?? (await openBaseline(job)));
  if (before === undefined) return done;
  if ('asks' in done || job.request.signal.aborted) return remembering(job, done, before);
  const changed = changesBetween(before, await takeDigests(job, before.guards));
  if (changed.length > 0) return remembering(job, voided(job, done, changed), before);
  // A successful attempt left everything unchanged, so no later attempt can hide a change behind it.
  return 'error' in done ? remembering(job, done, before) : done;
}

/** The state of the protected files before the work begins, for the run's data. */
export async function protectedBefore(job: Job): Promise<JsonObject | undefined> {
  if (!isAgentWork(job) || refusalOf(job) !== undefined || keptDigests(job) !== undefined) return undefined;
  const guards = await guardsOf(job);
  return keptAs(job, { guards, files: await takeDigests(job, guards) });
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
    const what = `the protected path "${pattern}" for step "${job.request.bound.model.id}" is refused`;
    return { error: stepError('STEP_FAILED', `${what}: ${why}; write one that stays inside of the workspace`, { retryable: false }) };
  }
  return undefined;
}

// A file that people named and the engine cannot read must not appear to be protected.
function unreadableOf(job: Job, { files }: Baseline): Work | undefined {
  const patterns = namedPatterns(job).map((pattern) => (pattern.endsWith('/') ? `${pattern}**` : pattern));
  const found = [...files].find(
    ([path, digest]) => isUnreadable(digest) && patterns.some((pattern) => matches(path, pattern) || matches(`${path}/x`, pattern)),
  );
  if (found === undefined) return undefined;
  const [path, digest] = found;
  const what = `the protected path "${path}" cannot be watched for step "${job.request.bound.model.id}"`;
  const why = `it ${digest === 'special file' ? 'is a named pipe, a socket or a device' : digest}`;
  const advice = 'put a file of the workspace in its place, or take it out of the protected paths';
  return { error: stepError('STEP_FAILED', `${what}: ${why}; ${advice}`, { retryable: false }) };
}

interface Baseline extends Watched {
  readonly isKept: boolean;
}

async function openBaseline(job: Job): Promise<Baseline> {
  const kept = keptDigests(job);
  if (kept !== undefined) return { ...kept, isKept: true };
  const guards = await guardsOf(job);
  return { files: await takeDigests(job, guards), guards, isKept: false };
}

async function takeDigests(job: Job, guards: readonly Guard[]): Promise<Digests> {
  const all = await digestGuarded(job, guards);
  const lifted = job.request.bound.model.mayChange ?? [];
  return new Map([...all].filter(([path]) => !lifted.some((pattern) => matches(path, pattern))));
}

function keptDigests({ request, context }: Job): Watched | undefined {
  const { path } = request.activation;
  const kept = request.apart === undefined ? PROTECTED.of(path).in(context.snapshot.data) : undefined;
  return kept?.path === path ? { files: new Map(Object.entries(kept.files)), guards: kept.guards } : undefined;
}

function keptAs({ request: { activation } }: Job, { files, guards }: Watched): JsonObject {
  const { path } = activation;
  return PROTECTED.of(path).with({ path, files: Object.fromEntries(files), guards });
}

function remembering(job: Job, done: Work, { isKept, ...watched }: Baseline): Work {
  return isKept || job.request.apart !== undefined ? done : { ...done, remember: { ...done.remember, ...keptAs(job, watched) } };
}

function voided(job: Job, done: Work, changed: readonly Change[]): Work {
  const { id } = job.request.bound.model;
  const message =
    `protected files are not as they were before step "${id}", so its verdict does not count: ${describeChanges(changed)}; ` +
    'put them back as they were (remove those that were added), and do the work without touching them. ' +
    'Only the author of the workflow can allow such a change, with may_change (mayChange in TypeScript) at this step';
  const { claim, actor, remember, checks, evidence } = done;
  return {
    ...present({ actor, remember, checks, claim }),
    evidence: { ...evidence, protected: changed.map(({ path, what }) => ({ path, what })) },
    error: stepError('PROTECTED_CHANGED', message, { reason: 'contract' }),
  };
}
