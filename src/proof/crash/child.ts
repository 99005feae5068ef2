// Owns the process that is killed: it drives a workflow from its current step to its end, using only the public engine.
// A run that does not exist is started, an existing one is recovered; the harness answers for people (approvals, steps that
// are `unknown`), and reads in the ledger what happened.

import { dirname } from 'node:path';
import { createEngine, type Engine } from '../../api/engine.ts';
import type { EngineOptions } from '../../api/engine-options.ts';
import { isEngineError } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { isSettled } from '../../definition/run-status.ts';
import { isDead } from '../../process/owner.ts';
import { ATTENDED } from '../../steps/run-records.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { copyTo } from './copies.ts';
import type { Ledger } from './ledger.ts';
import { openLedger } from './ledger.ts';
import { type CrashPoint, countStore, dieAt } from './store.ts';

/** A workflow for the proof. Its steps write their effects to the ledger. */
export interface CrashCase {
  readonly name: string;
  workflow(ledger: Ledger): { readonly compiled: CompiledWorkflow };
  readonly params?: Readonly<Record<string, unknown>>;
  /** The answer to a question, by its step. Default: the first option. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly agents?: Pick<EngineOptions, 'roles' | 'drivers'>;
  /** The harness is the agent: it does each step that is handed out once, and reports it. */
  readonly attended?: boolean;
}

/** A run to drive to its end. A process gets one job or a list of jobs, as JSON on its command line. */
export interface CrashJob {
  readonly workflow: string;
  readonly run: string;
  readonly db: string;
  readonly ledger: string;
  /** Where the process kills itself. Default: it runs to the end, or until it is killed from outside. */
  readonly point?: CrashPoint;
  /** A folder that gets a copy of the files at every write; it must exist. */
  readonly copies?: string;
  /** The files are a copy, which the store opens only if it is adopted. */
  readonly isCopy?: boolean;
  /** Other processes resume the same run at the same time, and may answer first. */
  readonly rivals?: boolean;
}

/** The lines that the process prints for each job: it is about to begin, and the run has ended. */
export type CrashMessage = { readonly kind: 'ready' } | { readonly kind: 'ended'; readonly counts: Readonly<Record<string, number>> };

/** The person who answers questions and resolves unknown steps. */
const ACTOR = 'crash proof';
const RUNS_MAX = 1000;

/** Runs the job on the command line: the complete program that the crash proof kills. A test can break the store with `breakStore`. */
export async function runCrashProgram(cases: readonly CrashCase[], breakStore: (store: Store) => Store = (store) => store): Promise<void> {
  const jobs = JSON.parse(process.argv.at(-1) ?? '') as CrashJob | readonly CrashJob[];
  for (const job of [jobs].flat()) {
    const crashCase = cases.find(({ name }) => name === job.workflow);
    if (crashCase === undefined) throw new Error(`no workflow "${job.workflow}" among ${cases.map(({ name }) => name).join(', ')}`);
    await runJob(job, crashCase, breakStore);
  }
}

async function runJob(job: CrashJob, crashCase: CrashCase, breakStore: (store: Store) => Store): Promise<void> {
  const inner = await openSqliteStore({ file: job.db, isDead, adopt: job.isCopy === true });
  const { store, counts } = countStore(
    breakStore(inner),
    job.copies === undefined ? dieAt(job.point) : copyTo(job.copies, dirname(job.db)),
  );
  const ledger = openLedger(job.ledger);
  const workflow = crashCase.workflow(ledger);
  await ledger.append({ at: 'opened', pid: process.pid, acknowledged: await acknowledgedBy(inner) });
  const engine = await createEngine({ store, workflows: [workflow], cwd: dirname(job.db), ...crashCase.agents });
  send({ kind: 'ready' });
  await startOrRecover(engine, { crashCase, workflow, job });
  while (await helpWhenNeeded(engine, { crashCase, job, ledger }));
  await engine.close();
  await inner.close();
  ledger.close();
  send({ kind: 'ended', counts });
}

