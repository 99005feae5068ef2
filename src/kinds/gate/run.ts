// Executes `gate`: every check runs, in order, even after one has failed. If a check could not run, the gate errors: it
// neither passes nor fails. If none failed and one is undecided, the gate is pending, and the checks that have not passed run
// again later. If files changed while they were checked, the gate has no verdict either.

import { existsSync } from 'node:fs';
import { formatDuration } from '../../base/duration.ts';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import { didYouMean, unknownFields } from '../../base/suggest.ts';
import { allChecks, type CheckModel } from '../../definition/check.ts';
import { anyReadsFiles } from '../../definition/landing.ts';
import type { StepOf } from '../../definition/model.ts';
import type { StepError } from '../../kernel/input.ts';
import { TreeError } from '../../process/git-tree.ts';
import { AttemptStopped, untilStopped } from '../../steps/abort.ts';
import type { CheckResult } from '../../steps/attempt.ts';
import {
  type CheckContext,
  type CheckVerdict,
  checkTimeout,
  errorOf,
  type GateCheck,
  notRunVerdict,
  timedOutVerdict,
  whyUndecided,
} from '../../steps/check.ts';
import { factsOf } from '../../steps/forge/forge-facts.ts';
import { withPullRequest } from '../../steps/forge/publishing.ts';
import { type CheckRun, GateProgress } from '../../steps/gate-progress.ts';
import { decisionAt } from '../../steps/person-decision.ts';
import { runOnAcceptedFiles } from '../../steps/protection/accepted-files.ts';
import { changesAllowed, tamperedFiles } from '../../steps/protection/flow-protection.ts';
import { APPROVED_HEADS } from '../../steps/run-records.ts';
import { ownEntry } from '../../steps/services.ts';
import { renderRequest } from '../../steps/web/rendered-request.ts';
import type { WebAnswer } from '../../steps/web/request.ts';
import { templateScope } from '../../steps/web/template-scope.ts';
import { type Job, requestError, stepError, type Work } from '../../steps/work.ts';
import { runProgram } from '../../steps/worker/program.ts';
import { treeEvidence, treeVerdictData } from '../../steps/workspace/tree-verdict.ts';
import { type FileChange, TreeWatch, type WorkspaceTree } from '../../steps/workspace/workspace-tree.ts';

type GateJob = Job<StepOf<'gate'>>;

const MOVES_SHOWN = 20;

/** Runs all checks of a gate. For a check of a pull request, the current work is pushed first. */
export async function execute(job: GateJob): Promise<Work> {
  if (!needsPullRequest(job)) return await judge(job);
  const ready = await withPullRequest(job);
  if (!('problem' in ready)) {
    const judged = await judge(ready.job);
    return ready.remember === undefined ? judged : { ...judged, remember: { ...judged.remember, ...ready.remember } };
  }
  const message = `gate "${job.request.bound.model.id}" has no pull request to check: ${ready.problem}`;
  return { error: requestError('COMMAND_NOT_RUN', message, ready) };
}

function needsPullRequest({ runner, request }: GateJob): boolean {
  return allChecks(request.bound.model.config.checks).some(({ check }) => ownEntry(runner.checks, check)?.needsPullRequest === true);
}

/** Runs all checks, on one tree if they read files. */
async function judge(job: GateJob): Promise<Work> {
  const checks = job.request.bound.model.config.checks;
  const startedAt = job.runner.services.now();
  // Without a workspace, each check reports that itself.
  if (!anyReadsFiles(job.runner, checks) || !existsSync(job.runner.services.cwd))
    return conclude(job, { ...(await runChecks({ ...job, startedAt }, undefined)), startedAt });
  const watch = await TreeWatch.open(job);
  try {
    const tree = (await watch.settled())?.id;
    if (watch.hidden.length > 0) return { error: hiddenError(job.request.bound.model.id, watch.hidden) };
    const disguised = await watch.hiddenContent(changesAllowed(job));
    if (disguised.length > 0) return { error: disguisedError(job.request.bound.model.id, disguised) };
    const steered = await tamperedFiles(job, tree);
    if (steered.length > 0) return { error: steeredError(job.request.bound.model.id, steered) };
    return await runOnAcceptedFiles(job, async () => {
      const ran = await runChecks({ ...job, startedAt }, tree);
      return conclude(job, { ...ran, startedAt, ...(await watch.moves(checks)) });
    });
  } catch (thrown) {
    if (!(thrown instanceof TreeError)) throw thrown;
    return { error: unreadError(job.request.bound.model.id, thrown.message) };
  } finally {
    await watch.close();
  }
}

