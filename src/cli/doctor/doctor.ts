// Owns the checks of `pawl doctor` on the program and its environment, and the form of a check. None throws, so that a
// failure does not hide the others.

import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isEngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { networkSupport } from '../../process/network.ts';
import { secretProblem } from '../../steps/secrets.ts';
import type { ParsedArgs } from '../command.ts';
import { sizeText } from '../copies.ts';
import { versionOf } from '../package.ts';
import { findProject, type Project, stateHome } from '../project.ts';
import { findSetup, type Setup } from '../session.ts';
import { settingsFiles } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';

/** The result of one check. `broken`: the database cannot be read at all. */
export interface Check {
  readonly id: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'broken';
  readonly what: string;
  /** What to do about it, if anything. */
  readonly hint?: string;
  /** The folder of the checked project, if it is one of `serve.projects`. */
  readonly project?: string;
}

/** A check that found no problem. */
export function okCheck(id: string, what: string): Check {
  return { id, status: 'ok', what };
}

/** A check whose result needs attention, but does not stop anything. */
export function warning(id: string, what: string, hint?: string): Check {
  return { id, status: 'warning', what, ...omitUndefined({ hint }) };
}

/** A check that found something to fix. */
export function problem(id: string, what: string, hint?: string): Check {
  return { id, status: 'problem', what, ...omitUndefined({ hint }) };
}

/** The problem that an error in a user's file is, with its position; any other error is thrown. */
export function fileProblem(id: string, error: unknown, hint: string): Check {
  if (!isEngineError(error)) throw error;
  const { position } = error;
  const where = position?.file === undefined ? '' : `${position.file}:${position.line}:${position.column}: `;
  return problem(id, `${where}${error.message}`, hint);
}

const DISK_BYTES_MIN = 100_000_000;
const DISK_BYTES_LOW = 1_000_000_000;

const ORIGIN_TEXTS: Readonly<Record<Project['because'], string>> = {
  option: 'from --project',
  environment: 'from PAWL_PROJECT',
  home: 'the nearest folder with .pawl or .squadron',
  git: 'the git checkout of the current folder',
  folder: 'the current folder; it has no .pawl and is not in a git checkout',
};

/** Checks the program itself. */
export function checkProgram(shell: Shell): Check[] {
  const { display } = shell;
  const yes = (is: boolean): string => (is ? 'yes' : 'no');
  return [
    okCheck('pawl', `Pawl ${versionOf()}`),
    okCheck('node', `Node ${process.version} for ${process.platform} ${process.arch}, ${process.execPath}`),
    checkGit(),
    checkNetwork(),
    okCheck(
      'terminal',
      `terminal: ${yes(display.isTerminal)}, colour: ${yes(display.hasColor)}, UTF-8: ${yes(display.hasUnicode)}, ${display.columns} columns`,
    ),
  ];
}

function checkGit(): Check {
  try {
    return okCheck('git', execFileSync('git', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim());
  } catch {
    return warning('git', 'git cannot be run', 'install git, or add it to the PATH; worktrees need it');
  }
}

function checkNetwork(): Check {
  const support = networkSupport();
  const how = support.by === 'nothing' ? `not enforced here: ${support.why}` : `enforced by ${support.by}`;
  return okCheck('network', `network permissions are ${how}`);
}

/** Checks the project, its settings and the state folder. Without valid settings it is not known where the database is. */
export async function checkSetup(shell: Shell, args: ParsedArgs): Promise<{ readonly checks: Check[]; readonly setup: Setup | undefined }> {
  const project = findProject(shell, args);
  const home = project.home === undefined ? 'it has no .pawl folder yet' : `its definitions are in ${project.home}`;
  const checks = [okCheck('project', `${project.root} (${ORIGIN_TEXTS[project.because]}); ${home}`)];
  const files = settingsFiles(shell, project).filter(({ path }) => existsSync(path));
  try {
    const setup = await findSetup(shell, args);
    const found = files.length === 0 ? 'no settings files' : `settings from ${files.map(({ path }) => path).join(', ')}`;
    return { checks: [...checks, okCheck('settings', found), ...checkState(shell)], setup };
  } catch (error) {
    return { checks: [...checks, fileProblem('settings', error, 'fix the settings; the database was not checked')], setup: undefined };
  }
}

/** Checks that the secrets of the settings can be read. Runs no program. */
export function checkSecrets({ settings: { secrets = {} } }: Setup): Check[] {
  return Object.entries(secrets).map(([name, source]) => {
    const fault = secretProblem(source);
    if (fault !== undefined) return warning('secret', `secret ${name}: ${fault}`, 'webhooks that need it fail until this is fixed');
    const from = 'env' in source ? `the variable ${source.env}` : 'file' in source ? source.file : `the command "${source.command[0]}"`;
    return okCheck('secret', `secret ${name}: from ${from}`);
  });
}

function checkState(shell: Shell): Check[] {
  const folder = stateHome(shell);
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return [okCheck('state', `${folder} is the state directory; it does not exist yet`)];
  const hint = 'move the file away, or choose another folder with PAWL_STATE';
  if (!stat.isDirectory()) return [problem('state', `${folder} should be the state directory, but is a file`, hint)];
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return [okCheck('state', `${folder} is the state directory`), ...checkModes([folder, ...files.map(({ name }) => join(folder, name))])];
}

/** Checks that files and folders are readable by their owner only. */
export function checkModes(paths: readonly string[]): Check[] {
  if (process.platform === 'win32') return [];
  return paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || (stat.mode & 0o077) === 0) return [];
    return [warning('modes', `others on this machine can read ${path}`, `chmod go= ${path}`)];
  });
}

/** Checks that the database can be written, and how much disk space is left. */
export function checkDisk(file: string): Check[] {
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    accessSync(existsSync(file) ? file : folder, constants.W_OK);
    accessSync(folder, constants.W_OK);
  } catch {
    const hint = 'make it writable for this user, or choose another database with --db';
    return [problem('disk', `${folder} or the database in it cannot be written`, hint)];
  }
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const what = `${sizeText(free)} free in ${folder}`;
    if (free >= DISK_BYTES_LOW) return [okCheck('disk', what)];
    return [(free < DISK_BYTES_MIN ? problem : warning)('disk', what, 'free some disk space, or delete old runs with "pawl prune"')];
  } catch (error) {
    return [warning('disk', `the free disk space of ${folder} is unknown: ${messageOf(error)}`)];
  }
}
