// Owns the public engine: it wires the SQLite store, the step executors and the embedded host into one object for
// programs.

/// <reference lib="esnext.disposable" preserve="true" />

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { NamesOfWorkflow } from '../authoring/spec/names.ts';
import type { InputOfWorkflow, OutputOfWorkflow } from '../authoring/spec/step.ts';
import { KeyList } from '../authority/enrolment.ts';
import { readKeyList } from '../authority/key-files.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { createRunId, isRunId, RUN_ID_RULE } from '../base/id.ts';
import { spelledAs } from '../base/person.ts';
import { holdDatabase } from '../base/store-files.ts';
import { breakersFault, breakersOf } from '../definition/breakers.ts';
import type { Budget } from '../definition/budget.ts';
import { isFinal } from '../definition/run-status.ts';
import { systemClock } from '../engine/clock.ts';
import { EngineCore } from '../engine/engine.ts';
import { createAccounting } from '../engine/limits/accounting.ts';
import { CircuitBreakers } from '../engine/limits/breakers.ts';
import { assertBudgets } from '../engine/limits/budgets.ts';
import type { CommitRecord } from '../engine/observer.ts';
import { findWorkflow } from '../engine/programs.ts';
import { requireActor } from '../engine/request/actor.ts';
import type { NewRunOptions, StartOptions, SuppliedOutputs } from '../engine/run-start.ts';
import { textsBeside } from '../engine/transcript/program-output.ts';
import { transcriptsOf } from '../engine/transcript/transcripts.ts';
import { memberName } from '../forge/people.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { childInput } from '../kinds/workflow/run.ts';
import { keyReader } from '../process/key-file.ts';
import { createOwner, isDead, watchOwners, writeHeartbeats } from '../process/owner.ts';
import { sweepOrphans } from '../process/tree.ts';
import { forgeFacts } from '../steps/forge/forge-reading.ts';
import { redactJson } from '../steps/redaction.ts';
import { createAttemptRunner } from '../steps/runner.ts';
import { Secrets } from '../steps/secrets.ts';
import type { StepServices } from '../steps/services.ts';
import { SnapshotKeeper } from '../steps/workspace/snapshot-keeper.ts';
import { snapshotsOf } from '../steps/workspace/snapshot-log.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { RunOrigin, RunQuery, RunSummary, Store } from '../store/store.ts';
import { type AnyWorkflow, checkEngineOptions, type EngineOptions } from './engine-options.ts';
import { linkForge } from './forge-link.ts';
import { assertOutside } from './inside-run.ts';
import { checkRequest } from './request-fields.ts';
import { Run, type RunHandle, type RunHost } from './run.ts';
import { registeredTelemetry } from './tracing/registered.ts';
import type { Tracing } from './tracing/tracing.ts';
import type { RunArguments } from './workflow.ts';
import { compiledOf, sourceOf, withContexts } from './workflow-source.ts';
import { Workspaces } from './workspaces.ts';

/** An engine embedded in a program. `await using engine = await createEngine(…)` closes it at the end of the block. */
export interface Engine extends AsyncDisposable {
  readonly store: Store;
  /** The name under which it owns runs. */
  readonly owner: string;
  /** Starts a run. Resolves when it is on disk. It is driven in the background. */
  start<const W extends AnyWorkflow | string>(workflow: W, ...rest: StartArguments<W>): Promise<RunOf<W>>;
  /** Returns the handle of the run with this id: everything about one run is a method of it. */
  run(id: string): RunHandle;
  /** The same with the types of its workflow. It rejects what is done with a run of another workflow. */
  run<const W extends AnyWorkflow | string>(workflow: W, id: string): RunOf<W>;
  /** Lists runs, newest first; at most 1,000 by default. */
  list(query?: RunQuery): Promise<readonly RunSummary[]>;
  /** Calls back after each commit of a run that this engine drives. Returns a function that ends it. */
  onCommit(listener: (committed: CommitRecord) => void): () => void;
  /** Finds runs that are due, have mail or lost their owner, and drives them. Returns their ids. */
  recover(): Promise<readonly string[]>;
  /** Lets running work end, starts nothing new, and releases the runs. `abort` stops the work. */
  close(options?: { readonly abort?: boolean }): Promise<void>;
}