async function runChecks(job: StartedJob, tree: string | undefined): Promise<Pick<GateRun, 'checks' | 'progress'>> {
  const progress = new GateProgress(job, tree);
  const checks: CheckRun[] = [];
  for (const [index, config] of job.request.bound.model.config.checks.entries())
    checks.push(progress.passedBefore(config, index) ?? (await runCheck(job, config)));
  return { checks, progress };
}

interface GateRun {
  readonly checks: readonly CheckRun[];
  readonly progress: GateProgress;
  readonly startedAt: number;
  /** The tree that was judged. */
  readonly tree?: WorkspaceTree;
  /** If the checks read files: those that changed meanwhile. */
  readonly moves?: readonly FileChange[];
}

/** A gate that has started: reports that its checks read must not be older than that. */
interface StartedJob extends GateJob {
  readonly startedAt: number;
}

/** Runs a check. With a policy for flaky checks, one that failed runs again on the same files. */
async function runCheck(job: StartedJob, config: CheckModel): Promise<CheckRun> {
  const first = await runOnce(job, config);
  const { flaky } = job.request.bound.model.config;
  if (flaky === undefined || first.verdict.passed !== false) return first;
  const second = await runOnce(job, config);
  const runs = [first, second];
  if (second.verdict.passed !== true) return { ...first, runs };
  if (flaky === 'quarantine') return { ...second, runs };
  const error = `flaky: failed once (${errorOf(first.verdict)}) and passed on the same files; fix the check, or set \`flaky: quarantine\` to accept it`;
  return { ...second, verdict: { passed: false, result: first.verdict.result, error }, runs };
}

async function runOnce(job: StartedJob, config: CheckModel): Promise<CheckRun> {
  const verdict = await verdictOf(job, config);
  // A stopped gate has no verdict, so the rest of its checks need not run.
  if (job.request.signal.aborted) throw new AttemptStopped();
  return { config, verdict, at: job.runner.services.now() };
}

function isFlaky({ runs = [] }: CheckRun): boolean {
  return runs.at(-1)?.verdict.passed === true;
}

async function verdictOf(job: StartedJob, config: CheckModel): Promise<CheckVerdict> {
  const name = config.check;
  const check = ownEntry(job.runner.checks, name);
  if (check === undefined) return notRunVerdict(`there is no check "${name}"${didYouMean(name, Object.keys(job.runner.checks))}`);
  try {
    return wellFormed(await withinTime(job, check, config));
  } catch (thrown) {
    return notRunVerdict(messageOf(thrown));
  }
}

async function withinTime(job: StartedJob, check: GateCheck, config: CheckModel): Promise<CheckVerdict> {
  const { signal } = job.request;
  const timeoutMs = check.isMadeOfOthers === true ? config.timeoutMs : checkTimeout(job, config.timeoutMs);
  if (check.stopsItself === true || timeoutMs === undefined) {
    const limited = timeoutMs === undefined ? config : { ...config, timeoutMs };
    const verdict = Promise.resolve(check.run(limited, sceneOf(job, signal)));
    return check.stopsItself === true ? await verdict : await untilStopped(verdict, signal);
  }
  const both = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await untilStopped(Promise.resolve(check.run(config, sceneOf(job, both))), both);
  } catch (thrown) {
    if (!(thrown instanceof AttemptStopped)) throw thrown;
    return timedOutVerdict(timeoutMs);
  }
}

function sceneOf(job: StartedJob, signal: AbortSignal): CheckContext {
  const { runner, request, context, startedAt } = job;
  const { services } = runner;
  return {
    cwd: services.cwd,
    runId: request.runId,
    step: request.bound.model.id,
    attempt: request.activation.attempt,
    params: request.params,
    signal,
    now: services.now,
    startedAt,
    get forge() {
      const subject = { runId: request.runId, params: request.params, data: context.snapshot.data };
      if (services.forgeFacts !== undefined) return services.forgeFacts(subject);
      return services.forge === undefined ? undefined : factsOf(services.forge, services.groups ?? {}, subject);
    },
    decisionAt: (step) => decisionAt(job, step),
    run: (program) => runProgram(runner, { ...request, signal }, { ...program, pipefail: true }),
    ask: (asked) => ask(job, asked, signal),
    check: (config, limit) =>
      verdictOf({ ...job, request: { ...request, signal: limit === undefined ? signal : AbortSignal.any([signal, limit]) } }, config),
  };
}

