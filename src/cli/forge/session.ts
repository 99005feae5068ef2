// Owns the forge of a project, as its settings describe it, for as long as a command needs it.

import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EngineError } from '../../base/error.ts';
import type { LocalForge } from '../../forge/local/local-forge.ts';
import { roleFilesOf } from '../project.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/**
 * Opens the forge that the settings name, if they name one; `actor` is whom it acts for, "pawl" unless said otherwise.
 * What a project brought of the settings must be trusted first.
 */
export async function openForge(shell: Shell, place: Place, actor?: string): Promise<LocalForge | undefined> {
  const { forge, project } = place.settings;
  if (forge === undefined) return undefined;
  await assertSettingsTrusted(shell, place);
  const { openLocalForge } = await import('../../forge/local/local-forge.ts');
  const state = forge.state ?? join(dirname(place.file), 'forge.db');
  mkdirSync(dirname(state), { recursive: true, mode: 0o700 });
  return openLocalForge({
    repository: forge.repository ?? place.project.root,
    state,
    ...(actor === undefined ? {} : { actor }),
    ...(project?.default_branch === undefined ? {} : { defaultBranch: project.default_branch }),
  });
}

/** Opens the forge for a command that needs one. */
export async function requireForge(shell: Shell, place: Place, actor: string): Promise<LocalForge> {
  const forge = await openForge(shell, place, actor);
  if (forge !== undefined) return forge;
  throw new EngineError('CONFIG_INVALID', `no forge is configured for ${place.project.root}; ${FORGE_HINT}`);
}

/** How a project gets a forge. */
export const FORGE_HINT = 'add "forge: { kind: local }" to .pawl/config.yaml, then run "pawl trust .pawl/config.yaml"';

/** Refuses settings and roles that name programs or a forge, came with the project and are not trusted as they are. */
export async function assertSettingsTrusted(shell: Shell, { project, settings }: Place): Promise<void> {
  const roles = roleFilesOf(project).map((file) => ({ file, digest: undefined }));
  for (const { file, digest } of [...(settings.powerful ?? []), ...roles]) {
    const { assertTrusted, SETTINGS_USE } = await import('../trust/trust.ts');
    const checked = await assertTrusted(shell, project, { file, use: SETTINGS_USE });
    // What is in force was read before: it has to be the text that is trusted.
    if (checked !== undefined && digest !== undefined && checked.parts.get(basename(checked.file)) !== digest)
      throw new EngineError('NOT_TRUSTED', `${file} changed after it was read; start again`);
  }
}
