// Owns the protection of files that judge or steer an agent's work: tests and gate scripts that the author names, and
// always the settings of the engine, of git, of CI and of agents. They are hashed before the work and looked at after it.
//
// G1. A protected file that was changed or deleted makes the verdict void, whatever it was: ok, fail or reject. New files
//     are allowed, except where a new file acts by itself: a hook of git.
// G2. All attempts of one activation are compared with what was there before the first, so nothing is gained by trying
//     again. What was there is among the run's data, under a name that no author can write.
// G3. Nothing is posted for work whose verdict is void.
//
// It is not seen who changed a file: steps that work at the same time in one workspace answer for each other.

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { patternRefusal } from '../definition/kinds/output-pattern.ts';
import { matches } from './glob.ts';
import { digestProtected } from './protected-files.ts';
import { type Executor, type Job, stepError, type Work } from './work.ts';

/** What is protected from every agent, named or not. */
const ALWAYS_PROTECTED: readonly string[] = Object.freeze([
  '.pawl/**',
  '.squadron/**',
  '.git/hooks/**',
  '.git/config',
  '.github/workflows/**',
  '.claude/settings*.json',
  '.vscode/**',
]);

const ACTS_BY_ITSELF = '.git/hooks/**';
const SHOWN_MAX = 20;

type Digests = ReadonlyMap<string, string>;

/** Does the work of an agent, and lets its verdict count when it left the protected files alone. */
export async function protecting(job: Job, work: Executor): Promise<Work> {
  const refusal = refusalOf(job);
  if (refusal !== undefined) return refusal;
  const before = isAgentWork(job) ? await openBaseline(job) : undefined;
  const done = await work(job);
  if ('handed' in done) return remembering(job, done, before ?? (await openBaseline(job)));
  if (before === undefined) return done;
  if ('asks' in done || job.request.signal.aborted) return remembering(job, done, before);
  const changed = changesBetween(before.files, await takeDigests(job));
  if (changed.length > 0) return remembering(job, voided(job, done, changed), before);
  // An attempt that ended well left everything as it was: there is nothing that a later one could hide behind it.
  return 'error' in done ? remembering(job, done, before) : done;
}

/** What has to be known of the protected files before the work begins, for the run's data. */
export async function protectedBefore(job: Job): Promise<JsonObject | undefined> {
  if (!isAgentWork(job) || refusalOf(job) !== undefined || keptDigests(job) !== undefined) return undefined;
  return keptAs(job, await takeDigests(job));
}

// A command that is handed out is an agent's work as well: that shows when its report is verified.
function isAgentWork({ request }: Job): boolean {
  const { kind } = request.bound.model;
  return kind === 'agent' || kind === 'generate' || request.want === 'verify';
}

function patternsOf({ bench, request }: Job): readonly string[] {
  const { bound, workflow } = request;
  const named = [...(bench.services.protected ?? []), ...(workflow.definition.protected ?? []), ...(bound.model.protected ?? [])];
  return [...ALWAYS_PROTECTED, ...named];
}

function refusalOf(job: Job): Work | undefined {
  for (const pattern of [...patternsOf(job), ...(job.request.bound.model.mayChange ?? [])]) {
    const why = patternRefusal(pattern);
    if (why === undefined) continue;
    const what = `the protected path "${pattern}" for step "${job.request.bound.model.id}" is refused`;
    return { error: stepError('STEP_FAILED', `${what}: ${why}; write one that stays inside of the workspace`, { retryable: false }) };
  }
  return undefined;
}

interface Baseline {
  readonly files: Digests;
  readonly isKept: boolean;
}

async function openBaseline(job: Job): Promise<Baseline> {
  const kept = keptDigests(job);
  return kept === undefined ? { files: await takeDigests(job), isKept: false } : { files: kept, isKept: true };
}

async function takeDigests(job: Job): Promise<Digests> {
  const { services } = job.bench;
  const own = services.pidDir?.replace(/\.pids$/, '');
  const { signal } = job.request;
  const patterns = patternsOf(job);
  const all = await digestProtected({ cwd: services.cwd, patterns, signal, ...(own === undefined ? {} : { own }) });
  const lifted = job.request.bound.model.mayChange ?? [];
  return new Map([...all].filter(([path]) => !lifted.some((pattern) => matches(path, pattern))));
}

// One entry per step, for its latest visit: what people and other steps changed between two visits is no agent's deed.
function keyOf({ request }: Job): string {
  return `$protected:${request.activation.path.replaceAll(/#\d+/g, '')}`;
}

function keptDigests(job: Job): Digests | undefined {
  const kept = job.request.apart === true ? undefined : job.context.snapshot.data[keyOf(job)];
  if (!isJsonObject(kept) || kept.path !== job.request.activation.path || !isJsonObject(kept.files)) return undefined;
  return new Map(Object.entries(kept.files as Record<string, string>));
}

function keptAs(job: Job, files: Digests): JsonObject {
  return { [keyOf(job)]: { path: job.request.activation.path, files: Object.fromEntries(files) } };
}

function remembering(job: Job, done: Work, { files, isKept }: Baseline): Work {
  return isKept || job.request.apart === true ? done : { ...done, remember: { ...done.remember, ...keptAs(job, files) } };
}

interface Change {
  readonly path: string;
  readonly what: 'changed' | 'deleted' | 'added';
}

function changesBetween(before: Digests, after: Digests): Change[] {
  const changes: Change[] = [];
  for (const [path, digest] of before) {
    const now = after.get(path);
    if (now !== digest) changes.push({ path, what: now === undefined ? 'deleted' : 'changed' });
  }
  for (const path of after.keys()) {
    if (!before.has(path) && matches(path, ACTS_BY_ITSELF)) changes.push({ path, what: 'added' });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function voided(job: Job, done: Work, changed: readonly Change[]): Work {
  const { id } = job.request.bound.model;
  const shown = changed.slice(0, SHOWN_MAX).map(({ path, what }) => `${path} (${what})`);
  const more = changed.length > SHOWN_MAX ? ` and ${changed.length - SHOWN_MAX} more` : '';
  const message =
    `protected files are not as they were before step "${id}", so its verdict does not count: ${shown.join(', ')}${more}; ` +
    'put them back as they were, and do the work without touching them. Only the author of the workflow can allow it, with mayChange';
  const { claim, actor, remember, checks, evidence } = done;
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(remember === undefined ? {} : { remember }),
    ...(checks === undefined ? {} : { checks }),
    ...(claim === undefined ? {} : { claim }),
    evidence: { ...evidence, protected: changed.map(({ path, what }) => ({ path, what })) },
    error: stepError('PROTECTED_CHANGED', message, { reason: 'contract' }),
  };
}