function send(message: CrashMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The keys of every attempt with a recorded end, and of every question whose answer is on disk. */
async function acknowledgedBy(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for (const { id } of await store.list({ limit: RUNS_MAX })) {
    for (const { path, attempt } of await store.attempts(id)) keys.push(`${id}/${path}/${attempt}`);
    const { state } = await store.load(id);
    for (const { input } of await store.inbox(id, 0))
      if (input.type === 'decided') keys.push(`${id}/${input.path}/${state.live[input.path]?.attempt ?? 1}`);
  }
  return keys;
}

interface StartParts {
  readonly crashCase: CrashCase;
  readonly workflow: { readonly compiled: CompiledWorkflow };
  readonly job: CrashJob;
}

async function startOrRecover(engine: Engine, { crashCase, workflow, job }: StartParts): Promise<void> {
  const exists = (await engine.list({ id: job.run })).length > 0;
  if (exists) await engine.recover();
  else
    await engine.start(workflow, crashCase.params ?? {}, {
      id: job.run,
      ...(crashCase.attended === true ? { facts: ATTENDED.with(true) } : {}),
    });
}

interface ChildRun {
  readonly crashCase: CrashCase;
  readonly job: CrashJob;
  readonly ledger: Ledger;
}

/** Waits until the run needs a person, and acts as that person. Returns false when the run has ended. */
async function helpWhenNeeded(engine: Engine, child: ChildRun): Promise<boolean> {
  const { status } = await engine.run(child.job.run).wait('outside');
  if (isSettled(status)) return false;
  let helped = 0;
  for (const { id, status: of } of await engine.list({ limit: RUNS_MAX })) if (!isSettled(of)) helped += await help(engine, id, child);
  if (helped === 0) throw new Error(`run ${child.job.run} is ${status} and waits for nothing that the harness can do`);
  return true;
}

/** Resolves the first thing that a run waits for; the next may be another one by then. */
async function help(engine: Engine, run: string, child: ChildRun): Promise<number> {
  const { waits, steps } = await engine.run(run).get();
  for (const { kind, path = '', step = '' } of waits) {
    const attempt = steps.find((view) => view.path === path && view.outcome === undefined && isLive(view.status))?.attempt ?? 1;
    const key = `${run}/${path}/${attempt}`;
    if (kind === 'unknown') await unlessTooLate(child, resolveUnknown(engine, { run, path, key }, child.ledger));
    else if (kind === 'human')
      await unlessTooLate(child, answer(engine, { run, path, key, option: child.crashCase.answers?.[step] }, child.ledger));
    else if (kind === 'report') await doOpenStep(engine, { run, path, key }, child.ledger);
    else continue;
    return 1;
  }
  return 0;
}

function isLive(status: string): boolean {
  return status === 'unknown' || status === 'waiting';
}

/** Acts as a careful person: accepts work that is in the ledger, and reruns the rest. */
async function resolveUnknown(engine: Engine, at: { run: string; path: string; key: string }, ledger: Ledger): Promise<void> {
  const found = ledger.found({ idempotencyKey: at.key });
  const choice = found === false ? { how: 'rerun' as const } : { how: 'done' as const, output: found.output };
  await engine.run(at.run).resume({ actor: ACTOR, choice: { ...choice, path: at.path } });
}

/** Acts as an agent: does the work unless it is in the ledger, and reports it. */
async function doOpenStep(engine: Engine, at: { run: string; path: string; key: string }, ledger: Ledger): Promise<void> {
  const openStep = (await engine.run(at.run).openSteps()).find(({ path }) => path === at.path);
  if (openStep === undefined) return;
  const result = { did: openStep.item ?? openStep.step };
  if (ledger.found({ idempotencyKey: at.key }) === false) await ledger.append({ at: 'done', key: at.key, output: result });
  await engine.run(at.run).report({ token: openStep.token, result });
}

async function answer(
  engine: Engine,
  { run, path, key, option }: { readonly run: string; readonly path: string; readonly key: string; readonly option: string | undefined },
  ledger: Ledger,
): Promise<void> {
  const shown = (await engine.run(run).approvals()).find((approval) => approval.path === path);
  await ledger.append({ at: 'asked', key });
  await engine.run(run).decide({ option: option ?? shown?.question.options[0]?.label ?? '', actor: ACTOR, approval: path });
}

const TOO_LATE = ['ALREADY_DECIDED', 'WAIT_NOT_FOUND', 'RUN_FINAL'];

/** If several processes resume one run, the first answer counts and the others are rejected. */
async function unlessTooLate({ job }: ChildRun, request: Promise<void>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (job.rivals !== true || !isEngineError(error) || !TOO_LATE.includes(error.code)) throw error;
  }
}
