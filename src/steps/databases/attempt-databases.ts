// Owns a step's changes to protected databases: it works on copies, and its changes are applied to the databases when its
// postconditions hold, in one transaction with a record of the step. Otherwise they are dropped.
//
// S5. A step that fails, times out, throws, is stopped or whose process dies has changed nothing.
// S6. A step that is recorded in the database is settled with the recorded result and does not run again.

import { existsSync } from 'node:fs';
import { EngineError, messageOf } from '../../base/error.ts';
import { omitUndefined, unlessEmpty } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { writtenDatabase } from '../../definition/database.ts';
import { traitsOf } from '../../definition/kind.ts';
import { isSuccess } from '../../definition/outcome.ts';
import { type Acceptance, acceptCopy, changesIn, schemaChangeIn } from '../../safe-db/accept.ts';
import { acceptedSince, findAcceptedStep } from '../../safe-db/accepted-steps.ts';
import { backUp } from '../../safe-db/backup.ts';
import { ROW_LIMIT, SafeDatabaseClient } from '../../safe-db/client.ts';
import { RunBackups } from '../../safe-db/context.ts';
import type { TableChange } from '../../safe-db/difference.ts';
import { differences } from '../../safe-db/difference.ts';
import { AttemptStopped } from '../abort.ts';
import type { AttemptResult } from '../attempt.ts';
import type { Attempt } from '../layers.ts';
import { redactResult } from '../redaction.ts';
import { type Job, stepError } from '../work.ts';
import { isForCaller } from '../worker/handover.ts';
import {
  areCopiesKept,
  copyVariables,
  type DatabaseCopy,
  databaseServices,
  keepCopies,
  openClients,
  openCopies,
  removeCopies,
} from './copies.ts';

type SettledAttempt = Extract<AttemptResult, { readonly type: 'settled' }>;
type Evidence = { readonly [name: string]: Json };

const KEPT_OUTCOMES: readonly string[] = ['skip', 'iterate'];
const backups = new RunBackups();

/** Runs an attempt on copies of its databases, and applies its changes. */
export async function runOnCopies(job: Job, work: Attempt): Promise<AttemptResult> {
  const known = recordedResult(job);
  if (known !== undefined) return known;
  await backUpRun(job);
  return onCopies(job, work);
}

/** Verifies handed-out work on the copies that were kept for it. */
export async function verifyOnCopies(job: Job, work: Attempt): Promise<AttemptResult> {
  const { model } = job.request.bound;
  const known = recordedResult(job);
  if (known !== undefined) return known;
  if (areCopiesKept(job)) return onCopies(job, work);
  const message = `the copies of the databases that step "${model.id}" used no longer exist, so its changes cannot be accepted`;
  return { type: 'errored', error: stepError('DATABASE_FAILED', message), claim: job.request.result, checks: [] };
}

/** Reads the databases without changing them, for conditions of a step that waits. */
export async function runWithReadOnlyCopies(job: Job, work: Attempt): Promise<AttemptResult> {
  const copies = await openCopies(job);
  try {
    return await withClients(job, copies, work);
  } finally {
    removeCopies(job);
  }
}

/** The recorded result of an accepted attempt whose process died before it could report it (S6). */
export function recordedResult(job: Job): AttemptResult | undefined {
  const { model } = job.request.bound;
  if (writtenDatabase(job.runner.kinds, model) === undefined) return undefined;
  const { runId: run, startedAt: started, activation } = job.request;
  for (const { use, service } of databaseServices(job)) {
    if (use.access !== 'write') continue;
    const found = findAcceptedStep(service.path, { run, started, path: activation.path, since: activation.since });
    if (found === undefined) continue;
    const result = JSON.parse(found.result) as SettledAttempt;
    return { ...result, evidence: { ...(result.evidence as Evidence | undefined), recorded: { database: use.name, at: found.at } } };
  }
  return undefined;
}

async function backUpRun(job: Job): Promise<void> {
  const { runId, startedAt: runStartedAt } = job.request;
  for (const { use, service } of databaseServices(job)) {
    if (use.access !== 'write') continue;
    const { path, backupFolder: folder, keepBackups: keep } = service;
    await backups.ensure(path, { runId, runStartedAt }, () =>
      backUp(path, { runId, runStartedAt, ...omitUndefined({ folder, keep }), now: job.runner.services.now }),
    );
  }
}

async function onCopies(job: Job, work: Attempt): Promise<AttemptResult> {
  let isKept = false;
  try {
    const copies = await openCopies(job);
    const result = await withClients(job, copies, work);
    isKept = result.type === 'handed' || result.type === 'asked';
    if (isKept) keepCopies(job);
    return isKept || result.type === 'ready' || result.type === 'observed' ? result : await applyChanges(job, copies, result);
  } finally {
    if (!isKept) removeCopies(job);
  }
}