/** The handle of a run of this workflow. */
export type RunOf<W> = RunHandle<OutputOfWorkflow<W>, NamesOfWorkflow<W>, InputOfWorkflow<W>>;

/** The parameters of a run, optional if none is required, and its start options. */
export type StartArguments<W> = RunArguments<InputOfWorkflow<W>, StartRunOptions<NamesOfWorkflow<W>['steps']>>;

/**
 * How a run is started: its id, origin and first step. Starting in the middle, or with supplied results, overrides
 * steps and requires an actor.
 */
export type StartRunOptions<Step extends string = string> = NewRunOptions &
  (
    | { readonly origin?: RunOrigin; readonly from?: undefined; readonly outputs?: undefined }
    | {
        readonly origin: RunOrigin & { readonly actor: string };
        /** The step to start at. Results of earlier steps come from `outputs`. */
        readonly from?: Step;
        readonly outputs?: SuppliedOutputs<Step>;
      }
  );

const DEPTH_MAX = 16;
const RUNS_MAX = 10_000;
const LIST_MAX = 1000;

/** Opens an engine on a database file, or on an open store. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  checkEngineOptions(options);
  assertBudgets(budgetsOf(options));
  const store =
    options.store ??
    (await openSqliteStore({ file: options.db ?? ':memory:', isDead, ...omitUndefined({ synchronous: options.synchronous }) }));
  const tracing = await openTracing(options, store);
  const snapshots = new SnapshotKeeper(options.db === undefined || options.db === ':memory:' ? undefined : snapshotsOf(options.db));
  const tools: ToolListener = { used: () => undefined };
  const core = new EngineCore(partsOf(options, { store, snapshots, tracing, tools }));
  openBreakers(core, options, tools);
  core.onClose(() => snapshots.close());
  for (const { path, backupFolder } of Object.values(databasesOf(options)))
    core.onClose(holdDatabase(path, backupFolder ?? join(dirname(path), 'backups')));
  if (options.db !== undefined && options.db !== ':memory:') {
    watchOwners(options.db);
    core.onClose(writeHeartbeats(options.db, core.me));
  }
  const { forge } = options;
  if (forge !== undefined) core.onClose(linkForge(core, forge, { ...REGISTRY.checks, ...options.checks }));
  const engine = publicEngine(core, options, tracing);
  // A new in-memory database has no lost runs.
  if (options.store !== undefined || (options.db ?? ':memory:') !== ':memory:') core.recoverSoon();
  return engine;
}

/** Opens the tracing, if the application has registered OpenTelemetry. */
async function openTracing({ clock = systemClock }: EngineOptions, store: Store): Promise<Tracing | undefined> {
  const telemetry = registeredTelemetry();
  if (telemetry === undefined) return undefined;
  const { Tracing } = await import('./tracing/tracing.ts');
  return new Tracing({ telemetry, store, clock });
}

function publicEngine(core: EngineCore, options: EngineOptions, tracing: Tracing | undefined): Engine {
  const workspaces = workspacesOf(core, options);
  // With `checked`, the program that created the engine makes sure that nothing inside a run decides.
  const outside: RunHost['assertOutside'] = async (action, own) => {
    core.assertReadable();
    if (options.rights !== 'checked') await assertOutside(core.store, action, own);
  };
  return new PublicEngine({ core, workspaces, assertOutside: outside }, { ownsStore: options.store === undefined, tracing });
}

function workspacesOf(core: EngineCore, { worktrees, forge, cwd = process.cwd() }: EngineOptions): Workspaces | undefined {
  if (worktrees === undefined) return undefined;
  const workspaces = new Workspaces({ cwd, folder: worktrees.folder, forge });
  core.listen(({ run, state }) => {
    if (isFinal(state.status)) workspaces.retire(run);
  });
  return workspaces;
}

/** Returns every budget of the options, by its name in messages. */
function budgetsOf({ budgets = {}, roles = {} }: EngineOptions): Record<string, Budget | undefined> {
  const ofRoles = Object.entries(roles).flatMap(([role, { budget }]) => {
    const { day, ...attempt } = budget ?? {};
    return [[`the budget of role "${role}"`, attempt] as const, [`the daily budget of role "${role}"`, day] as const];
  });
  return { 'budgets.run': budgets.run, 'budgets.day': budgets.day, ...Object.fromEntries(ofRoles) };
}

