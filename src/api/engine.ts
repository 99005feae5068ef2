// Owns the public engine: it wires the SQLite store, the step executors and the embedded host into one object for
// programs.

import { existsSync } from 'node:fs';
import type { InputOfWorkflow, OutputOfWorkflow } from '../authoring/spec/step.ts';
import { KeyList } from '../authority/enrolment.ts';
import { readKeyList } from '../authority/key-files.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { createRunId, isRunId, RUN_ID_RULE } from '../base/id.ts';
import type { Budget } from '../definition/budget.ts';
import { createAccounting } from '../engine/accounting.ts';
import { requireActor } from '../engine/actor.ts';
import { assertBudgets } from '../engine/budgets.ts';
import { systemClock } from '../engine/clock.ts';
import { EngineCore } from '../engine/engine.ts';
import { textsBeside } from '../engine/program-output.ts';
import { findWorkflow } from '../engine/programs.ts';
import { addFacts, sendSignal } from '../engine/requests.ts';
import type { StartOptions } from '../engine/run-start.ts';
import { transcriptsOf } from '../engine/transcripts.ts';
import type { Forge, ForgeEvent } from '../forge/forge.ts';
import { memberName } from '../forge/people.ts';
import { isFinal } from '../kernel/run-state.ts';
import { waitsOf } from '../kernel/status.ts';
import { RECHECK_SIGNAL } from '../kernel/waits.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { childInput } from '../kinds/workflow/run.ts';
import { keyReader } from '../process/key-file.ts';
import { createOwner, isDead, watchOwners, writeHeartbeats } from '../process/owner.ts';
import { sweepOrphans } from '../process/tree.ts';
import { readForge } from '../steps/forge-reading.ts';
import { createAttemptRunner } from '../steps/runner.ts';
import type { StepServices } from '../steps/services.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { RunOrigin, RunQuery, RunSummary, Store } from '../store/store.ts';
import { type AnyWorkflow, checkEngineOptions, type EngineOptions } from './engine-options.ts';
import { assertOutside } from './inside-run.ts';
import { Run, type RunHandle, type RunHost } from './run.ts';
import type { RunArguments } from './workflow.ts';
import { compiledOf, sourceOf, withContexts } from './workflow-source.ts';
import { Workspaces } from './workspaces.ts';

/** An engine embedded in a program. `await using engine = await createEngine(…)` closes it at the end of the block. */
export interface Engine extends AsyncDisposable {
  readonly store: Store;
  /** Starts a run. Resolves when it is on disk. It is driven in the background. */
  start<const W extends AnyWorkflow | string>(workflow: W, ...rest: StartArguments<W>): Promise<RunHandle<OutputOfWorkflow<W>>>;
  /** Returns the handle of the run with this id: everything about one run is a method of it. */
  run(id: string): RunHandle;
  /** Lists runs, newest first; at most 1,000 by default. */
  list(query?: RunQuery): Promise<readonly RunSummary[]>;
  /** Finds runs that are due, have mail or lost their owner, and drives them. Returns their ids. */
  recover(): Promise<readonly string[]>;
  /** Lets running work end, starts nothing new, and releases the runs. `abort` stops the work. */
  close(options?: { readonly abort?: boolean }): Promise<void>;
}

/** The parameters of a run, optional if none is required, and its start options. */
export type StartArguments<W> = RunArguments<InputOfWorkflow<W>, StartRunOptions>;

/**
 * How a run is started: its id, origin and first step. Starting in the middle, or with supplied results, overrides
 * steps and requires an actor.
 */
export type StartRunOptions = Pick<StartOptions, 'id' | 'facts' | 'sign'> &
  (
    | (Pick<StartOptions, 'origin'> & { readonly from?: undefined; readonly outputs?: undefined })
    | (Pick<StartOptions, 'from' | 'outputs'> & { readonly origin: RunOrigin & { readonly actor: string } })
  );

const DEPTH_MAX = 16;
const RUNS_MAX = 10_000;
const LIST_MAX = 1000;

