// Finds the project of a folder, and the state folder. State is kept outside the project, so that an agent that cleans
// its checkout does not delete the runs.

import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { digestText } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import { readPlainFile } from '../base/plain-file.ts';
import { type ParsedArgs, usageError } from './command.ts';
import type { Shell } from './shell.ts';

/** Folders with a project's workflows; `pawl init` creates the first. */
export const HOMES = ['.pawl', '.squadron'] as const;

/** The project a command works in. */
export interface Project {
  readonly root: string;
  /** How the root was found. */
  readonly because: 'option' | 'environment' | 'home' | 'git' | 'folder';
  /** The `.pawl` (or `.squadron`) folder, if there is one. */
  readonly home: string | undefined;
}

/** The project of the current folder: the nearest parent folder with a `.pawl`, else the git checkout, else the folder itself. */
export function findProject(shell: Shell, args: ParsedArgs): Project {
  const named = args.option('project');
  if (named !== undefined) return projectAt(folderAt(shell, named, '--project'), 'option');
  const set = shell.env.PAWL_PROJECT;
  if (set !== undefined && set !== '') return projectAt(folderAt(shell, set, 'PAWL_PROJECT'), 'environment');
  const home = nearestParent(shell.cwd, (folder) => HOMES.some((name) => isFolder(join(folder, name))));
  if (home !== undefined) return projectAt(home, 'home');
  const git = nearestParent(shell.cwd, (folder) => existsSync(join(folder, '.git')));
  return git === undefined ? projectAt(shell.cwd, 'folder') : projectAt(git, 'git');
}

/** Every project that contains a path, nearest first. */
export function projectsAround(path: string): Project[] {
  const found: Project[] = [];
  for (let folder = realPath(path) ?? path; ; folder = dirname(folder)) {
    if (HOMES.some((name) => isFolder(join(folder, name)))) found.push(projectAt(folder, 'home'));
    if (folder === dirname(folder)) return found;
  }
}

function projectAt(root: string, because: Project['because']): Project {
  return { root, because, home: HOMES.map((name) => join(root, name)).find(isFolder) };
}

function folderAt(shell: Shell, path: string, label: string): string {
  const folder = resolve(shell.cwd, path);
  if (!isFolder(folder)) throw usageError(`${label}: ${folder} is not a folder`);
  return folder;
}

/** Whether a path is a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The nearest folder, from one upwards, that matches. */
export function nearestParent(from: string, matches: (folder: string) => boolean): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (matches(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The state folder of this user: trust, tokens, and the databases of all projects. */
export function stateHome(shell: Shell): string {
  const { PAWL_STATE, XDG_STATE_HOME, LOCALAPPDATA, HOME } = shell.env;
  if (PAWL_STATE !== undefined && PAWL_STATE !== '') return resolve(shell.cwd, PAWL_STATE);
  if (XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, 'pawl');
  if (process.platform === 'win32' && LOCALAPPDATA !== undefined) return join(LOCALAPPDATA, 'pawl');
  const home = HOME !== undefined && HOME !== '' ? HOME : accountHome();
  if (home === undefined)
    throw new EngineError(
      'STORE_UNAVAILABLE',
      'HOME is not set, so there is no state folder; set HOME or PAWL_STATE, or choose a database with --db',
    );
  return join(home, '.local', 'state', 'pawl');
}

/** The home folder of the account; undefined for a user id that has no account, as in some containers. */
export function accountHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/** The state folder of one project, keyed by its git directory, so that all its worktrees share it. */
export function projectState(shell: Shell, project: Project): string {
  const key = digestText(realPath(gitDirectory(project.root)) ?? realPath(project.root) ?? project.root).slice(0, 12);
  return join(stateHome(shell), `${basename(project.root).replace(/[^\w.-]/g, '_')}-${key}`);
}

/** A path without links; undefined if it does not exist or is not accessible. */
export function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The git directory that all worktrees of a checkout share. */
function gitDirectory(root: string): string | undefined {
  const top = nearestParent(root, (folder) => existsSync(join(folder, '.git')));
  if (top === undefined) return undefined;
  const dotGit = join(top, '.git');
  const facts = statSync(dotGit);
  if (facts.isDirectory()) return dotGit;
  // Opening a named pipe would block forever.
  if (!facts.isFile()) return undefined;
  const [, named] = /^gitdir: (.+)$/m.exec(readPlainFile(dotGit).toString('utf8')) ?? [];
  if (named === undefined) return undefined;
  const own = resolve(top, named.trim());
  const shared = join(own, 'commondir');
  return existsSync(shared) ? resolve(own, readPlainFile(shared).toString('utf8').trim()) : own;
}

/** The role files of a project, sorted by name. */
export function roleFilesOf({ root }: Pick<Project, 'root'>): string[] {
  const folders = HOMES.map((home) => join(root, home, 'agents'));
  return folders.flatMap((folder) => namesIn(folder).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : [])));
}

/** The sorted names in a folder; none if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