/** The protected databases by name, wherever a step works: a separate checkout has no separate database. */
function databasesOf({ databases = {}, cwd = process.cwd() }: EngineOptions): NonNullable<StepServices['databases']> {
  return Object.fromEntries(Object.entries(databases).map(([name, one]) => [name, { ...one, path: resolve(cwd, one.path) }]));
}

interface EngineResources {
  readonly store: Store;
  readonly snapshots: SnapshotKeeper;
  readonly tracing: Tracing | undefined;
  readonly tools: ToolListener;
}

/** Who is told that an agent of a run used a tool. */
interface ToolListener {
  used: (run: string) => void;
}

/** Holds runs to their circuit breakers. */
function openBreakers(core: EngineCore, { circuitBreakers, db }: EngineOptions, tools: ToolListener): void {
  const limits = breakersOf(circuitBreakers);
  const fault = limits === undefined ? undefined : breakersFault(limits);
  if (fault !== undefined) throw new EngineError('CONFIG_INVALID', `circuitBreakers is invalid: ${fault}`);
  const transcripts = db === undefined || db === ':memory:' ? undefined : transcriptsOf(db);
  const breakers = new CircuitBreakers({ core, limits, transcripts });
  tools.used = (run) => breakers.toolUsed(run);
  if (core.parts.drives === 'all') breakers.begin().catch((error: unknown) => core.warn(error));
}

function partsOf(options: EngineOptions, { store, snapshots, tracing, tools }: EngineResources): EngineCore['parts'] {
  const clock = options.clock ?? systemClock;
  const cwd = options.cwd ?? process.cwd();
  const warn = options.warn ?? ((error: unknown) => process.emitWarning(messageOf(error as EngineError)));
  const db = options.db === ':memory:' ? undefined : options.db;
  const [pidDir, transcripts] = db === undefined ? [undefined, undefined] : [`${db}.pids`, transcriptsOf(db)];
  const untraced = createAccounting({
    store,
    clock,
    budgets: options.budgets ?? {},
    transcripts,
    warn,
    toolUsed: (run) => tools.used(run),
  });
  const accounting = tracing?.accounting(untraced) ?? untraced;
  const texts = textsBeside(transcripts, { now: () => clock.now(), warn });
  // Copies that attended agents work on outlive the process.
  const copyDir = db === undefined ? undefined : `${db}.copies`;
  const own = { cwd, now: () => clock.now(), accounting, snapshots, ...omitUndefined({ pidDir, copyDir }) };
  const services: StepServices = { ...omitUndefined(options), ...own, ...texts, databases: databasesOf(options) };
  const secrets = new Secrets(options.secrets ?? {}, (message) => services.warn?.(message));
  const runAttempt = createAttemptRunner(services, REGISTRY, secrets);
  return {
    store,
    clock,
    mask: (value) => {
      if (Object.keys(options.secrets ?? {}).length === 0) return value;
      secrets.refresh();
      return redactJson(secrets.redactor, value);
    },
    source: withContexts(sourceOf(options.workflows ?? []), options.contexts ?? {}),
    runAttempt: tracing?.runner(runAttempt) ?? runAttempt,
    facts: { kinds: REGISTRY.kinds, checks: { ...options.checks, ...REGISTRY.checks } },
    ...omitUndefined({ observer: tracing }),
    outside: forgeFacts(options.forge),
    tokenKey: keyReader(options.db),
    signing: { all: options.decisions === 'signed', keys: keysOf(options.identities) },
    mayDecide: (from, actor) => {
      const member = memberName(options.groups ?? {}, from, actor);
      return member === undefined ? undefined : spelledAs(actor, member);
    },
    childInput,
    me: createOwner(),
    limits: {
      limits: options.limits ?? {},
      repository: options.repository ?? cwd,
      credentialOf: (role) => options.roles?.[role]?.credential,
    },
    redactor: () => {
      secrets.refresh();
      return secrets.redactor;
    },
    sweep: async () => {
      // If no program was ever started, there is nothing to sweep.
      if (pidDir !== undefined && existsSync(pidDir)) await sweepOrphans(pidDir);
    },
    drives: options.drives ?? 'all',
    depthMax: options.depthMax ?? DEPTH_MAX,
    runsMax: options.runsMax ?? RUNS_MAX,
    ...omitUndefined({ ownerTimeout: options.ownerTimeout, snapshots: db === undefined ? undefined : snapshotsOf(db) }),
    warn,
  };
}