/** Opens an engine on a database file, or on an open store. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  checkEngineOptions(options);
  assertBudgets(budgetsOf(options));
  const store =
    options.store ?? (await openSqliteStore({ file: options.db ?? ':memory:', isDead, ...present({ synchronous: options.synchronous }) }));
  const core = new EngineCore(partsOf(options, store));
  if (options.db !== undefined && options.db !== ':memory:') {
    watchOwners(options.db);
    core.onClose(writeHeartbeats(options.db, core.me));
  }
  const { forge } = options;
  if (forge !== undefined) core.onClose(forge.watch((event) => onForgeEvent(core, forge, event)));
  const engine = publicEngine(core, options);
  // A new in-memory database has no lost runs.
  if (options.store !== undefined || (options.db ?? ':memory:') !== ':memory:') core.recoverSoon();
  return engine;
}

function publicEngine(core: EngineCore, options: EngineOptions): Engine {
  const workspaces = workspacesOf(core, options);
  // With `checked`, the program that created the engine makes sure that nothing inside a run decides.
  const outside: RunHost['assertOutside'] = async (deed, own) => {
    core.assertReadable();
    if (options.rights !== 'checked') await assertOutside(core.store, deed, own);
  };
  return new PublicEngine({ core, workspaces, assertOutside: outside }, options.store === undefined);
}

function workspacesOf(core: EngineCore, { worktrees, forge, cwd = process.cwd() }: EngineOptions): Workspaces | undefined {
  if (worktrees === undefined) return undefined;
  const workspaces = new Workspaces({ cwd, folder: worktrees.folder, forge });
  core.listen(({ run, state }) => {
    if (isFinal(state.status)) workspaces.retire(run);
  });
  return workspaces;
}

/**
 * Handles a forge event: runs about its subject get their new labels, and gates without a verdict check again. Each run
 * decides whether it is concerned.
 */
function onForgeEvent(core: EngineCore, forge: Forge, event: ForgeEvent): void {
  const notify = async (run: string): Promise<void> => {
    if (event.event.endsWith('labeled')) await refreshLabels(core, forge, { run, event });
    const { state } = await core.store.load(run);
    if (waitsOf(state).some(({ kind }) => kind === 'checks')) await sendSignal(core, run, { name: RECHECK_SIGNAL, id: event.id });
  };
  const notifyAll = async (): Promise<void> => {
    // A run that cannot be driven here does not affect the others.
    for (const { id } of await core.store.list({ status: ['waiting'] })) await notify(id).catch((error: unknown) => core.warn(error));
  };
  notifyAll().catch((error: unknown) => core.warn(error));
}

async function refreshLabels(core: EngineCore, forge: Forge, change: { readonly run: string; readonly event: ForgeEvent }): Promise<void> {
  const { run, event } = change;
  const data = await core.store.data(run, ['issue_number', 'pr_number', 'labels']);
  const number = event.issue ?? event.pr;
  if (!data.has('labels') || number === undefined || (data.get('issue_number') ?? data.get('pr_number')) !== number) return;
  const answer = event.issue === undefined ? await forge.pullRequest(number) : await forge.issue(number);
  if (answer.result === 'ok') await addFacts(core, run, { facts: { labels: [...answer.value.labels] }, id: event.id });
}

/** Returns every budget of the options, by its name in messages. */
function budgetsOf({ budgets = {}, roles = {} }: EngineOptions): Record<string, Budget | undefined> {
  const ofRoles = Object.entries(roles).flatMap(([role, { budget }]) => {
    const { day, ...attempt } = budget ?? {};
    return [[`the budget of role "${role}"`, attempt] as const, [`the daily budget of role "${role}"`, day] as const];
  });
  return { 'budgets.run': budgets.run, 'budgets.day': budgets.day, ...Object.fromEntries(ofRoles) };
}

