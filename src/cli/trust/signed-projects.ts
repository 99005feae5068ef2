// Owns the record of the projects that require signatures. The setting is in the project, where an agent could remove it, or in
// the user's settings, which an environment variable can hide. So when a right is checked or a run starts under the setting,
// the requirement is recorded in the state folder, and holds until its owner removes it there.
//
// Losing the list must not lift the requirement: a list that is missing while its checksum exists is an error, and a file
// next to the project's database records the requirement a second time.

import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { changeStateFile, readStateFile } from '../../authority/state-file.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { type Project, projectState, stateHome } from '../project.ts';
import type { Settings } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';

const FILE = 'signed-projects.json';
const WHAT = 'the list of projects that require signatures';
const ALL = '*';
const MARK_WHAT = 'that this project requires signatures';
const MARK_TEXT = 'The decisions of this project must be signed. To lift that, see docs/guides/identity.md.\n';

/** Records that the settings of a project, or of the user, require signatures. */
export function rememberSigned(shell: Shell, project: Project, { decisions, signs }: Pick<Settings, 'decisions' | 'signs'>): void {
  if (decisions === undefined) return;
  const file = join(stateHome(shell), FILE);
  const entry = signs === 'everywhere' ? ALL : realpathSync(project.root);
  const mark = markOf(shell, project);
  if (!existsSync(mark)) changeStateFile({ file: mark, what: MARK_WHAT, hasSum: false }, () => ({ text: MARK_TEXT, result: undefined }));
  if (readProjects(file).includes(entry)) return;
  changeStateFile({ file, what: WHAT, limits: true }, () => ({
    text: `${JSON.stringify({ version: 1, projects: [...readProjects(file), entry] }, null, 2)}\n`,
    result: undefined,
  }));
}

/** Whether a project is recorded as requiring signatures. */
export function isKnownSigned(shell: Shell, project: Project): boolean {
  const known = readProjects(join(stateHome(shell), FILE));
  return known.includes(ALL) || known.includes(realpathSync(project.root)) || existsSync(markOf(shell, project));
}

/** The second record of the requirement, next to the project's database. */
function markOf(shell: Shell, project: Project): string {
  return join(projectState(shell, project), 'signed');
}

/** The projects recorded as requiring signatures. */
export function knownSignedProjects(shell: Shell): readonly string[] {
  return readProjects(join(stateHome(shell), FILE)).filter((project) => project !== ALL);
}

function readProjects(file: string): readonly string[] {
  const text = readStateFile({ file, what: WHAT, limits: true });
  if (text === undefined) return [];
  try {
    const { projects } = JSON.parse(text) as { readonly projects?: unknown };
    if (Array.isArray(projects)) return projects.map(String);
  } catch (error) {
    throw new EngineError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(error)}; fix or remove it`, { cause: error });
  }
  throw new EngineError('CONFIG_INVALID', `${file} is not a list of projects; fix or remove it`);
}