/** Returns the function that reads the enrolled keys. */
export function keysOf(identities: EngineOptions['identities']): () => KeyList {
  if (identities === undefined) return () => KeyList.none;
  return typeof identities === 'string' ? () => readKeyList(identities) : identities;
}

/** Returns the start options with the recorded name of the actor who overrides steps. */
function named(options: StartRunOptions, workflow: string): StartOptions {
  const { from, outputs, ...rest } = options;
  if (from === undefined && outputs === undefined) return rest;
  const start = from === undefined ? 'supply results of its steps' : `begin at step "${from}"`;
  const actor = requireActor(options.origin, `start workflow "${workflow}" and ${start}`);
  return {
    ...rest,
    origin: { ...options.origin, actor },
    ...omitUndefined({ from, outputs }),
  };
}

class PublicEngine implements Engine {
  readonly store: Store;
  readonly #host: RunHost;
  readonly #ownsStore: boolean;
  readonly #tracing: Tracing | undefined;

  constructor(host: RunHost, { ownsStore, tracing }: { readonly ownsStore: boolean; readonly tracing: Tracing | undefined }) {
    this.#host = host;
    this.#ownsStore = ownsStore;
    this.#tracing = tracing;
    this.store = host.core.store;
  }

  async start<W extends AnyWorkflow | string>(workflow: W, ...rest: StartArguments<W>): Promise<RunOf<W>> {
    const [params = {}, options = {}] = rest as [unknown?, StartRunOptions?];
    checkRequest('start', options);
    const { core, assertOutside } = this.#host;
    const compiled = typeof workflow === 'string' ? findWorkflow(core.parts.source, workflow) : compiledOf(workflow);
    if (options.id !== undefined && !isRunId(options.id))
      throw new EngineError('OPTION_INVALID', `the id of a run must be ${RUN_ID_RULE}, not ${JSON.stringify(options.id)}`);
    if (options.from !== undefined || options.outputs !== undefined) await assertOutside('start a run in the middle');
    const placed = await this.#placed(named(options, compiled.definition.name));
    const { run } = await this.#traced(compiled.definition.name, placed, (traced) => core.start(compiled, params, traced));
    return this.run(run) as RunHandle<unknown> as RunOf<W>;
  }

  /** Starts a run under a span, if there is tracing. */
  #traced<T>(workflow: string, options: StartOptions, start: (options: StartOptions) => Promise<T>): Promise<T> {
    if (this.#tracing === undefined) return start(options);
    const { id = createRunId(), origin = {} } = options;
    return this.#tracing.starting({ id, workflow }, (trace) => start({ ...options, id, origin: { ...origin, trace } }));
  }

  run(id: string): RunHandle;
  run<const W extends AnyWorkflow | string>(workflow: W, id: string): RunOf<W>;
  run(workflow: AnyWorkflow | string, id?: string): unknown {
    if (id === undefined) return new Run(this.#host, workflow as string);
    return new Run(this.#host, id, typeof workflow === 'string' ? workflow : compiledOf(workflow).definition.name);
  }

  /** Returns the start options of a run with its worktree, if it gets one. */
  async #placed(options: StartOptions): Promise<StartOptions> {
    const { workspaces } = this.#host;
    if (workspaces === undefined) return options;
    const { id = createRunId(), origin = {}, facts = {} } = options;
    const place = await workspaces.prepare({ id, origin, facts });
    return place === undefined ? options : { ...options, id, origin: { ...origin, ...place } };
  }

  get owner(): string {
    return this.#host.core.me;
  }

  onCommit(listener: (committed: CommitRecord) => void): () => void {
    return this.#host.core.listen(listener);
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
    await this.#tracing?.settled();
    if (this.#ownsStore) await this.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
