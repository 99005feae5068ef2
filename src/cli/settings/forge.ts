// Owns the settings of a forge: which kind it is, and what each kind needs.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { OriginSetting } from './settings.ts';

/** How to log in at GitHub. Names are those of secrets. */
type ForgeAuth =
  | 'gh'
  | { readonly token: string }
  | { readonly app: number | string; readonly private_key: string; readonly installation?: number };

/** What people see at the forge, and whether they can decide there; everything but self-approval is on by default. */
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

const AUTH = 'gh, { token: SECRET } or { app: ID, private_key: SECRET }, where SECRET is the name of one under "secrets"';

/** Returns what a switch must be, if it is something else. */
export function switchFault(value: Json): string | undefined {
  return typeof value === 'boolean' ? undefined : 'true or false';
}

/** Returns what `forge.commands` must be, if it is something else. */
export function commandsFault(value: Json): string | undefined {
  const isGroups = Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '');
  return typeof value === 'boolean' || isGroups ? undefined : 'true, false, or a list of groups, such as [maintainers]';
}

/** Returns what `forge.forks` must be, if it is something else. */
export function forksFault(value: Json): string | undefined {
  const isFork = (one: Json): boolean => typeof one === 'string' && /^[A-Za-z0-9][A-Za-z0-9-]*(?:\/[\w.-]+)?$/.test(one);
  return Array.isArray(value) && value.length > 0 && value.every(isFork)
    ? undefined
    : 'a list of owners or repositories at GitHub, such as [carol, acme/project]';
}

/** Returns what `forge.auth` must be, if it is something else. */
export function authFault(value: Json): string | undefined {
  if (value === 'gh') return undefined;
  if (!isJsonObject(value)) return AUTH;
  const { token, app, private_key, installation, ...rest } = value;
  const isName = (name: Json | undefined): boolean => typeof name === 'string' && name !== '';
  const isNumber = (number: Json | undefined): boolean => Number.isSafeInteger(number) && (number as number) > 0;
  const isToken = isName(token) && app === undefined && private_key === undefined && installation === undefined;
  const isApp = token === undefined && (isNumber(app) || isName(app)) && isName(private_key);
  const fits = isToken || (isApp && (installation === undefined || isNumber(installation)));
  return fits && Object.keys(rest).length === 0 ? undefined : AUTH;
}

/** The forge that the settings configure. Refuses one that is not complete, or has settings of another kind. */
export function forgeOf(inForce: readonly OriginSetting[], forge: Record<string, Json> | undefined): Record<string, Json> | undefined {
  if (forge === undefined) return undefined;
  const refuse = (key: string, message: string): never => {
    const { file, position } = (inForce.find((one) => one.key === key) ??
      inForce.find((one) => one.key.startsWith('forge.'))) as OriginSetting;
    throw new EngineError('CONFIG_INVALID', message, { position: { file, ...position } });
  };
  if (forge.kind === undefined) return refuse('forge', '"forge.kind" is missing; add "kind: local"');
  const foreign =
    forge.kind === 'local' ? ['auth', 'base_url', 'poll', 'webhook_secret', 'forks'].find((name) => forge[name] !== undefined) : undefined;
  if (foreign !== undefined)
    return refuse(`forge.${foreign}`, `"forge.${foreign}" belongs to "kind: github"; a local forge has neither a login nor an address`);
  if (forge.kind !== 'github') return forge;
  if (forge.repository === undefined)
    return refuse(
      'forge.kind',
      '"forge.repository" is missing; add the name of the repository at GitHub, such as "repository: octo/project"',
    );
  if (!/^[A-Za-z0-9][A-Za-z0-9-]*\/[\w.-]+$/.test(String(forge.repository)))
    return refuse(
      'forge.repository',
      `"forge.repository" must be owner/name at GitHub, such as octo/project, not "${String(forge.repository)}"`,
    );
  return forge;
}
