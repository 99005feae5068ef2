// Owns the schedules, deliveries and notifications of a project, for a server and for commands that use them without one.

import type { Engine } from '../../api/engine.ts';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Forge } from '../../forge/forge.ts';
import { type Groups, isIn, membersOf } from '../../forge/people.ts';
import { type ForgeRelay, relayForge } from '../../forge/relay.ts';
import type { EventSettings, ForgeEventSettings } from '../../server/events/event-settings.ts';
import type { EventServices } from '../../server/events/events.ts';
import { EVENT_TABLES } from '../../server/events/tables.ts';
import { openServerDatabase, type PartTables, serverFileOf } from '../../server/server-database.ts';
import type { ProjectAddress } from '../../server/services.ts';
import type { SurfaceSettings } from '../../server/surface/surface-settings.ts';
import { SURFACE_TABLES } from '../../server/surface/tables.ts';
import { Secrets } from '../../steps/secrets.ts';
import { openForge } from '../forge/session.ts';
import { openEngine } from '../open-engine.ts';
import { closing, openStore, type Setup } from '../session.ts';
import { hookOf } from '../settings/events.ts';
import type { ForgeSurface, GitHubSettings } from '../settings/forge.ts';
import type { Shell } from '../shell.ts';
import { ProjectSource } from './project-source.ts';
import { FileProject } from './served-project.ts';

/** The hooks, the targets of notifications, and their secrets. */
export function eventsOf({ settings, project }: Pick<Setup, 'settings' | 'project'>, opened?: OpenedForge): EventSettings {
  const { hooks = {}, notifications = {}, webhooks, metrics, secrets: sources = {} } = settings;
  const secrets = new Secrets(sources);
  return {
    hooks: Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, hookOf(hook)])),
    notifications,
    secret: (name) => secrets.value(name),
    ...omitUndefined({ allow: webhooks?.allow, metrics, forge: forgeEventsOf({ settings, project }, opened) }),
  };
}

function forgeEventsOf(setup: Pick<Setup, 'settings' | 'project'>, opened: OpenedForge | undefined): ForgeEventSettings | undefined {
  const { forge, groups = {} } = setup.settings;
  if (forge === undefined || opened === undefined) return undefined;
  const { source, relay } = opened;
  const { webhook_secret: secret, repository: name, forks } = forge.kind === 'github' ? forge : ({} as Partial<GitHubSettings>);
  const webhook = secret === undefined || name === undefined ? undefined : { secret, repository: name };
  return {
    forge: source,
    onEvent: relay.publish,
    groups: () => groups,
    surface: surfaceOf(forge, groups),
    ...omitUndefined({ repository: repositoryOf(setup), webhook, forks }),
  };
}

/** The address of a project's repository; undefined without a forge. */
export function repositoryOf({ settings: { forge }, project }: Pick<Setup, 'settings' | 'project'>): string | undefined {
  if (forge === undefined) return undefined;
  if (forge.kind === 'local') return forge.repository ?? project.root;
  return `${forge.base_url ?? 'https://github.com'}/${forge.repository}`.toLowerCase();
}

function surfaceOf(
  { comments = true, checks = true, commands = true, self_approval = false }: ForgeSurface,
  groups: Groups,
): SurfaceSettings {
  return {
    ...{ comments, checks, commands: commands !== false, selfApproval: self_approval },
    ...(Array.isArray(commands) ? { mayCommand: (login: string) => isIn(groups, commands, login) } : {}),
    membersOf: (names) => membersOf(groups, names),
  };
}

interface OpenedForge {
  readonly source: Forge;
  readonly relay: ForgeRelay;
}

/** Opens the forge of a project, if it has one. */
export async function openForgeEvents(shell: Shell, setup: Setup): Promise<OpenedForge | undefined> {
  const source = await openForge(shell, setup);
  return source === undefined ? undefined : { source, relay: relayForge(source) };
}

/** How the engine of a project is opened; the forge is closed with it. */
interface EngineOpening extends Pick<Parameters<typeof openEngine>[2], 'drives' | 'warn'> {
  readonly forge: OpenedForge | undefined;
  readonly locked?: boolean;
  readonly beside?: () => readonly ProjectAddress[];
}

/** The engine of a project whose workflows are found when events start them. */
interface ProjectEngine {
  readonly engine: Engine;
  readonly project: FileProject;
  close(): Promise<void>;
}

/** Opens the engine of a project for events. */
export async function openProjectEngine(
  shell: Shell,
  setup: Setup,
  { forge, locked, beside, ...options }: EngineOpening,
): Promise<ProjectEngine> {
  await using opened = new AsyncDisposableStack();
  if (forge !== undefined) opened.defer(() => forge.source.close());
  const store = opened.use(await openStore(setup));
  const source = new ProjectSource(shell, setup.project, omitUndefined({ locked }));
  const parts = { ...options, store, workflows: source, ...omitUndefined({ forge: forge?.relay.forge }) };
  const engine = opened.use(await openEngine(shell, setup, parts));
  const project = new FileProject(shell, setup, { source, store, ...omitUndefined({ beside }) });
  const all = opened.move();
  return { engine, project, close: () => all.disposeAsync() };
}

/** Opens the services for events of a project, without a server; `more`: the tables of further parts. */
export async function openEventServices(
  shell: Shell,
  setup: Setup,
  { more = [], ...opening }: EngineOpening & { readonly more?: readonly PartTables[] },
): Promise<EventServices & { close(): Promise<void> }> {
  const { engine, project, close } = await openProjectEngine(shell, setup, opening);
  await using opened = new AsyncDisposableStack();
  opened.defer(close);
  const database = openServerDatabase(serverFileOf(setup.file), [EVENT_TABLES, SURFACE_TABLES, ...more]);
  const warn = (error: unknown): void => shell.warn(messageOf(error));
  const events = eventsOf(setup, opening.forge);
  const all = opened.move();
  // While the engine closes, its runs may still write there.
  const closeAll = async (): Promise<void> => {
    await all.disposeAsync();
    database.close();
  };
  return { engine, project, database, warn, events, close: closeAll };
}

/** Uses the schedules and deliveries of a project, with an engine that drives only the runs that it starts. Reading needs no forge. */
export async function withProjectEvents<T>(
  shell: Shell,
  { setup, acts }: { readonly setup: Setup; readonly acts: boolean },
  use: (services: EventServices) => Promise<T>,
): Promise<T> {
  const forge = acts ? await openForgeEvents(shell, setup) : undefined;
  return closing(await openEventServices(shell, setup, { forge }), use);
}