async function withClients({ runner, request, context }: Job, copies: readonly DatabaseCopy[], work: Attempt): Promise<AttemptResult> {
  const clients = openClients(copies, request);
  try {
    const env = { ...runner.services.env, ...copyVariables(copies) };
    const place = { ...runner, services: { ...runner.services, env }, copies };
    const { databases } = clients;
    return await work({ runner: place, request, context: databases === undefined ? context : await context.withDatabases(databases) });
  } finally {
    // Code that continues after its attempt was stopped finds a closed client.
    clients.close();
  }
}

/** Applies the changes if the result allows it, and drops them otherwise. */
async function applyChanges(
  job: Job,
  copies: readonly DatabaseCopy[],
  attempted: Exclude<AttemptResult, { type: 'ready' | 'observed' }>,
): Promise<AttemptResult> {
  const missing = copies.find(({ file }) => !existsSync(file));
  if (missing !== undefined) return databaseRemoved(job, missing, attempted);
  const result = withEvidence(attempted, outsideEvidence(job, copies));
  const [written] = copies.filter(({ use }) => use.access === 'write');
  // A condition that reads a dropped table would only report that the table does not exist.
  if (written !== undefined && result.type === 'errored' && result.error.code === 'CONDITION_ERROR') {
    const why = schemaChangeIn(written);
    if (why !== undefined) return changesRefused(job, result, { name: written.use.name, why });
  }
  if (result.type !== 'settled' || !isKeptOutcome(job, result)) return result;
  for (const { use, ...copy } of copies.filter((copied) => copied.use.access === 'read')) {
    const changes = changesIn({ ...copy });
    if (changes.length > 0)
      return changesRefused(job, result, { name: use.name, why: `it may only read it, but changed ${changes.join(', ')}` });
  }
  const redefined = written === undefined ? undefined : schemaChangeIn(written);
  if (written !== undefined && redefined !== undefined) return changesRefused(job, result, { name: written.use.name, why: redefined });
  const expected = copies.map((copy) => failedExpectation(copy)).find((problem) => problem !== undefined);
  if (expected !== undefined) return expectationFailed(job, result, expected);
  return written === undefined ? result : acceptChanges(job, written, result);
}

function databaseRemoved(
  { request }: Job,
  { use, file }: DatabaseCopy,
  { checks, evidence }: Pick<SettledAttempt, 'checks' | 'evidence'>,
): AttemptResult {
  const message = `database "${use.name}" (${file}) was removed while step "${request.bound.model.id}" was running, so none of its changes were accepted; "pawl data status" lists its backups, and "pawl data restore FILE" restores one`;
  return { type: 'errored', error: stepError('DATABASE_FAILED', message, { retryable: false }), checks, ...omitUndefined({ evidence }) };
}

function isKeptOutcome({ request }: Job, { outcome }: SettledAttempt): boolean {
  return isSuccess(request.bound.model, outcome) || KEPT_OUTCOMES.includes(outcome);
}

async function acceptChanges(job: Job, copy: DatabaseCopy, result: SettledAttempt): Promise<AttemptResult> {
  const { request, runner } = job;
  const { use, service } = copy;
  const { activation, runId: run, startedAt: started, signal } = request;
  const { kind } = request.bound.model;
  // Functions confirm each delete, and each of their statements has the row limit.
  const isFunction = !isForCaller(job) && (traitsOf(runner, kind).worker === 'function' || request.bound.code.agent !== undefined);
  const { rowLimit = ROW_LIMIT } = service;
  const deletesMax = use.deletes ?? (isFunction ? undefined : 0);
  const resultWith = (tables: readonly TableChange[]): SettledAttempt =>
    redactResult(
      runner.redactor,
      withEvidence(result, { databases: { [use.name]: { changed: tables as unknown as Json } } }),
    ) as SettledAttempt;
  const found = await acceptCopy(copy, {
    step: { run, started, path: activation.path, attempt: activation.attempt },
    at: new Date(runner.services.now()).toISOString(),
    ...omitUndefined({ deletesMax }),
    ...(isFunction ? {} : { updatesMax: rowLimit }),
    result: (tables) => JSON.stringify(resultWith(tables)),
    isStopped: () => signal.aborted,
  });
  switch (found.kind) {
    case 'unchanged':
      return result;
    case 'accepted':
      return resultWith(found.tables);
    case 'stopped':
      throw new AttemptStopped();
    case 'refused':
      return changesRefused(job, withEvidence(result, changedEvidence(use.name, found.tables)), { name: use.name, why: found.why });
    case 'conflict':
      return conflictResult(job, result, { name: use.name, found });
  }
}

function changedEvidence(name: string, tables: readonly TableChange[]): Evidence {
  return tables.length === 0 ? {} : { databases: { [name]: { dropped: tables as unknown as Json } } };
}

