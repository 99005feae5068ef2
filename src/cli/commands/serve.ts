// `pawl serve`: drives every run of the project, and serves the dashboard and the HTTP API, until a signal ends it.

import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { html, page } from '../../server/access/html.ts';
import type { ShownLink } from '../../server/access/invitations.ts';
import { PORT } from '../../server/app-server.ts';
import type { ListenOptions } from '../../server/server.ts';
import type { ProjectAddress } from '../../server/services.ts';
import type { Neighbour } from '../../server/triggers/neighbours.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { catchInterrupts, type Interrupt } from '../interrupt.ts';
import { listedPlaces } from '../serve/listed-projects.ts';
import { neighbourOf, type OpenProject, openProject } from '../serve/open-project.ts';
import { registerServer } from '../serve/running-servers.ts';
import { ownerLogin, tlsOf } from '../serve/server-options.ts';
import { findPlace } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const [port, host] = [portOf(given), given.option('host') ?? '127.0.0.1'];
  const tls = tlsOf(shell, given);
  await assertSettingsTrusted(shell, place);
  const locked = given.has('locked');
  const opened: OpenProject[] = [];
  let interrupt: Interrupt | undefined;
  try {
    const neighbours = (): readonly Neighbour[] => opened.slice(1).flatMap((one) => neighbourOf(one) ?? []);
    const listed = await listedPlaces(shell, place);
    const served: ServedAddress[] = [];
    const shared = (root: string) => ({ locked, beside: () => othersThan(served, root) });
    const passesOn = listed.length === 0 ? {} : { neighbours };
    opened.push(await openProject(shell, { place, named: namedOf(given), ...shared(place.project.root), ...passesOn }));
    for (const other of listed) {
      const { root } = other.project;
      opened.push(await openProject(shell, { place: other, named: new Map([['project', [root]]]), ...shared(root) }));
    }
    interrupt = catchInterrupts(enginesOf(opened), (text) => shell.warn(text));
    const address = await announce(shell, { opened, served }, { host, port, ...tls });
    if (given.has('open')) opened[0]?.server.services.onClose(openBrowser(address, place.file));
    await interrupt.stopped;
    return 0;
  } finally {
    for (const one of opened.reverse()) await one.close();
    interrupt?.release();
  }
};

/** The engines as one thing that a signal stops. */
function enginesOf(opened: readonly OpenProject[]): Pick<OpenProject['engine'], 'close'> {
  return { close: async (how) => void (await Promise.all(opened.map(({ engine }) => engine.close(how)))) };
}

/** Where a project is served, and the link to log in there. */
interface ServedAddress {
  readonly project: string;
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly login: ShownLink | null;
}

/** The projects that are served beside the one in a folder. */
function othersThan(served: readonly ServedAddress[], root: string): ProjectAddress[] {
  return served.filter(({ project }) => project !== root).map(({ project, url }) => ({ name: basename(project), url }));
}

interface Serving {
  readonly opened: readonly OpenProject[];
  /** Where they are served; filled as they begin to listen. */
  readonly served: ServedAddress[];
}

/** Prints where each project is served and how to log in; returns what a browser is opened with. */
async function announce(shell: Shell, { opened, served }: Serving, at: ListenOptions): Promise<string> {
  for (const [index, { place, server }] of opened.entries()) {
    // Each project has pages and logins of its own, so each has an address of its own.
    const { url, host, port } = await server.listen({ ...at, port: at.port === undefined || at.port === 0 ? 0 : at.port + index });
    server.services.onClose(registerServer(server.services.database, url));
    const login = await ownerLogin(shell, server);
    served.push({ project: place.project.root, url, host, port, login: login ?? null });
  }
  const [main, ...others] = served;
  if (main === undefined) throw new EngineError('USAGE', 'there is no project to serve');
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

/** How long a browser has to open the file that leads to the login. */
const OPENING_MS = 60_000;

/**
 * Opens the dashboard; a machine without a browser has the address in what was printed. Every user of a machine sees the
 * arguments of all programs, so the browser gets the name of a file that only this user can read, and that leads to the link.
 * Returns a function that removes the file.
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

function namedOf(given: ParsedArgs): Map<string, readonly string[]> {
  return new Map(['db', 'project'].map((name) => [name, given.options(name)]));
}

function portOf(given: ParsedArgs): number {
  const text = given.option('port') ?? String(PORT);
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536 && text.trim() !== '') return port;
  throw new EngineError('USAGE', `--port must be a whole number from 0 to 65535, not "${text}"`);
}
