// Owns which projects a command affects: the current one (or --project), and others through the files it names, the folder
// it trusts, and its database. If any of them requires signatures, the command does too; otherwise changing to another
// folder would bypass the requirement.

import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isEngineError } from '../base/error.ts';
import { findProject, type Project, projectState, projectsAround, realPath } from './project.ts';
import { databaseOf } from './session.ts';
import { readSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { knownSignedProjects } from './trust/signed-projects.ts';

/** The arguments that can name a file. */
const FILES = ['FILE', 'WORKFLOW'];

/** The projects that a command affects, its own first. */
export async function affectedProjects(shell: Shell): Promise<readonly Project[]> {
  const own = findProject(shell, shell.given);
  const named = FILES.flatMap((word) => shell.given.allWords(word))
    .map((word) => resolve(shell.cwd, word))
    .filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)
    .flatMap(projectsAround);
  const database = await ifReadable(() => databaseOf(shell, shell.given));
  const known = knownSignedProjects(shell).flatMap((root) => projectsAround(root).filter((project) => project.root === root));
  const reached: Project[] = [];
  for (const project of known) if (isBelow(own.root, project.root) || (await isDatabaseOf(shell, project, database))) reached.push(project);
  return [own, ...named, ...reached];
}

/** Whether a folder contains the project. */
function isBelow(folder: string, root: string): boolean {
  return root.startsWith(`${realOf(folder)}/`);
}

async function isDatabaseOf(shell: Shell, project: Project, database: string | undefined): Promise<boolean> {
  if (database === undefined) return false;
  const settings = await ifReadable(() => readSettings(shell, project));
  const files = [join(projectState(shell, project), 'runs.db'), resolve(project.root, settings?.db ?? '')];
  return files.some((file) => realOf(file) === realOf(database));
}

/** Undefined if the settings are not trusted or cannot be read; the command itself reports that. */
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
