// Finds the projects that a command affects: the current one (or --project), and those of the files it names, the folder it
// trusts and its database. If any of them requires signatures, so does the command; otherwise running it from another folder
// would bypass the requirement.

import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isEngineError } from '../base/error.ts';
import { isWithin } from '../base/inside-folder.ts';
import { findProject, type Project, projectState, projectsAround, realPath } from './project.ts';
import { databaseOf } from './session.ts';
import { readSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { knownSignedProjects } from './trust/signed-projects.ts';

const FILE_ARGUMENTS = ['FILE', 'WORKFLOW'];

/** The projects that a command affects, the current one first. */
export async function affectedProjects(shell: Shell): Promise<readonly Project[]> {
  const current = findProject(shell, shell.args);
  const named = FILE_ARGUMENTS.flatMap((name) => shell.args.allWords(name))
    .map((path) => resolve(shell.cwd, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)
    .flatMap(projectsAround);
  const database = await ifReadable(() => databaseOf(shell, shell.args));
  const known = knownSignedProjects(shell).flatMap((root) => projectsAround(root).filter((project) => project.root === root));
  const affected: Project[] = [];
  const root = realOf(current.root);
  for (const project of known)
    if ((project.root !== root && isWithin(root, project.root)) || (await isDatabaseOf(shell, project, database))) affected.push(project);
  return [current, ...named, ...affected];
}

async function isDatabaseOf(shell: Shell, project: Project, database: string | undefined): Promise<boolean> {
  if (database === undefined) return false;
  const settings = await ifReadable(() => readSettings(shell, project));
  const files = [join(projectState(shell, project), 'runs.db'), resolve(project.root, settings?.db ?? '')];
  return files.some((file) => realOf(file) === realOf(database));
}

/** Undefined if the settings are not trusted or cannot be read, which the command itself reports. */
async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isEngineError(error)) return undefined;
    throw error;
  }
}

function realOf(path: string): string {
  return realPath(path) ?? path;
}
