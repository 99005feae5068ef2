// Owns the looks that `pawl doctor` takes at the program and its surroundings. A look says what it saw and what to do;
// none of them throws, so that one that goes wrong does not hide the others. `doctor-store.ts` looks at the database.

import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isEngineError, messageOf } from '../../base/error.ts';
import type { Given } from '../command.ts';
import { sizeText } from '../copies.ts';
import { versionOf } from '../package.ts';
import { findProject, type Project, stateHome } from '../project.ts';
import { findPlace, type Place } from '../session.ts';
import { settingsFiles } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';

/** What one look found. `broken`: the store cannot be read at all. */
export interface Check {
  readonly id: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'broken';
  readonly what: string;
  /** What to do about it; empty when all is well. */
  readonly hint: string;
}

/** A look that found nothing wrong. */
export function fine(id: string, what: string): Check {
  return { id, status: 'ok', what, hint: '' };
}

const DISK_BYTES_MIN = 100_000_000;
const DISK_BYTES_FEW = 1_000_000_000;

const BECAUSE: Readonly<Record<Project['because'], string>> = {
  option: 'named by --project',
  environment: 'named by PAWL_PROJECT',
  home: 'the nearest folder with .pawl or .squadron',
  git: 'the git checkout around this folder',
  folder: 'this folder; there is no .pawl and no git checkout around it',
};

/** Looks at what the program runs with. */
export function checkProgram(shell: Shell): Check[] {
  const { look } = shell;
  const yes = (is: boolean): string => (is ? 'yes' : 'no');
  return [
    fine('pawl', `Pawl ${versionOf()}`),
    fine('node', `Node ${process.version} for ${process.platform} ${process.arch}, ${process.execPath}`),
    checkGit(),
    fine(
      'terminal',
      `terminal: ${yes(look.isTerminal)}, colour: ${yes(look.hasColor)}, UTF-8: ${yes(look.hasUnicode)}, ${look.columns} columns`,
    ),
  ];
}

function checkGit(): Check {
  try {
    return fine('git', execFileSync('git', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim());
  } catch {
    return { id: 'git', status: 'warning', what: 'git cannot be run', hint: 'install git, or put it on the PATH: worktrees need it' };
  }
}

/** Looks at where things are; without settings that can be read, the database is not known. */
export async function checkPlace(shell: Shell, given: Given): Promise<{ readonly checks: Check[]; readonly place: Place | undefined }> {
  const project = findProject(shell, given);
  const home = project.home === undefined ? 'it has no .pawl folder yet' : `its definitions are in ${project.home}`;
  const checks = [fine('project', `${project.root} (${BECAUSE[project.because]}); ${home}`)];
  const files = settingsFiles(shell, project).filter(({ path }) => existsSync(path));
  try {
    const place = await findPlace(shell, given);
    const found = files.length === 0 ? 'no settings files' : `settings from ${files.map(({ path }) => path).join(', ')}`;
    return { checks: [...checks, fine('settings', found), ...checkState(shell)], place };
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { position } = error;
    const where = position?.file === undefined ? '' : `${position.file}:${position.line}:${position.column}: `;
    const hint = 'mend the settings; the database they name was not looked at';
    return { checks: [...checks, { id: 'settings', status: 'problem', what: `${where}${error.message}`, hint }], place: undefined };
  }
}

function checkState(shell: Shell): Check[] {
  const folder = stateHome(shell);
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return [fine('state', `${folder} is the state directory; it does not exist yet`)];
  if (!stat.isDirectory()) {
    const hint = 'move that file away, or name another folder with PAWL_STATE';
    return [{ id: 'state', status: 'problem', what: `${folder} should be the state directory, and is a file`, hint }];
  }
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return [fine('state', `${folder} is the state directory`), ...checkModes([folder, ...files.map(({ name }) => join(folder, name))])];
}

/** Looks at who may read files and folders that are for their user only. */
export function checkModes(paths: readonly string[]): Check[] {
  if (process.platform === 'win32') return [];
  return paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || (stat.mode & 0o077) === 0) return [];
    return [{ id: 'modes', status: 'warning', what: `others on this machine can read ${path}`, hint: `chmod go= ${path}` } as const];
  });
}

/** Looks at whether the folder of the database can be written, and how much room there is. */
export function checkDisk(file: string): Check[] {
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    accessSync(existsSync(file) ? file : folder, constants.W_OK);
    accessSync(folder, constants.W_OK);
  } catch {
    const hint = 'give this user the right to write there, or name another database with --db';
    return [{ id: 'disk', status: 'problem', what: `${folder} or the database in it cannot be written`, hint }];
  }
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const what = `${sizeText(free)} free in ${folder}`;
    if (free >= DISK_BYTES_FEW) return [fine('disk', what)];
    return [{ id: 'disk', status: free < DISK_BYTES_MIN ? 'problem' : 'warning', what, hint: 'free some space, or "pawl prune" old runs' }];
  } catch (error) {
    return [{ id: 'disk', status: 'warning', what: `the free space of ${folder} is not known: ${messageOf(error)}`, hint: '' }];
  }
}
