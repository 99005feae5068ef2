// Owns opening the forge that the settings of a project configure.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import type { LocalForge } from '../../forge/local/local-forge.ts';
import { roleFilesOf } from '../project.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Opens the configured forge, if there is one, acting as `actor` (default: "pawl"). The project's settings must be trusted. */
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
    ...present({ actor, defaultBranch: project?.default_branch }),
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

/** Throws if settings or roles of the project set programs or a forge and are not trusted. */
export async function assertSettingsTrusted(shell: Shell, { project, settings }: Place): Promise<void> {
  const roles = roleFilesOf(project).map((file) => ({ file, digest: undefined }));
  for (const { file, digest } of [...(settings.powerful ?? []), ...roles]) {
    const { assertTrusted, SETTINGS_USE } = await import('../trust/trust.ts');
    const checked = await assertTrusted(shell, project, { file, use: SETTINGS_USE });
    // The settings were read before this check, so their text must be the trusted one.
    if (digest !== undefined && checked.files.get(checked.file) !== digest)
      throw new EngineError('NOT_TRUSTED', `${file} changed while the command was running; run the command again`);
  }
}