function partsOf(options: EngineOptions, store: Store): EngineCore['parts'] {
  const clock = options.clock ?? systemClock;
  const cwd = options.cwd ?? process.cwd();
  const warn = options.warn ?? ((error: unknown) => process.emitWarning(messageOf(error as EngineError)));
  const db = options.db === ':memory:' ? undefined : options.db;
  const [pidDir, transcripts] = db === undefined ? [undefined, undefined] : [`${db}.pids`, transcriptsOf(db)];
  const accounting = createAccounting({ store, clock, budgets: options.budgets ?? {}, transcripts, warn });
  const texts = textsBeside(transcripts, { now: () => clock.now(), warn });
  const services: StepServices = { ...options, cwd, now: () => clock.now(), accounting, ...present({ pidDir }), ...texts };
  return {
    store,
    clock,
    source: withContexts(sourceOf(options.workflows ?? []), options.contexts ?? {}),
    runAttempt: createAttemptRunner(services, REGISTRY),
    readForge: async (parts, data) => {
      const { facts, problem } = await readForge(options.forge, data, parts);
      return problem === undefined ? facts : { unreadable: problem.message };
    },
    tokenKey: keyReader(options.db),
    signing: { all: options.decisions === 'signed', keys: keysOf(options.identities) },
    mayDecide: (from, actor) => memberName(options.groups ?? {}, from, actor),
    childInput,
    me: createOwner(),
    limits: {
      limits: options.limits ?? {},
      repository: options.repository ?? cwd,
      credentialOf: (role) => options.roles?.[role]?.credential,
    },
    sweep: async () => {
      // If no program was ever started, there is nothing to sweep.
      if (pidDir !== undefined && existsSync(pidDir)) await sweepOrphans(pidDir);
    },
    drives: options.drives ?? 'all',
    depthMax: options.depthMax ?? DEPTH_MAX,
    runsMax: options.runsMax ?? RUNS_MAX,
    ...present({ patience: options.patience }),
    warn,
  };
}

function keysOf(identities: EngineOptions['identities']): () => KeyList {
  if (identities === undefined) return () => KeyList.none;
  return typeof identities === 'string' ? () => readKeyList(identities) : identities;
}

/** Returns the start options with the recorded name of the actor who overrides steps. */
function named(options: StartRunOptions, workflow: string): StartOptions {
  const { from, outputs, ...rest } = options;
  if (from === undefined && outputs === undefined) return rest;
  const what = from === undefined ? 'supply results of its steps' : `begin at step "${from}"`;
  const actor = requireActor(options.origin, `start workflow "${workflow}" and ${what}`);
  return {
    ...rest,
    origin: { ...options.origin, actor },
    ...present({ from, outputs }),
  };
}

class PublicEngine implements Engine {
  readonly store: Store;
  readonly #host: RunHost;
  readonly #ownsStore: boolean;

  constructor(host: RunHost, ownsStore: boolean) {
    this.#host = host;
    this.#ownsStore = ownsStore;
    this.store = host.core.store;
  }

  async start<W extends AnyWorkflow | string>(workflow: W, ...rest: StartArguments<W>): Promise<RunHandle<OutputOfWorkflow<W>>> {
    const [params = {}, options = {}] = rest as [unknown?, StartRunOptions?];
    const { core, assertOutside } = this.#host;
    const compiled = typeof workflow === 'string' ? findWorkflow(core.parts.source, workflow) : compiledOf(workflow);
    if (options.id !== undefined && !isRunId(options.id))
      throw new EngineError('OPTION_INVALID', `the id of a run must be ${RUN_ID_RULE}, not ${JSON.stringify(options.id)}`);
    if (options.from !== undefined || options.outputs !== undefined) await assertOutside('start a run in the middle');
    const { run } = await core.start(compiled, params, await this.#placed(named(options, compiled.definition.name)));
    return this.run(run) as RunHandle<unknown> as RunHandle<OutputOfWorkflow<W>>;
  }

  run(id: string): RunHandle {
    return new Run(this.#host, id);
  }

  /** Returns the start options of a run with its worktree, if it gets one. */
  async #placed(options: StartOptions): Promise<StartOptions> {
    const { workspaces } = this.#host;
    if (workspaces === undefined) return options;
    const { id = createRunId(), origin = {}, facts = {} } = options;
    const place = await workspaces.prepare({ id, origin, facts });
    return place === undefined ? options : { ...options, id, origin: { ...origin, ...place } };
  }

  recover(): Promise<readonly string[]> {
    return this.#host.core.recover();
  }

  async list(query: RunQuery = {}): Promise<readonly RunSummary[]> {
    this.#host.core.assertReadable();
    return this.store.list({ limit: LIST_MAX, ...query });
  }

  async close(options: { readonly abort?: boolean } = {}): Promise<void> {
    await this.#host.core.close(options);
    await this.#host.workspaces?.settled();
    if (this.#ownsStore) await this.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