async function ask(job: StartedJob, asked: Parameters<CheckContext['ask']>[0], signal: AbortSignal): Promise<WebAnswer> {
  const { secrets, services } = job.runner;
  const { webhooks = {} } = services;
  const request = await renderRequest(asked, { scope: asked.templates === true ? templateScope(job) : undefined, secrets, webhooks });
  // Loaded only when needed: the HTTP client doubles the start time of a program.
  const { requestGuarded } = await import('../../steps/web/request.ts');
  return await requestGuarded({ ...request, ...omitUndefined({ timeoutMs: asked.timeoutMs }), allow: webhooks.allow ?? [], signal });
}

/** The fields of a verdict, whatever it is. */
const VERDICT_FIELDS: readonly string[] = ['passed', 'result', 'error', 'why', 'until', 'facts'];

// A check may be code of the project, so its result is validated before it decides anything.
function wellFormed(verdict: CheckVerdict): CheckVerdict {
  if (!isVerdict(verdict))
    return notRunVerdict(
      'it gave no verdict; a check must return { passed: true, result }, { passed: false, result, error } ' +
        'or { passed: null, why: "pending" | "timeout" | "limited" | "unable", result, error }',
    );
  const unknown = unknownFields(verdict, VERDICT_FIELDS, 'field');
  if (unknown.length > 0) return notRunVerdict(`it returned an ${unknown.join(' and an ')}; a verdict has ${VERDICT_FIELDS.join(', ')}`);
  const result = toPlain(verdict.result, 'the result of the check');
  return verdict.passed === true || typeof verdict.error === 'string'
    ? { ...verdict, result }
    : { ...verdict, result, error: 'it did not pass' };
}

const UNDECIDED: ReadonlySet<unknown> = new Set(['pending', 'timeout', 'limited', 'unable']);

function isVerdict(value: unknown): boolean {
  const { passed, why }: { readonly passed?: unknown; readonly why?: unknown } = typeof value === 'object' && value !== null ? value : {};
  return typeof passed === 'boolean' ? why === undefined : passed === null && UNDECIDED.has(why);
}

function conclude(job: Job, { checks: runs, progress, startedAt, tree, moves }: GateRun): Work {
  const head = moves === undefined ? headIn(runs.map(({ verdict }) => verdict.result)) : undefined;
  const step = job.request.bound.model.id;
  const sentenceOf = ({ config, verdict }: CheckRun): string => `${titleOf(job, config)}: ${errorOf(verdict)}`;
  const checks = [...progress.seen, ...runs.flatMap((one) => (one.runs ?? [one]).map(recordOf))];
  const flaky = runs.filter(isFlaky);
  const ofTree = tree === undefined ? {} : treeEvidence(tree);
  const shown = runs.map((one) => shownOf(job, one));
  // A gate that passed has its checks in its result.
  const seen = { evidence: { ...ofTree, checks: shown } };
  const undecided = runs.filter(({ verdict }) => verdict.passed === null && verdict.why !== 'pending');
  if (undecided.length > 0) {
    const message = `gate "${step}" could not be decided: ${undecided.map(sentenceOf).join('; ')}`;
    const [why, ...others] = new Set(undecided.map(({ verdict }) => whyUndecided(verdict)));
    if (why === 'limited' && others.length === 0) {
      const times = undecided.flatMap(({ verdict }) => ('until' in verdict ? (verdict.until ?? []) : []));
      const until = times.length === 0 ? {} : { resumeAt: Math.max(...times) };
      return { error: stepError('STEP_FAILED', message, { reason: 'quota', ...until }), checks, ...seen };
    }
    if (why === 'timeout' && others.length === 0)
      return { error: stepError('STEP_FAILED', message, { reason: 'timeout' }), checks, ...seen };
    return { error: stepError('COMMAND_NOT_RUN', message), checks, ...seen };
  }
  if (moves !== undefined && moves.length > 0)
    return { error: movedError(step, moves), checks, evidence: { ...seen.evidence, moved: moves.map((move) => ({ ...move })) } };
  const failures = runs.filter(({ verdict }) => verdict.passed === false);
  const open = runs.filter(({ verdict }) => whyUndecided(verdict) === 'pending');
  const outcome = failures.length > 0 ? 'fail' : open.length > 0 ? 'pending' : 'ok';
  const facts = factsOfChecks(runs);
  const output = {
    passed: outcome === 'ok',
    failed_checks: failures.map(sentenceOf),
    ...(open.length > 0 ? { pending_checks: open.map(sentenceOf) } : {}),
    ...(flaky.length > 0 ? { flaky_checks: flaky.map(({ config }) => titleOf(job, config)) } : {}),
    ...facts,
    checks: shown,
    duration: formatDuration(job.runner.services.now() - startedAt),
  };
  const kept =
    outcome === 'pending'
      ? progress.dataToStore(runs.map((run) => ({ ...run, name: titleOf(job, run.config), record: recordOf(run) })))
      : progress.clearedData();
  const judged =
    (tree ?? head) === undefined
      ? undefined
      : treeVerdictData(job, { tree, ...omitUndefined({ head }), by: 'gate', holds: outcome === 'ok' });
  const remember = { ...judged?.remember, ...kept, ...approvedHeads(facts) };
  return {
    outcome,
    output,
    checks,
    ...(outcome === 'fail' ? seen : omitUndefined({ evidence: tree && ofTree })),
    ...judged,
    ...(Object.keys(remember).length === 0 ? {} : { remember }),
  };
}

