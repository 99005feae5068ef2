// Owns the options of an engine. An unknown option is an error, because a misspelt limit or budget would have no effect.

import type { KeyList } from '../authority/enrolment.ts';
import { EngineError } from '../base/error.ts';
import { didYouMean, unknownFields } from '../base/suggest.ts';
import type { BreakersSpec } from '../definition/breakers.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { Clock } from '../engine/clock.ts';
import type { DefinitionSource } from '../engine/host.ts';
import type { Budgets } from '../engine/limits/budgets.ts';
import type { Limits } from '../engine/limits/limits.ts';
import type { OwnerTimeout } from '../engine/request/owner-wait.ts';
import type { DatabaseService, RoleSetting, StepServices, WebhookSetting } from '../steps/services.ts';
import type { Store } from '../store/store.ts';

/** A workflow as it was written, or compiled. */
export type AnyWorkflow = CompiledWorkflow | { readonly compiled: CompiledWorkflow };

/** Builds the application's part of the context of one attempt. */
export type ContextBuilder = NonNullable<CompiledWorkflow['context']>;

type OrUndefined<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** Options of an engine. An option that is undefined is left out. */
export interface EngineOptions
  extends OrUndefined<Omit<StepServices, 'now' | 'pidDir' | 'copyDir' | 'snapshots' | 'accounting' | 'keepText' | 'openOutput'>> {
  /** The database file; `:memory:` for runs that need not survive the process. */
  readonly db?: string | undefined;
  /** How long a request waits for the process that drives its run. Default: no limit. */
  readonly ownerTimeout?: OwnerTimeout | undefined;
  /** An open store to use instead of `db`. It is not closed with the engine. */
  readonly store?: Store | undefined;
  /** FULL (the default) survives a power cut; NORMAL, for throwaway runs, only a crash of the process. */
  readonly synchronous?: 'FULL' | 'NORMAL' | undefined;
  /** The workflows this engine can run, or a source that finds them. */
  readonly workflows?: readonly AnyWorkflow[] | DefinitionSource | undefined;
  /**
   * The application's part of the context, by workflow name. It replaces the definition's own, so that a definition can
   * be shared and its database chosen here.
   */
  readonly contexts?: Readonly<Record<string, ContextBuilder>> | undefined;
  readonly limits?: Limits | undefined;
  /** Where triggered runs get their own worktrees. By default every run works in `cwd`. */
  readonly worktrees?: { readonly folder: string } | undefined;
  /** The repository name for the limit per repository. Default: the workspace. */
  readonly repository?: string | undefined;
  /**
   * `all` (the default): also drives runs that are due, have mail or lost their owner, from the start on, if their
   * workflow is known here. `own`: drives only runs it is asked to.
   */
  readonly drives?: 'all' | 'own' | undefined;
  /** How deep runs may start runs. */
  readonly depthMax?: number | undefined;
  /** How many runs a run may start, directly or through its children. */
  readonly runsMax?: number | undefined;
  /** `signed`: every decision of a person about a run that starts here requires the signature of an enrolled key. */
  readonly decisions?: 'signed' | undefined;
  /** The state folder with the list of enrolled keys (`identities.json`), or the list itself. Without it no key counts. */
  readonly identities?: string | (() => KeyList) | undefined;
  /**
   * `checked`: the program checks the right to decide itself, as the command line does. By default no process inside a
   * run can decide.
   */
  readonly rights?: 'checked' | undefined;
  /** What agents may use: per run, and per day. */
  readonly budgets?: Budgets | undefined;
  /** Limits that stop a run which takes too long, for workflows that set none: `true` for the defaults. */
  readonly circuitBreakers?: BreakersSpec | undefined;
  readonly clock?: Clock | undefined;
  /** Receives errors that no caller waits for. */
  readonly warn?: ((error: unknown) => void) | undefined;
}

const OPTIONS: Record<keyof EngineOptions, true> = {
  db: true,
  store: true,
  workflows: true,
  contexts: true,
  cwd: true,
  roles: true,
  drivers: true,
  checks: true,
  kinds: true,
  commands: true,
  stages: true,
  defaultStages: true,
  env: true,
  inheritEnv: true,
  secrets: true,
  webhooks: true,
  writes: true,
  checkTimeoutMs: true,
  protected: true,
  databases: true,
  forge: true,
  forgeFacts: true,
  groups: true,
  limits: true,
  budgets: true,
  circuitBreakers: true,
  watchdogs: true,
  worktrees: true,
  repository: true,
  drives: true,
  depthMax: true,
  runsMax: true,
  decisions: true,
  identities: true,
  rights: true,
  ownerTimeout: true,
  synchronous: true,
  clock: true,
  warn: true,
  guard: true,
};
const LIMITS: Record<keyof Limits, true> = { global: true, repository: true, roles: true, credentials: true, keys: true };
const BUDGETS: Record<keyof Budgets, true> = { run: true, day: true };
const WEBHOOKS: Record<keyof WebhookSetting, true> = { allow: true, secretHosts: true };
const DATABASE: Record<keyof DatabaseService, true> = { path: true, rowLimit: true, backupFolder: true, keepBackups: true };
const ROLE: Record<keyof RoleSetting, true> = {
  driver: true,
  prompt: true,
  model: true,
  credential: true,
  permissions: true,
  budget: true,
  argv: true,
  idleMs: true,
};

/** Throws if a value has an option that `known` does not have as a field. */
export function assertKnownOptions(owner: string, options: object | undefined, known: object): void {
  const unknown = unknownFields(options ?? {}, Object.keys(known));
  if (unknown.length > 0)
    throw new EngineError('OPTION_INVALID', `${owner}: ${unknown.join(', ')}; it accepts ${Object.keys(known).join(', ')}`);
}

/** Throws if there is an option that an engine does not have, or a role with a driver that it does not have. */
export function checkEngineOptions(options: EngineOptions): void {
  const check = assertKnownOptions;
  check('createEngine', options, OPTIONS);
  check('createEngine, limits', options.limits, LIMITS);
  check('createEngine, budgets', options.budgets, BUDGETS);
  check('createEngine, webhooks', options.webhooks, WEBHOOKS);
  check('createEngine, worktrees', options.worktrees, { folder: true });
  for (const [name, setting] of Object.entries(options.databases ?? {})) check(`createEngine, database "${name}"`, setting, DATABASE);
  const drivers = ['attended', ...Object.keys(options.drivers ?? {})];
  for (const [role, setting] of Object.entries(options.roles ?? {})) {
    check(`createEngine, role "${role}"`, setting, ROLE);
    if (!drivers.includes(setting.driver)) throw unknownDriver(role, setting, drivers);
  }
}

function unknownDriver(role: string, { driver }: RoleSetting, drivers: readonly string[]): EngineError {
  const suggestion = didYouMean(driver, drivers);
  const message = `createEngine, role "${role}": there is no driver "${driver}"${suggestion}; pass it as one of \`drivers\`, or use one of ${drivers.join(', ')}`;
  return new EngineError('OPTION_INVALID', message);
}
