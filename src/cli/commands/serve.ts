// `pawl serve`: drives every run of the project, and serves the dashboard and the HTTP API, until a signal ends it.

import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { html, page } from '../../server/access/html.ts';
import type { ShownLink } from '../../server/access/invitations.ts';
import { PORT } from '../../server/app-server.ts';
import type { ListenOptions } from '../../server/server.ts';
import type { ProjectAddress } from '../../server/services.ts';
import type { WebhookProject } from '../../server/triggers/webhook-forwarding.ts';
import { type CommandRun, internalArgs, usageError } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { catchInterrupts, type Interrupt } from '../interrupt.ts';
import { wholeNumber } from '../params.ts';
import { listedSetups } from '../serve/listed-projects.ts';
import { type OpenProject, openProject, webhookProjectOf } from '../serve/open-project.ts';
import { registerServer } from '../serve/running-servers.ts';
import { ownerLogin, tlsOf } from '../serve/server-options.ts';
import { findSetup } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const [port, host] = [wholeNumber(args, 'port', { min: 0, max: 65_535 }) ?? PORT, args.option('host') ?? '127.0.0.1'];
  const tls = tlsOf(shell, args);
  await assertSettingsTrusted(shell, setup);
  const locked = args.has('locked');
  const opened: OpenProject[] = [];
  let interrupt: Interrupt | undefined;
  try {
    const webhookProjects = (): readonly WebhookProject[] => opened.slice(1).flatMap((project) => webhookProjectOf(project) ?? []);
    const listed = await listedSetups(shell, setup);
    const served: ServedAddress[] = [];
    const others = (root: string): ProjectAddress[] =>
      served.filter(({ project }) => project !== root).map(({ project, url }) => ({ name: basename(project), url }));
    const shared = (root: string) => ({ locked, beside: () => others(root) });
    const forwarding = listed.length === 0 ? {} : { webhookProjects };
    opened.push(await openProject(shell, { setup, args: internalArgs(args.location), ...shared(setup.project.root), ...forwarding }));
    for (const other of listed) {
      const { root } = other.project;
      opened.push(await openProject(shell, { setup: other, args: internalArgs({ project: [root] }), ...shared(root) }));
    }
    interrupt = catchInterrupts(enginesOf(opened), (text) => shell.warn(text));
    const address = await announce(shell, { opened, served }, { host, port, ...tls });
    if (args.has('open')) opened[0]?.server.services.onClose(openBrowser(address, setup.file));
    await interrupt.stopped;
    return 0;
  } finally {
    for (const project of opened.reverse()) await project.close();
    interrupt?.release();
  }
};

function enginesOf(opened: readonly OpenProject[]): Pick<OpenProject['engine'], 'close'> {
  return { close: async (how) => void (await Promise.all(opened.map(({ engine }) => engine.close(how)))) };
}

interface ServedAddress {
  readonly project: string;
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly login: ShownLink | null;
}

interface OpenServers {
  readonly opened: readonly OpenProject[];
  /** Filled as the servers begin to listen. */
  readonly served: ServedAddress[];
}

/** Prints the address of each project and how to log in; returns the address for a browser. */
async function announce(shell: Shell, { opened, served }: OpenServers, at: ListenOptions): Promise<string> {
  for (const [index, { setup, server }] of opened.entries()) {
    // Each project has its own pages and logins, so each needs an address.
    const { url, host, port } = await server.listen({ ...at, port: at.port === undefined || at.port === 0 ? 0 : at.port + index });
    server.services.onClose(registerServer(server.services.database, url));
    const login = await ownerLogin(shell, server);
    served.push({ project: setup.project.root, url, host, port, login: login ?? null });
  }
  const [main, ...others] = served;
  if (main === undefined) throw usageError('there is no project to serve');
  const { project: _, ...shown } = main;
  shell.result({ ...shown, pid: process.pid, ...(others.length === 0 ? {} : { projects: others }) }, () =>
    served.flatMap(({ project, url, login }) => [
      others.length === 0 ? `Serving on ${url}` : `Serving ${project} on ${url}`,
      ...(login === null
        ? ['"pawl access login" prints a link to log in, at a terminal of your own.']
        : [`Log in as ${login.person}, once, until ${login.expiresAt}:`, `  ${login.url}`]),
    ]),
  );
  return main.login?.url ?? main.url;
}

/** How long a browser has to open the file with the link. */
const OPENING_MS = 60_000;

/**
 * Opens the dashboard, if there is a browser. Every user of a machine can see the arguments of all programs, so the browser gets
 * the name of a file that only this user can read and that redirects to the link. Returns a function that removes the file.
 */
function openBrowser(url: string, db: string): () => void {
  const file = `${db}.open-${process.pid}.html`;
  const remove = (): void => rmSync(file, { force: true });
  remove();
  writeFileSync(file, page('Pawl', html`<meta http-equiv="refresh" content="0; url=${url}"><p><a href="${url}">Continue</a></p>`), {
    mode: 0o600,
    flag: 'wx',
  });
  setTimeout(remove, OPENING_MS).unref();
  const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(program, [file], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
  return remove;
}
