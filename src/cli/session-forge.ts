// Owns the forge of a project, as its settings describe it, for as long as a command needs it.

import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EngineError } from '../base/error.ts';
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
  const roles = roleFilesOf(project).map((file) => ({ file, digest: undefined }));
  for (const { file, digest } of [...(settings.powerful ?? []), ...roles]) {
    const { assertTrusted, SETTINGS_USE } = await import('./trust.ts');
    const checked = await assertTrusted(shell, project, { file, use: SETTINGS_USE });
    // What is in force was read before: it has to be the text that is trusted.
    if (checked !== undefined && digest !== undefined && checked.parts.get(basename(checked.file)) !== digest)
      throw new EngineError('NOT_TRUSTED', `${file} changed after it was read; start again`);
  }
}
