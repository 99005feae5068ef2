// Owns which projects a command is about. It is given in one project, or for one with --project, and can reach into others:
// by the files it names, by the folder it trusts, and by the database it works with. What takes a signature in any of
// them takes one from everywhere, or going to another folder would be a way around it.

import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isEngineError } from '../base/error.ts';
import { findProject, type Project, projectState, projectsAround } from './project.ts';
import { databaseOf } from './session.ts';
import { readSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { knownSignedProjects } from './trust/signed-projects.ts';

/** The words of commands that can name a file. */
const FILES = ['FILE', 'WORKFLOW'];

/** The projects that a command is about, its own first. */
export async function projectsConcerned(shell: Shell): Promise<readonly Project[]> {
  const own = findProject(shell, shell.given);
  const named = FILES.flatMap((word) => shell.given.allWords(word))
    .map((word) => resolve(shell.cwd, word))
    .filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)
    .flatMap(projectsAround);
  const database = await unlessRefused(() => databaseOf(shell, shell.given));
  const known = knownSignedProjects(shell).flatMap((root) => projectsAround(root).filter((project) => project.root === root));
  const reached: Project[] = [];
  for (const project of known) if (isBelow(own.root, project.root) || (await isDatabaseOf(shell, project, database))) reached.push(project);
  return [own, ...named, ...reached];
}

/** Whether a folder that may be trusted as a whole has the project in it. */
function isBelow(folder: string, root: string): boolean {
  return root.startsWith(`${realOf(folder)}/`);
}

async function isDatabaseOf(shell: Shell, project: Project, database: string | undefined): Promise<boolean> {
  if (database === undefined) return false;
  const settings = await unlessRefused(() => readSettings(shell, project));
  const files = [
    join(projectState(shell, project), 'runs.db'),
    ...(settings?.db === undefined ? [] : [resolve(project.root, settings.db)]),
  ];
  return files.some((file) => realOf(file) === realOf(database));
}

/** Nothing, where settings are not trusted or cannot be read: the command itself says so. */
async function unlessRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isEngineError(error)) return undefined;
    throw error;
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
