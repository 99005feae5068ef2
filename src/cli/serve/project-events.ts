// Owns the schedules, deliveries and notifications of a project, for a server and for commands that use them without one.

import { present } from '../../base/fields.ts';
import type { Forge } from '../../forge/forge.ts';
import { type Groups, isIn, membersOf } from '../../forge/people.ts';
import { type ForgeRelay, relayForge } from '../../forge/relay.ts';
import type { EventSettings, ForgeEventSettings } from '../../server/events/event-settings.ts';
import type { EventServices } from '../../server/events/events.ts';
import { EVENT_TABLES } from '../../server/events/tables.ts';
import { openServerDatabase, serverFileOf } from '../../server/server-database.ts';
import type { SurfaceSettings } from '../../server/surface/surface-settings.ts';
import { SURFACE_TABLES } from '../../server/surface/tables.ts';
import { Secrets } from '../../steps/secrets.ts';
import { openForge } from '../forge/session.ts';
import { openEngine } from '../open-engine.ts';
import { closing, openStore, type Place } from '../session.ts';
import { hookOf } from '../settings/events.ts';
import type { ForgeSurface, GitHubSettings } from '../settings/forge.ts';
import type { Shell } from '../shell.ts';
import { ProjectSource } from './project-source.ts';
import { FileProject } from './served-project.ts';

/** The hooks, the targets of notifications, and their secrets. */
export function eventsOf({ settings, project }: Pick<Place, 'settings' | 'project'>, opened?: OpenedForge): EventSettings {
  const { hooks = {}, notifications = {}, webhooks, metrics, secrets: sources = {} } = settings;
  const secrets = new Secrets(sources);
  return {
    hooks: Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, hookOf(hook)])),
    notifications,
    secret: (name) => secrets.value(name),
    ...present({ allow: webhooks?.allow, metrics, forge: forgeEventsOf({ settings, project }, opened) }),
  };
}

function forgeEventsOf(place: Pick<Place, 'settings' | 'project'>, opened: OpenedForge | undefined): ForgeEventSettings | undefined {
  const { forge, groups = {} } = place.settings;
  if (forge === undefined || opened === undefined) return undefined;
  const { source, relay } = opened;
  const { webhook_secret: secret, repository: name, forks } = forge.kind === 'github' ? forge : ({} as Partial<GitHubSettings>);
  const webhook = secret === undefined || name === undefined ? undefined : { secret, repository: name };
  return {
    forge: source,
    onEvent: relay.publish,
    groups: () => groups,
    surface: surfaceOf(forge, groups),
    ...present({ repository: repositoryOf(place), webhook, forks }),
  };
}

/** The address of a project's repository; undefined without a forge. */
export function repositoryOf({ settings: { forge }, project }: Pick<Place, 'settings' | 'project'>): string | undefined {
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
export async function openForgeEvents(shell: Shell, place: Place): Promise<OpenedForge | undefined> {
  const source = await openForge(shell, place);
  return source === undefined ? undefined : { source, relay: relayForge(source) };
}

/** Uses the schedules and deliveries of a project, with an engine that drives only the runs that it starts. Reading needs no forge. */
export async function withProjectEvents<T>(
  shell: Shell,
  { place, acts }: { readonly place: Place; readonly acts: boolean },
  use: (services: EventServices) => Promise<T>,
): Promise<T> {
  return closing(await openStore(place), async (store) => {
    const source = new ProjectSource(shell, place.project);
    const opened = acts ? await openForgeEvents(shell, place) : undefined;
    const engine = await openEngine(shell, place, { store, workflows: source, ...present({ forge: opened?.relay.forge }) });
    const database = openServerDatabase(serverFileOf(place.file), [EVENT_TABLES, SURFACE_TABLES]);
    try {
      const warn = (error: unknown): void => shell.warn(error instanceof Error ? error.message : String(error));
      return await use({
        engine,
        database,
        warn,
        project: new FileProject(shell, place, { source, store }),
        events: eventsOf(place, opened),
      });
    } finally {
      await engine.close();
      await opened?.source.close();
      database.close();
    }
  });
}
