// Owns the checks of `pawl doctor` on a forge at GitHub: whether it can be reached, and what the login may do there.

import { messageOf } from '../../base/error.ts';
import type { ForgeFailure } from '../../forge/forge.ts';
import type { GitHubForge } from '../../forge/github/github-forge.ts';
import { assertSettingsTrusted, openGitHub } from '../forge/session.ts';
import { closing, type Setup } from '../session.ts';
import type { GitHubSettings } from '../settings/forge.ts';
import type { Shell } from '../shell.ts';
import { type Check, okCheck, problem, warning } from './doctor.ts';
import { checkForgeSettings } from './forge-settings.ts';

const TOKEN_PERMISSIONS =
  'Contents, Issues, Pull requests and Commit statuses: read and write; Actions and Checks: read; for teams, Members of the organization: read';

/** Checks the forge at GitHub, if the project has one. `address`: the server that passes webhooks on to this project. */
export async function checkForge(shell: Shell, setup: Setup, address?: string): Promise<Check[]> {
  const { forge } = setup.settings;
  if (forge?.kind !== 'github') return [];
  try {
    await assertSettingsTrusted(shell, setup);
  } catch {
    const hint = 'run "pawl trust .pawl/config.yaml", then this again';
    return [warning('forge', `${forge.repository} at GitHub was not checked: the settings are not trusted`, hint)];
  }
  try {
    return await closing(await openGitHub(setup, forge), (opened) => checkGitHub(opened, forge, { setup, address }));
  } catch (error) {
    return [forgeProblem(forge, messageOf(error), loginHint(forge))];
  }
}

interface CheckedSetup {
  readonly setup: Setup;
  readonly address: string | undefined;
}

async function checkGitHub(opened: GitHubForge, forge: GitHubSettings, served: CheckedSetup): Promise<Check[]> {
  const repository = await opened.repository();
  if (repository.result !== 'ok') return [forgeProblem(forge, repository.message, failureHint(forge, repository))];
  const who = await opened.whoami();
  if (who.result !== 'ok') return [forgeProblem(forge, who.message, failureHint(forge, who))];
  const { login, permission, checks } = who.value;
  const shown = checks === 'check_runs' ? 'check runs' : 'commit statuses';
  const found = `${repository.value.name} at GitHub: as ${login}, permission ${permission}; checks are shown as ${shown}`;
  if (permission === 'read' || permission === 'none')
    return [
      forgeProblem(
        forge,
        `${found}; Pawl cannot push or merge`,
        `give ${login} the role "Write": ${repositoryPage(forge)}/settings/access`,
      ),
    ];
  const missing = await opened.missingPermissions();
  if (missing.result !== 'ok') return [forgeProblem(forge, missing.message, failureHint(forge, missing))];
  const settings = await checkForgeSettings({ forge: opened, settings: forge, ...served, web: repositoryPage(forge) });
  if (missing.value.length === 0) return [okCheck('forge', found), ...settings];
  const where = 'settings of the App, "Permissions & events"; the owner of the repository must then accept them';
  return [forgeProblem(forge, `${found}; the App lacks ${missing.value.join(', ')}`, `add them: ${where}`), ...settings];
}

function forgeProblem({ repository }: GitHubSettings, what: string, hint: string): Check {
  return problem('forge', what.includes(repository) ? what : `${repository} at GitHub: ${what}`, hint);
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
  return `install the App for the repository: ${repositoryPage(forge)}/settings/installations`;
}

function hostOf({ base_url }: GitHubSettings): string {
  return (base_url ?? 'https://github.com').replace(/\/$/, '');
}

function repositoryPage(forge: GitHubSettings): string {
  return `${hostOf(forge)}/${forge.repository}`;
}
