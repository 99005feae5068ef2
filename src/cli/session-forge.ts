// Owns the forge of a project, as its settings describe it, for as long as a command needs it.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Forge } from '../forge/forge.ts';
import { roleFilesOf } from './role-files.ts';
import type { Place } from './session.ts';
import type { Shell } from './shell.ts';

/** Opens the forge that the settings name, if they name one. What a project brought of them must be trusted first. */
export async function openForge(shell: Shell, place: Place): Promise<Forge | undefined> {
  const { forge, project } = place.settings;
  if (forge === undefined) return undefined;
  await assertSettingsTrusted(shell, place);
  const { openLocalForge } = await import('../forge/local-forge.ts');
  const state = forge.state ?? join(dirname(place.file), 'forge.db');
  mkdirSync(dirname(state), { recursive: true, mode: 0o700 });
  return openLocalForge({
    repository: forge.repository ?? place.project.root,
    state,
    ...(project?.default_branch === undefined ? {} : { defaultBranch: project.default_branch }),
  });
}

/** Refuses settings and roles that name programs or a forge, came with the project and are not trusted as they are. */
export async function assertSettingsTrusted(shell: Shell, { project, settings }: Place): Promise<void> {
  for (const file of [...(settings.powerful ?? []), ...roleFilesOf(project)]) {
    const { assertTrusted, SETTINGS_USE } = await import('./trust.ts');
    await assertTrusted(shell, project, { file, use: SETTINGS_USE });
  }
}
