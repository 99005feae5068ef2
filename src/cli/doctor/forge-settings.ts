// Owns the checks of `pawl doctor` that compare the settings with a repository at GitHub: its default branch, the people whose
// approval counts, and its webhook.

import { isEngineError } from '../../base/error.ts';
import type { ForgeAnswer } from '../../forge/forge.ts';
import type { GitHubForge } from '../../forge/github/github-forge.ts';
import type { WebhookFacts } from '../../forge/github/webhook.ts';
import { Secrets } from '../../steps/secrets.ts';
import type { Setup } from '../session.ts';
import type { GitHubSettings } from '../settings/forge.ts';
import { type Check, okCheck, problem, warning } from './doctor.ts';

interface CheckedForge {
  readonly forge: GitHubForge;
  readonly settings: GitHubSettings;
  readonly setup: Setup;
  /** The address of another server that passes webhooks on to this project. */
  readonly address: string | undefined;
  readonly web: string;
}

/** Runs the checks; the login must have been checked before. */
export async function checkForgeSettings(checked: CheckedForge): Promise<Check[]> {
  return [...(await checkBranch(checked)), ...(await checkGroups(checked)), ...(await checkWebhook(checked))];
}

async function checkBranch({ forge, setup, web }: CheckedForge): Promise<Check[]> {
  const wanted = setup.settings.project?.default_branch;
  const found = await forge.repository();
  if (wanted === undefined || found.result !== 'ok' || found.value.defaultBranch === wanted) return [];
  const { defaultBranch } = found.value;
  return [
    problem(
      'forge-branch',
      `the default branch is "${defaultBranch}" at GitHub, and "project.default_branch" is "${wanted}"`,
      `set "project.default_branch: ${defaultBranch}" in .pawl/config.yaml, or rename the branch: ${web}/settings`,
    ),
  ];
}

async function checkGroups({ forge, setup, web }: CheckedForge): Promise<Check[]> {
  const groups = Object.entries(setup.settings.groups ?? {});
  if (groups.length === 0) return [];
  const checks: Check[] = [];
  for (const [group, members] of groups) {
    const without: string[] = [];
    for (const member of members) {
      const found = await forge.permission(member);
      if (found.result === 'not_found' || (found.result === 'ok' && found.value === 'none')) without.push(member);
    }
    const what = `the approval of ${without.join(', ')} (group "${group}") does not count: no access to the repository`;
    const hint = `invite them: ${web}/settings/access, or correct "groups.${group}" in .pawl/config.yaml`;
    if (without.length > 0) checks.push((without.length === members.length ? problem : warning)('forge-groups', what, hint));
  }
  const names = groups.map(([group]) => group).join(', ');
  return checks.length > 0 ? checks : [okCheck('forge-groups', `everybody in ${names} has access to the repository`)];
}

async function checkWebhook({ forge, settings, setup, address, web }: CheckedForge): Promise<Check[]> {
  const { webhook_secret: name, auth = 'gh' } = settings;
  const targets = [setup.settings.serve?.public_url, address].flatMap((one) => one?.replace(/\/$/, '').concat('/hooks/github') ?? []);
  const where = auth !== 'gh' && 'app' in auth ? 'the settings of the App, "Webhook" and "Advanced"' : `${web}/settings/hooks`;
  if (name === undefined) return [];
  const secrets = setup.settings.secrets ?? {};
  if (!Object.hasOwn(secrets, name))
    return [hookProblem(`"forge.webhook_secret" names the secret "${name}", which is not set`, `add it under "secrets"`)];
  try {
    if ((await new Secrets(secrets).value(name)).trim() === '')
      return [hookProblem(`the secret "${name}" of the webhooks is empty`, 'give it a value')];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return [hookProblem(`the secret of the webhooks cannot be read: ${error.message}`, `set it, and the same value at ${where}`)];
  }
  if (targets.length === 0)
    return [
      warning(
        'forge-webhook',
        'webhooks are on, but "serve.public_url" is not set, so their address is not known',
        `set it to the address of this server, and add the webhook "<address>/hooks/github" with content type application/json: ${where}`,
      ),
    ];
  return checkDeliveries(await forge.webhooks(), { targets, where, secret: name });
}

interface ExpectedHook {
  /** The addresses at which this server receives webhooks. */
  readonly targets: readonly string[];
  /** Where a person changes the webhook. */
  readonly where: string;
  readonly secret: string;
}

/** Compares the webhooks at GitHub with what this server expects, and reports failed deliveries. */
function checkDeliveries(found: ForgeAnswer<readonly WebhookFacts[]>, { targets, where, secret }: ExpectedHook): Check[] {
  const hooks = found.result === 'ok' ? found.value : [];
  const hook = hooks.find(({ address }) => targets.includes(address.replace(/\/$/, '')));
  const target = hook?.address.replace(/\/$/, '') ?? targets[0];
  const wanted = `${target}, with content type application/json and the secret "${secret}"`;
  if (found.result !== 'ok') {
    const hint = `check it yourself: ${where} must have ${wanted}, and show no failed deliveries`;
    return [warning('forge-webhook', `this login may not see the webhook at GitHub: ${found.message}`, hint)];
  }
  if (hook === undefined) return [hookProblem(`no webhook at GitHub sends to ${target}`, `add ${wanted}: ${where}`)];
  if (!hook.active) return [hookProblem(`the webhook to ${target} is switched off at GitHub`, `switch it on: ${where}`)];
  if (hook.contentType !== 'json')
    return [hookProblem(`the webhook to ${target} has the content type "${hook.contentType}"`, `choose application/json: ${where}`)];
  const [last] = hook.failed;
  if (last === undefined)
    return [okCheck('forge-webhook', `webhooks are received at ${target}; none of the last ${hook.deliveries} deliveries failed`)];
  const answer = last.code === 0 ? last.status : `${last.code} (${last.status})`;
  return [
    warning(
      'forge-webhook',
      `${hook.failed.length} of the last ${hook.deliveries} deliveries to ${target} failed; the latest, ${last.event} at ${last.at}: ${answer}`,
      `${causeOf(last.code)}; then redeliver them: ${where}, "Recent Deliveries"`,
    ),
  ];
}

function causeOf(code: number): string {
  if (code === 401) return 'give the webhook the same secret at GitHub and here';
  if (code === 404) return 'start "pawl serve" for this repository, or correct "serve.public_url"';
  return code === 0 ? 'make sure that GitHub can reach this server' : '"pawl deliveries" and the output of "pawl serve" say more';
}

function hookProblem(what: string, hint: string): Check {
  return problem('forge-webhook', what, hint);
}
