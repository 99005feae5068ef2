// Owns opening one project to serve it: its store, its forge, its engine and its server. A process can serve several, each with
// a database, a login and worktrees of its own, so that issue 7 of one repository is never issue 7 of another.

import { join, resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { type OpenServer, openServer } from '../../server/app-server.ts';
import type { Neighbour } from '../../server/triggers/neighbours.ts';
import { Secrets } from '../../steps/secrets.ts';
import { ParsedArgs } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { openEngine } from '../open-engine.ts';
import { packageRoot, versionOf } from '../package.ts';
import { findPlace, openStore, type Place } from '../session.ts';
import { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { frontOf } from './front.ts';
import { eventsOf, openForgeEvents, repositoryOf } from './project-events.ts';
import { ProjectSource } from './project-source.ts';
import { FileProject } from './served-project.ts';

/** A project that is served. */
export interface OpenProject {
  readonly place: Place;
  readonly engine: Awaited<ReturnType<typeof openEngine>>;
  readonly server: OpenServer;
  close(): Promise<void>;
}

/** What a project is opened with. */
export interface ProjectOpening {
  readonly place: Place;
  /** The options of the command that name the project. */
  readonly named: Map<string, readonly string[]>;
  readonly locked: boolean;
  readonly neighbours?: () => readonly Neighbour[];
}

/** The places of the projects that the settings of one list under `serve.projects`, without itself. */
export async function listedPlaces(shell: Shell, main: Place): Promise<ProjectOpening['place'][]> {
  const places: Place[] = [];
  for (const path of main.settings.serve?.projects ?? []) {
    const root = resolve(main.project.root, path);
    const place = await findPlace(shell, new ParsedArgs(new Map(), new Map([['project', [root]]]), new Set(['json'])));
    if (resolve(place.project.root) !== root)
      throw new EngineError('CONFIG_INVALID', `"serve.projects" lists ${root}, which is not a project; it needs a folder .pawl`);
    for (const other of [main, ...places]) assertApart(other, place);
    await assertSettingsTrusted(shell, place);
    places.push(place);
  }
  return places;
}

/** Refuses two projects that would act on the same runs or the same repository. */
function assertApart(one: Place, other: Place): void {
  const both = `"serve.projects": ${one.project.root} and ${other.project.root}`;
  if (one.file === other.file)
    throw new EngineError(
      'CONFIG_INVALID',
      `${both} have the same database, ${one.file}; give each its own, and name none with --db or PAWL_DB`,
    );
  const name = repositoryOf(one);
  if (name !== undefined && name === repositoryOf(other))
    throw new EngineError('CONFIG_INVALID', `${both} are for the same repository, ${name}; list it once`);
}

/** Opens a project and its server; nothing listens yet. */
export async function openProject(shell: Shell, { place, named, locked, neighbours }: ProjectOpening): Promise<OpenProject> {
  // Nobody can be asked about what a request needs, so nothing is asked at the terminal.
  const quiet = new Shell(shell.world, new ParsedArgs(new Map(), named, new Set(['json'])));
  const store = await openStore(place);
  const closers: (() => Promise<unknown>)[] = [() => store.close()];
  const close = async (): Promise<void> => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const forge = await openForgeEvents(quiet, place);
    if (forge !== undefined) closers.push(() => forge.source.close());
    const source = new ProjectSource(quiet, place.project, { locked });
    const relayed = present({ forge: forge?.relay.forge });
    const engine = await openEngine(quiet, place, { store, workflows: source, drives: 'all', warn: once(shell), ...relayed });
    closers.push(() => engine.close());
    const server = openServer(engine, {
      project: new FileProject(quiet, place, { source, store }),
      db: place.file,
      version: versionOf(),
      ...frontOf(quiet, place),
      pages: join(packageRoot(), 'dashboard', 'dist'),
      events: { ...eventsOf(place, forge), ...present({ neighbours }) },
      // What somebody sent may be in it, and must not pose as a line of its own.
      warn: (error) => shell.warn(oneLine(error instanceof Error ? error.message : String(error))),
    });
    closers.push(() => server.close());
    return { place, engine, server, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A project as the one that takes webhooks for all sees it; undefined if it takes none. */
export function neighbourOf({ place: { settings }, server }: OpenProject): Neighbour | undefined {
  const { forge, secrets = {} } = settings;
  if (forge?.kind !== 'github' || forge.webhook_secret === undefined) return undefined;
  const { repository, webhook_secret: name } = forge;
  return { repository, secret: () => new Secrets(secrets).value(name), fetch: async (request) => await server.fetch(request) };
}

const SAID_MAX = 1000;

/** Prints each warning once: a run that cannot be driven is tried again whenever something happens. */
function once(shell: Shell): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (said.has(text)) return;
    if (said.size >= SAID_MAX) said.clear();
    said.add(text);
    shell.warn(text);
  };
}