/** A rule was broken: the attempt is retried with the reason, as after a failed postcondition. */
function changesRefused(
  { request }: Job,
  result: SettledAttempt | Extract<AttemptResult, { readonly type: 'errored' }>,
  { name, why }: { readonly name: string; readonly why: string },
): AttemptResult {
  const { checks, evidence, actor, remember } = result;
  const claim = result.claim ?? result.output;
  const message = `the changes of step "${request.bound.model.id}" to its copy of database "${name}" were discarded: ${why}`;
  const error = stepError('DATA_PROTECTED', message, { reason: 'contract' });
  return { type: 'errored', error, checks, ...omitUndefined({ evidence, actor, remember, claim }) };
}

function expectationFailed(
  { request }: Job,
  { type: _, outcome: __, output, assumptions: ___, ...noted }: SettledAttempt,
  { name, query, found }: FailedExpectation,
): AttemptResult {
  const message = `the query ${JSON.stringify(query)} on database "${name}" must return something other than 0 and NULL after step "${request.bound.model.id}", but returned ${found}`;
  const evidence = { ...(noted.evidence as Evidence | undefined), expected: { database: name, query, found } };
  return {
    type: 'errored',
    error: stepError('POSTCONDITION_FAILED', message, { reason: 'contract' }),
    ...noted,
    evidence,
    claim: noted.claim ?? output,
  };
}

interface Conflict {
  readonly name: string;
  readonly found: Extract<Acceptance, { readonly kind: 'conflict' }>;
}

/** After a change of the same rows by others, the step is retried on a new copy; if retries are used up, it is a conflict. */
function conflictResult({ request }: Job, result: SettledAttempt, { name, found }: Conflict): AttemptResult {
  const { model } = request.bound;
  const { attempt, since, broken = 0 } = request.activation;
  const error = `database "${name}": ${found.why}`;
  const rows = found.rows as unknown as Json;
  const noted = withEvidence(result, {
    databases: { [name]: { dropped: found.tables as unknown as Json, conflict: { why: found.why, rows } } },
  });
  const claim = result.claim ?? result.output;
  const mayRetry = model.retry.on.includes('error') && attempt - since - broken < model.retry.max;
  if (!mayRetry) return { ...noted, outcome: 'conflict', output: { error, database: name, rows }, claim };
  const { type: _, outcome: __, output: ___, assumptions: ____, ...rest } = noted;
  return { type: 'errored', error: stepError('DATABASE_CONFLICT', `step "${model.id}": ${error}`), ...rest, claim };
}

interface FailedExpectation {
  readonly name: string;
  readonly query: string;
  readonly found: string;
}

/** Returns the first `expect` query that does not hold. */
function failedExpectation({ use, copy }: DatabaseCopy): FailedExpectation | undefined {
  if (use.expect.length === 0) return undefined;
  const client = new SafeDatabaseClient(copy);
  try {
    for (const query of use.expect) {
      const value = firstValue(client, query);
      if (value === null || value === undefined || value === 0 || value === 0n || value === '')
        return { name: use.name, query, found: String(value ?? 'nothing') };
    }
  } finally {
    client.close();
  }
  return undefined;
}

function firstValue(client: SafeDatabaseClient, query: string): unknown {
  try {
    return Object.values(client.get(query) ?? {})[0];
  } catch (error) {
    throw new EngineError('CONDITION_ERROR', `the query ${JSON.stringify(query)} could not be run: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns evidence of changes to the databases during the step by other steps, or by something other than Pawl. */
function outsideEvidence({ runner, request }: Job, copies: readonly DatabaseCopy[]): Evidence {
  const found: Record<string, Json> = {};
  for (const { use, file, base } of copies) {
    const tables = differences(file, base);
    if (tables.length === 0) continue;
    const steps = acceptedSince(file, base).map(({ run, path }) => `${run}/${path}`);
    if (steps.length === 0)
      runner.services.warn?.(
        new EngineError(
          'DATA_PROTECTED',
          `while step "${request.bound.model.id}" was running, database "${use.name}" was changed by something other than Pawl: ${tables.map(({ table }) => table).join(', ')}; "pawl data diff ${request.runId}" shows what is different since the run began`,
        ),
      );
    found[use.name] = { tables: tables as unknown as Json, ...(steps.length === 0 ? { notByPawl: true } : { steps }) };
  }
  return omitUndefined({ changedMeanwhile: unlessEmpty(found) });
}

function withEvidence<Result extends Exclude<AttemptResult, { type: 'observed' }>>(result: Result, more: Evidence): Result {
  if (Object.keys(more).length === 0) return result;
  const before = (result.evidence ?? {}) as JsonObject;
  return { ...result, evidence: { ...before, ...more } };
}
