// Opens the forge of a project, as its settings configure it.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Forge } from '../../forge/forge.ts';
import type { GitHubForge, GitHubForgeOptions } from '../../forge/github/github-forge.ts';
import type { GitHubAuth } from '../../forge/github/login.ts';
import type { LocalForge } from '../../forge/local/local-forge.ts';
import { Secrets } from '../../steps/secrets.ts';
import { usageError } from '../command.ts';
import { roleFilesOf } from '../project.ts';
import type { Setup } from '../session.ts';
import type { GitHubSettings, LocalForgeSettings } from '../settings/forge.ts';
import type { Shell } from '../shell.ts';

/** Opens the configured forge, if there is one. The project's settings must be trusted. */
export async function openForge(shell: Shell, setup: Setup): Promise<Forge | undefined> {
  const { forge } = setup.settings;
  if (forge === undefined) return undefined;
  await assertSettingsTrusted(shell, setup);
  return forge.kind === 'github' ? await openGitHub(setup, forge) : await openLocal(setup, forge);
}

/** Opens the local forge for a command that acts as a person there. */
export async function requireLocalForge(shell: Shell, setup: Setup, actor: string): Promise<LocalForge> {
  const { forge } = setup.settings;
  if (forge === undefined) throw new EngineError('CONFIG_INVALID', `no forge is configured for ${setup.project.root}; ${FORGE_HINT}`);
  if (forge.kind !== 'local') {
    const message = `"pawl forge" acts on a local forge, and this project is at GitHub (${forge.repository}); use the website or "gh"`;
    throw usageError(message);
  }
  await assertSettingsTrusted(shell, setup);
  return await openLocal(setup, forge, actor);
}

async function openLocal(setup: Setup, forge: LocalForgeSettings, actor?: string): Promise<LocalForge> {
  const { openLocalForge } = await import('../../forge/local/local-forge.ts');
  const state = forge.state ?? join(dirname(setup.file), 'forge.db');
  mkdirSync(dirname(state), { recursive: true, mode: 0o700 });
  return await openLocalForge({
    repository: forge.repository ?? setup.project.root,
    state,
    ...omitUndefined({ actor, defaultBranch: setup.settings.project?.default_branch }),
  });
}

/** Opens the forge of a repository at GitHub. */
export async function openGitHub(setup: Setup, forge: GitHubSettings, more: Partial<GitHubForgeOptions> = {}): Promise<GitHubForge> {
  const { openGitHubForge } = await import('../../forge/github/github-forge.ts');
  return await openGitHubForge({
    repository: forge.repository,
    auth: more.auth ?? (await authOf(setup, forge)),
    ledger: forge.state ?? join(dirname(setup.file), 'github.db'),
    ...omitUndefined({ baseUrl: forge.base_url, pollMs: forge.poll === undefined ? undefined : parseDuration(forge.poll, 'forge.poll') }),
    ...more,
  });
}

async function authOf({ settings }: Setup, { auth = 'gh', base_url }: GitHubSettings): Promise<GitHubAuth> {
  if (auth === 'gh') return { kind: 'gh' };
  const known = settings.secrets ?? {};
  const secrets = new Secrets(known);
  const read = async (name: string): Promise<string> => {
    const hosts = Object.hasOwn(known, name) ? known[name]?.hosts : undefined;
    const host = base_url === undefined ? 'github.com' : new URL(base_url).host;
    const names = host === 'github.com' ? ['github.com', 'api.github.com'] : [host];
    if (hosts !== undefined && !hosts.some((one) => names.includes(one)))
      throw new EngineError('CONFIG_INVALID', `the secret "${name}" may not be sent to ${host}; add it to "hosts" of the secret`);
    if (!Object.hasOwn(known, name))
      throw new EngineError('CONFIG_INVALID', `"forge.auth" names the secret "${name}", which is not set; add it under "secrets"`);
    return await secrets.value(name);
  };
  if ('token' in auth) return { kind: 'token', token: (await read(auth.token)).trim() };
  const { app, private_key, installation } = auth;
  return { kind: 'app', appId: String(app), privateKey: await read(private_key), ...omitUndefined({ installationId: installation }) };
}

/** The hint for a project without a forge. */
export const FORGE_HINT = 'add "forge: { kind: local }" to .pawl/config.yaml, then run "pawl trust .pawl/config.yaml"';

/** Throws if settings or roles of the project set programs or a forge and are not trusted. */
export async function assertSettingsTrusted(shell: Shell, { project, settings }: Setup): Promise<void> {
  const roles = roleFilesOf(project).map((file) => ({ file, digest: undefined }));
  for (const { file, digest } of [...(settings.toTrust ?? []), ...roles]) {
    const { assertTrusted, SETTINGS_USE } = await import('../trust/trust.ts');
    const checked = await assertTrusted(shell, project, { file, use: SETTINGS_USE });
    // The settings were read before this check, so their text must be the trusted one.
    if (digest !== undefined && checked.files.get(checked.file) !== digest)
      throw new EngineError('NOT_TRUSTED', `${file} changed while the command was running; run the command again`);
  }
}
