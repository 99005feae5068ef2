// Owns the checks of `pawl doctor` on a forge at GitHub: that it can be reached, who the login is, what it may do, and
// what to click if something is missing.

import { messageOf } from '../../base/error.ts';
import type { ForgeFailure } from '../../forge/forge.ts';
import type { GitHubForge } from '../../forge/github/github-forge.ts';
import { assertSettingsTrusted, openGitHub } from '../forge/session.ts';
import { closing, type Place } from '../session.ts';
import type { ForgeSettings } from '../settings/forge.ts';
import type { Shell } from '../shell.ts';
import { type Check, okCheck } from './doctor.ts';
import { checkForgeSettings } from './forge-settings.ts';

type GitHubSettings = Extract<ForgeSettings, { kind: 'github' }>;

const TOKEN_PERMISSIONS =
  'Contents, Issues, Pull requests and Commit statuses: read and write; Actions and Checks: read; for teams, Members of the organization: read';

/** Checks the forge at GitHub, if the project has one. Webhooks may also come to the address of a server that passes them on. */
export async function checkForge(shell: Shell, place: Place, address?: string): Promise<Check[]> {
  const { forge } = place.settings;
  if (forge?.kind !== 'github') return [];
  try {
    await assertSettingsTrusted(shell, place);
  } catch {
    const hint = 'run "pawl trust .pawl/config.yaml", then this again';
    return [{ id: 'forge', status: 'warning', what: `${forge.repository} at GitHub was not checked: the settings are not trusted`, hint }];
  }
  try {
    return await closing(await openGitHub(place, forge), (opened) => checkGitHub(opened, forge, { place, address }));
  } catch (error) {
    return [problem(forge, messageOf(error), loginHint(forge))];
  }
}

interface ServedPlace {
  readonly place: Place;
  readonly address: string | undefined;
}

async function checkGitHub(opened: GitHubForge, forge: GitHubSettings, served: ServedPlace): Promise<Check[]> {
  const repository = await opened.repository();
  if (repository.result !== 'ok') return [problem(forge, repository.message, failureHint(forge, repository))];
  const who = await opened.whoami();
  if (who.result !== 'ok') return [problem(forge, who.message, failureHint(forge, who))];
  const { login, permission, checks } = who.value;
  const shown = checks === 'check_runs' ? 'check runs' : 'commit statuses';
  const found = `${repository.value.name} at GitHub: as ${login}, permission ${permission}; checks are shown as ${shown}`;
  if (permission === 'read' || permission === 'none')
    return [problem(forge, `${found}; Pawl cannot push or merge`, `give ${login} the role "Write": ${webOf(forge)}/settings/access`)];
  const missing = await opened.missingPermissions();
  if (missing.result !== 'ok') return [problem(forge, missing.message, failureHint(forge, missing))];
  const settings = await checkForgeSettings({ forge: opened, settings: forge, ...served, web: webOf(forge) });
  if (missing.value.length === 0) return [okCheck('forge', found), ...settings];
  const where = 'settings of the App, "Permissions & events"; the owner of the repository must then accept them';
  return [problem(forge, `${found}; the App lacks ${missing.value.join(', ')}`, `add them: ${where}`), ...settings];
}

function problem({ repository }: GitHubSettings, what: string, hint: string): Check {
  const named = what.includes(repository) ? what : `${repository} at GitHub: ${what}`;
  return { id: 'forge', status: 'problem', what: named, hint };
}

function failureHint(forge: GitHubSettings, failure: ForgeFailure): string {
  if (failure.result === 'not_found') return `check "forge.repository", and that the login may see it; ${loginHint(forge)}`;
  if (failure.result === 'denied') return loginHint(forge);
  return 'try again later';
}

function loginHint(forge: GitHubSettings): string {
  const { auth = 'gh' } = forge;
  if (auth === 'gh') return 'run "gh auth login", or set "forge.auth" to a token or an App';
  if ('token' in auth)
    return `create a fine-grained token at ${hostOf(forge)}/settings/personal-access-tokens/new with ${TOKEN_PERMISSIONS}`;
  return `install the App for the repository: ${webOf(forge)}/settings/installations`;
}

function hostOf({ base_url }: GitHubSettings): string {
  return (base_url ?? 'https://github.com').replace(/\/$/, '');
}

function webOf(forge: GitHubSettings): string {
  return `${hostOf(forge)}/${forge.repository}`;
}
