// Owns opening an engine for a command, with the project's database and settings; it drives only the runs the command
// asks for. Separate from session.ts, so that a command that only reads does not load the engine.

import { dirname, join } from 'node:path';
import { createEngine, type Engine } from '../api/engine.ts';
import type { AnyWorkflow, EngineOptions } from '../api/engine-options.ts';
import { present } from '../base/fields.ts';
import type { Forge } from '../forge/forge.ts';
import type { StepServices } from '../steps/services.ts';
import type { Store } from '../store/store.ts';
import { keyListOf } from './identity/identity.ts';
import { lazyChecks } from './own-parts.ts';
import { roleFilesOf } from './project.ts';
import type { Place } from './session.ts';
import type { Shell } from './shell.ts';
import { rememberSigned } from './trust/signed-projects.ts';

/** How long a command waits for the process that owns a run. */
const PATIENCE_MS = 15_000;

/** Opens an engine that drives only what this command asks for. */
export async function openEngine(
  shell: Shell,
  place: Place,
  parts: { readonly store: Store; readonly workflows: readonly AnyWorkflow[]; readonly forge?: Forge },
): Promise<Engine> {
  // Record that the project requires signatures, so that changing its settings later does not bypass them.
  rememberSigned(shell, place.project, place.settings);
  const { limits, stages, inheritEnv, groups, commands, budgets, decisions, protected: guarded } = place.settings;
  return createEngine({
    rights: 'checked',
    db: place.file,
    store: parts.store,
    workflows: parts.workflows,
    checks: await lazyChecks(shell, place.project),
    cwd: place.project.root,
    drives: 'own',
    patience: { ms: PATIENCE_MS, note: (text) => shell.warn(text) },
    worktrees: { folder: join(dirname(place.file), 'worktrees') },
    warn: (error) => shell.warn(error instanceof Error ? error.message : String(error)),
    ...present({ limits, stages, inheritEnv, groups, commands, decisions, budgets, protected: guarded, forge: parts.forge }),
    identities: () => keyListOf(shell, place.project),
    ...webOf(place),
    ...(await rolesOf(place)),
  });
}

/** The secrets of a project and the hosts that webhooks may reach. */
function webOf({ settings: { secrets = {}, webhooks } }: Place): Pick<EngineOptions, 'secrets' | 'webhooks'> {
  const hosts = Object.entries(secrets).flatMap(([name, { hosts }]) => (hosts === undefined ? [] : [[name, hosts] as const]));
  return { secrets, webhooks: { ...webhooks, secretHosts: Object.fromEntries(hosts) } };
}

/** What the text of a step is built with: the roles, checks, stages and protected files of a project. */
export async function previewServices(shell: Shell, place: Place): Promise<StepServices> {
  const { stages, protected: guarded } = place.settings;
  return {
    cwd: place.project.root,
    now: () => Date.now(),
    checks: await lazyChecks(shell, place.project),
    ...present({ stages, protected: guarded }),
    ...(await rolesOf(place)),
  };
}

/** The roles of a project with their drivers. Loaded only if the project has roles, because it needs the YAML parser. */
async function rolesOf({ project, settings }: Place): Promise<Pick<EngineOptions, 'roles' | 'drivers'>> {
  if (settings.roles === undefined && roleFilesOf(project).length === 0) return {};
  const { readRoles } = await import('./roles.ts');
  const { roles, drivers } = await readRoles(project, settings);
  return { roles, drivers };
}
