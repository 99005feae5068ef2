// Opens an engine for a command, with the project's database and settings. Separate from session.ts, so that a command
// that only reads does not load the engine.

import { dirname, join } from 'node:path';
import { createEngine, type Engine } from '../api/engine.ts';
import type { AnyWorkflow, EngineOptions } from '../api/engine-options.ts';
import { messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { readBreakers } from '../definition/breakers.ts';
import type { DefinitionSource } from '../engine/host.ts';
import type { Forge } from '../forge/forge.ts';
import type { StepServices } from '../steps/services.ts';
import type { Store } from '../store/store.ts';
import { keyListOf } from './identity/identity.ts';
import { roleFilesOf } from './project.ts';
import { lazyChecks } from './project-parts.ts';
import type { Setup } from './session.ts';
import type { Shell } from './shell.ts';
import { guardAttempts } from './stray-errors.ts';
import { rememberSigned } from './trust/signed-projects.ts';

const OWNER_TIMEOUT_MS = 15_000;

interface OpenedParts {
  readonly store: Store;
  readonly workflows: readonly AnyWorkflow[] | DefinitionSource;
  readonly forge?: Forge;
  /** Receives failures that no command waits for; by default they are printed. */
  readonly warn?: (text: string) => void;
  /** `all` for a server; by default the engine drives only the runs that the command names. */
  readonly drives?: 'all';
}

/** Opens an engine on the database of a project. */
export async function openEngine(shell: Shell, setup: Setup, parts: OpenedParts): Promise<Engine> {
  const { warn = (text: string) => shell.warn(text) } = parts;
  // Record whether the project requires signatures, so that changing its settings later does not bypass them.
  rememberSigned(shell, setup.project, setup.settings);
  const { limits, validation, environment: inheritEnv, groups, commands, budgets, decisions, protected: guarded } = setup.settings;
  const { circuit_breakers: breakers } = setup.settings;
  return createEngine({
    rights: 'checked',
    db: setup.file,
    store: parts.store,
    workflows: parts.workflows,
    checks: await lazyChecks(shell, setup.project),
    cwd: setup.project.root,
    drives: parts.drives ?? 'own',
    ownerTimeout: { ms: OWNER_TIMEOUT_MS, onWait: warn },
    worktrees: { folder: join(dirname(setup.file), 'worktrees') },
    warn: (error) => warn(messageOf(error)),
    guard: guardAttempts(warn),
    ...omitUndefined({
      limits,
      stages: validation?.stages,
      inheritEnv,
      groups,
      commands,
      decisions,
      budgets,
      circuitBreakers: breakers && readBreakers(breakers),
      protected: guarded,
      forge: parts.forge,
    }),
    identities: () => keyListOf(shell, setup.project),
    ...webhookOptions(setup),
    ...writeOptions(setup),
    ...databaseOptions(setup),
    ...(await rolesOf(setup)),
  });
}

function webhookOptions({ settings: { secrets = {}, webhooks } }: Setup): Pick<EngineOptions, 'secrets' | 'webhooks'> {
  const hosts = Object.entries(secrets).flatMap(([name, { hosts }]) => (hosts === undefined ? [] : [[name, hosts] as const]));
  return { secrets, webhooks: { ...webhooks, secretHosts: Object.fromEntries(hosts) } };
}

function writeOptions({ settings: { writes, staged } }: Setup): Pick<EngineOptions, 'writes'> {
  if (writes === undefined && staged === undefined) return {};
  const { links, ...limits } = writes ?? {};
  return { writes: { limits, ...omitUndefined({ links, staged }) } };
}

function databaseOptions({ settings: { databases = {} } }: Setup): Pick<EngineOptions, 'databases'> {
  return {
    databases: Object.fromEntries(
      Object.entries(databases).map(([name, { path, row_limit: rowLimit, keep_backups: keepBackups }]) => [
        name,
        { path, ...omitUndefined({ rowLimit, keepBackups }) },
      ]),
    ),
  };
}

/** The roles, checks, stages and protected files of a project, from which the text of a step is built. */
export async function previewServices(shell: Shell, setup: Setup): Promise<StepServices> {
  const { validation, protected: guarded } = setup.settings;
  return {
    cwd: setup.project.root,
    now: () => Date.now(),
    checks: await lazyChecks(shell, setup.project),
    ...omitUndefined({ stages: validation?.stages, protected: guarded }),
    ...(await rolesOf(setup)),
  };
}

/** The roles of a project with their drivers. Loaded only if the project has roles, because it needs the YAML parser. */
async function rolesOf({ project, settings }: Setup): Promise<Pick<StepServices, 'roles' | 'drivers'>> {
  if (settings.roles === undefined && roleFilesOf(project).length === 0) return {};
  const { readRoles } = await import('./roles.ts');
  const { roles, drivers } = await readRoles(project, settings);
  return { roles, drivers };
}
