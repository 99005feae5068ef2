// Owns the settings of a forge: its kind, and the settings that each kind needs.

import { EngineError } from '../../base/error.ts';
import type { WrittenSettings } from './known-settings.ts';
import type { OriginSetting } from './settings.ts';

type WrittenForge = NonNullable<WrittenSettings['forge']>;

/** What Pawl shows at the forge, and whether people can decide there. All but self-approval is on by default. */
export type ForgeSurface = Pick<WrittenForge, 'comments' | 'checks' | 'commands' | 'self_approval'>;

/** The settings of a forge; paths are absolute. */
export type ForgeSettings = LocalForgeSettings | GitHubSettings;

/** The settings of the local forge. */
export type LocalForgeSettings = ForgeSurface & Pick<WrittenForge, 'repository' | 'state'> & { readonly kind: 'local' };

/** The settings of a repository at GitHub, `owner/name`. */
export type GitHubSettings = Omit<WrittenForge, 'kind' | 'repository'> & { readonly kind: 'github'; readonly repository: string };

/** The configured forge. Throws if settings are missing, or belong to another kind. */
export function forgeOf(inForce: readonly OriginSetting[], forge: WrittenForge): ForgeSettings {
  const { kind, repository } = forge;
  const reject = (key: string, message: string): never => {
    const { file, position } = (inForce.find((one) => one.key === key) ??
      inForce.find((one) => one.key.startsWith('forge.'))) as OriginSetting;
    throw new EngineError('CONFIG_INVALID', message, { position: { file, ...position } });
  };
  if (kind === undefined) return reject('forge', '"forge.kind" is missing; add "kind: local"');
  const onlyAtGitHub = ['auth', 'base_url', 'poll', 'webhook_secret', 'forks'] as const;
  const misplaced = kind === 'local' ? onlyAtGitHub.find((name) => forge[name] !== undefined) : undefined;
  if (misplaced !== undefined)
    return reject(`forge.${misplaced}`, `"forge.${misplaced}" belongs to "kind: github"; a local forge has neither a login nor an address`);
  if (kind === 'local') return { ...forge, kind };
  if (repository === undefined)
    return reject(
      'forge.kind',
      '"forge.repository" is missing; add the name of the repository at GitHub, such as "repository: octo/project"',
    );
  if (!/^[A-Za-z0-9][A-Za-z0-9-]*\/[\w.-]+$/.test(repository))
    return reject('forge.repository', `"forge.repository" must be owner/name at GitHub, such as octo/project, not "${repository}"`);
  return { ...forge, kind, repository };
}