/** The pull request head that the checks of approvals and CI read. */
function headIn(results: readonly Json[]): string | undefined {
  return results
    .flatMap((result) => {
      const { headSha, checks } = isJsonObject(result) ? result : {};
      return headSha ?? headIn(Array.isArray(checks) ? checks.map((one) => (isJsonObject(one) ? (one.result ?? null) : null)) : []) ?? [];
    })
    .findLast((head) => typeof head === 'string');
}

function movedError(step: string, moves: readonly FileChange[]): StepError {
  const shown = moves.slice(0, MOVES_SHOWN).map(({ path, what }) => `${path} (${what})`);
  const more = moves.length > MOVES_SHOWN ? ` and ${moves.length - MOVES_SHOWN} more` : '';
  const message =
    `gate "${step}" has no verdict, because files changed while it checked them: ${shown.join(', ')}${more}; ` +
    'stop the program that writes there; if the checks write these files themselves, add them to .gitignore or name them as their report';
  return stepError('TREE_MOVED', message);
}

function hiddenError(step: string, folders: readonly string[]): StepError {
  const message =
    `gate "${step}" was not checked: ${folders.slice(0, MOVES_SHOWN).join(', ')} is a separate git repository inside the worktree of the run, ` +
    'so its content cannot be committed with the rest; remove its .git folder, or add it to .gitignore';
  return stepError('TREE_MOVED', message);
}

function disguisedError(step: string, reasons: readonly string[]): StepError {
  const shown = reasons.slice(0, MOVES_SHOWN).join('; ');
  const message =
    `gate "${step}" was not checked, because some files differ from what would be merged: ${shown}; ` +
    'put the content itself into the tree, or remove these files';
  return stepError('TREE_MOVED', message);
}

function steeredError(step: string, files: readonly string[]): StepError {
  const message =
    `gate "${step}" was not checked, because agents changed what its commands run: ${files.slice(0, MOVES_SHOWN).join(', ')}; ` +
    'restore these files, or allow the change with mayChange in the step of the agent';
  return stepError('PROTECTED_CHANGED', message);
}

function unreadError(step: string, why: string): StepError {
  return stepError('TREE_MOVED', `gate "${step}" was not checked, because git could not read or commit the tree: ${why}`);
}

// Later steps read these as `outputs.<gate>.coverage` and the like.
function factsOfChecks(runs: readonly CheckRun[]): JsonObject {
  const facts: Record<string, Json> = {};
  for (const { verdict } of runs)
    for (const [name, value] of Object.entries(verdict.facts ?? {})) {
      const known = facts[name];
      facts[name] = typeof known === 'number' && typeof value === 'number' ? Math.min(known, value) : (known ?? value);
    }
  return facts;
}

/** The data about the heads that people approved. A merge takes those, and not what a later step wrote. */
function approvedHeads(facts: JsonObject): JsonObject {
  const heads = Object.entries(facts).filter(([name]) => /^approved_head(_|$)/.test(name));
  return Object.assign({}, ...heads.flatMap(([name, head]) => (typeof head === 'string' ? [APPROVED_HEADS.of(name).with(head)] : [])));
}

function recordOf({ config, verdict, at }: CheckRun): CheckResult {
  const { passed, result } = verdict;
  const error = errorOf(verdict);
  // Kept inside the result, because the record of a check has no other field for it.
  const noted = whyUndecided(verdict) === 'pending' ? { pending: true, ...(isJsonObject(result) ? result : { result }) } : result;
  return { type: config.check, config, passed, result: noted, ...omitUndefined({ error }), at };
}

function shownOf(job: Job, run: CheckRun): JsonObject {
  const { config, verdict } = run;
  const name = titleOf(job, config);
  const pending = whyUndecided(verdict) === 'pending' || undefined;
  const about = omitUndefined({ pending, flaky: isFlaky(run) || undefined, error: errorOf(verdict) });
  return { check: config.check, name, passed: verdict.passed, ...about };
}

function titleOf({ runner }: Job, config: CheckModel): string {
  return config.name ?? ownEntry(runner.checks, config.check)?.title?.(config) ?? config.check;
}
