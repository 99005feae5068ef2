// Owns the settings of a project and its user, and where each came from: flag, environment, local, project, user.

import type { Limits } from '../engine/limits.ts';
import type { Project } from './project.ts';
import type { Shell } from './shell.ts';

/** What can be set. */
export interface Settings {
  /** The database of runs. */
  readonly db?: string;
  readonly limits?: Limits;
}

/** The settings that hold for a project. */
export async function readSettings(_shell: Shell, _project: Project): Promise<Settings> {
  return {};
}
