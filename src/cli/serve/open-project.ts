// Opens a project to serve it: its store, forge, engine and server. A process can serve several projects, each with
// its own database, login and worktrees, so that issue 7 of one repository is not mistaken for issue 7 of another.

import { join } from 'node:path';
import type { Engine } from '../../api/engine.ts';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { type OpenServer, openServer } from '../../server/app-server.ts';
import type { ProjectAddress } from '../../server/services.ts';
import type { WebhookProject } from '../../server/triggers/webhook-forwarding.ts';
import { Secrets } from '../../steps/secrets.ts';
import type { ParsedArgs } from '../command.ts';
import { keyListOf } from '../identity/identity.ts';
import { packageRoot, versionOf } from '../package.ts';
import type { Setup } from '../session.ts';
import { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { eventsOf, openForgeEvents, openProjectEngine } from './project-events.ts';

/** A project that is served. */
export interface OpenProject {
  readonly setup: Setup;
  readonly engine: Engine;
  readonly server: OpenServer;
  close(): Promise<void>;
}

interface ProjectOpening {
  readonly setup: Setup;
  readonly args: ParsedArgs;
  readonly locked: boolean;
  readonly webhookProjects?: () => readonly WebhookProject[];
  /** The other projects of this process, once they listen. */
  readonly beside: () => readonly ProjectAddress[];
}

/** Opens a project and its server; nothing listens yet. */
export async function openProject(shell: Shell, { setup, args, locked, webhookProjects, beside }: ProjectOpening): Promise<OpenProject> {
  // Nobody is at the terminal when a request arrives, so the commands must not ask.
  const quiet = new Shell(shell.context, args);
  const { serve = {}, groups } = setup.settings;
  const forge = await openForgeEvents(quiet, setup);
  await using opened = new AsyncDisposableStack();
  const opening = { forge, locked, beside, drives: 'all', warn: warnOnce(shell) } as const;
  const { engine, project, close } = await openProjectEngine(quiet, setup, opening);
  opened.defer(close);
  const server = opened.use(
    openServer(engine, {
      project,
      db: setup.file,
      version: versionOf(),
      ...omitUndefined({ publicUrl: serve.public_url, trustedProxy: serve.trusted_proxy, groups }),
      identities: () => keyListOf(quiet, setup.project),
      pages: join(packageRoot(), 'dashboard', 'dist'),
      events: { ...eventsOf(setup, forge), ...omitUndefined({ webhookProjects }) },
      // The message may contain text from a request, which must not look like another line of the log.
      warn: (error) => shell.warn(oneLine(messageOf(error))),
    }),
  );
  const all = opened.move();
  return { setup, engine, server, close: () => all.disposeAsync() };
}

/** The project for the one that receives the webhooks of all; undefined if it has none. */
export function webhookProjectOf({ setup: { settings }, server }: OpenProject): WebhookProject | undefined {
  const { forge, secrets = {} } = settings;
  if (forge?.kind !== 'github' || forge.webhook_secret === undefined) return undefined;
  const { repository, webhook_secret: name } = forge;
  return { repository, secret: () => new Secrets(secrets).value(name), fetch: async (request) => await server.fetch(request) };
}

const SHOWN_MAX = 1000;

/** Prints each warning once, because a run that cannot be driven is retried at every event. */
function warnOnce(shell: Shell): (text: string) => void {
  const shown = new Set<string>();
  return (text) => {
    if (shown.has(text)) return;
    if (shown.size >= SHOWN_MAX) shown.clear();
    shown.add(text);
    shell.warn(text);
  };
}
