// Owns the settings of a forge: its kind, and the settings that each kind needs.

import { EngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { OriginSetting } from './settings.ts';

/** The login at GitHub; texts are names of secrets. */
type ForgeAuth =
  | 'gh'
  | { readonly token: string }
  | { readonly app: number | string; readonly private_key: string; readonly installation?: number };

/** What Pawl shows at the forge, and whether people can decide there. All but self-approval is on by default. */
export interface ForgeSurface {
  /** One comment per run. */
  readonly comments?: boolean;
  /** One check per gate. */
  readonly checks?: boolean;
  /** Commands in comments; or the groups whose commands are accepted. */
  readonly commands?: boolean | readonly string[];
  /** Whether the author of a pull request may approve it with a command. */
  readonly self_approval?: boolean;
}

/** The settings of a forge; paths are absolute. */
export type ForgeSettings = LocalForgeSettings | GitHubSettings;

/** The settings of the local forge. */
export interface LocalForgeSettings extends ForgeSurface {
  readonly kind: 'local';
  readonly repository?: string;
  readonly state?: string;
}

/** The settings of a repository at GitHub. */
export interface GitHubSettings extends ForgeSurface {
  readonly kind: 'github';
  /** `owner/name`. */
  readonly repository: string;
  readonly auth?: ForgeAuth;
  readonly base_url?: string;
  readonly poll?: string;
  /** The name of the secret that webhooks are signed with. */
  readonly webhook_secret?: string;
  /** Forks, by owner or as `owner/name`, whose pull requests start workflows without a person. */
  readonly forks?: readonly string[];
  /** The file that records the actions at GitHub. */
  readonly state?: string;
}

/** The configured forge. Throws if settings are missing, or belong to another kind. */
export function forgeOf(inForce: readonly OriginSetting[], forge: Record<string, Json> | undefined): Record<string, Json> | undefined {
  if (forge === undefined) return undefined;
  const reject = (key: string, message: string): never => {
    const { file, position } = (inForce.find((one) => one.key === key) ??
      inForce.find((one) => one.key.startsWith('forge.'))) as OriginSetting;
    throw new EngineError('CONFIG_INVALID', message, { position: { file, ...position } });
  };
  if (forge.kind === undefined) return reject('forge', '"forge.kind" is missing; add "kind: local"');
  const misplaced =
    forge.kind === 'local' ? ['auth', 'base_url', 'poll', 'webhook_secret', 'forks'].find((name) => forge[name] !== undefined) : undefined;
  if (misplaced !== undefined)
    return reject(`forge.${misplaced}`, `"forge.${misplaced}" belongs to "kind: github"; a local forge has neither a login nor an address`);
  if (forge.kind !== 'github') return forge;
  if (forge.repository === undefined)
    return reject(
      'forge.kind',
      '"forge.repository" is missing; add the name of the repository at GitHub, such as "repository: octo/project"',
    );
  if (!/^[A-Za-z0-9][A-Za-z0-9-]*\/[\w.-]+$/.test(String(forge.repository)))
    return reject(
      'forge.repository',
      `"forge.repository" must be owner/name at GitHub, such as octo/project, not "${String(forge.repository)}"`,
    );
  return forge;
}
