// Reads checks: check runs, the older commit statuses, and which of them are required.

import { omitUndefined } from '../../base/fields.ts';
import { CONCLUSIONS } from '../../definition/forge/conclusion.ts';
import { type CheckRun, type ForgeIdentity, OWN_CHECK_PREFIX } from '../forge.ts';
import { refuseMissing } from '../refusal.ts';
import { type Connection, PAGE, type RepositoryAccess } from './client.ts';
import { isApiError } from './failure.ts';

/** Reads the checks that a branch requires, by its protection or by rulesets. */
export async function readRequiredChecks({ octokit, repo }: Connection, branch: string): Promise<string[]> {
  const { data } = await octokit.rest.repos.getBranch({ ...repo, branch });
  const rules = await octokit.paginate(octokit.rest.repos.getBranchRules, { ...repo, branch, per_page: PAGE });
  const ruled = rules.flatMap((rule) =>
    rule.type === 'required_status_checks' ? (rule.parameters?.required_status_checks ?? []).map(({ context }) => context) : [],
  );
  return [...new Set([...(data.protection.required_status_checks?.contexts ?? []), ...ruled])].sort();
}

const STATUS_CONCLUSIONS: Readonly<Record<string, CheckRun['conclusion']>> = {
  success: 'success',
  failure: 'failure',
  error: 'failure',
};

/** Reads the checks of a branch's head or of a commit, by name. GitHub does not report here who set a status, so its name decides. */
export async function readChecks({ octokit, repo }: Connection, ref: string, self: ForgeIdentity): Promise<CheckRun[]> {
  const ownMark = (name: string, by: string): { own?: true } =>
    name.startsWith(OWN_CHECK_PREFIX) && by === self.login ? { own: true } : {};
  try {
    const runs = await octokit.paginate(octokit.rest.checks.listForRef, { ...repo, ref, per_page: PAGE });
    const latest = await readStatuses({ octokit, repo }, ref);
    const names = await workflowNames({ octokit, repo }, runs);
    const checks = runs.map(({ name, status, conclusion, check_suite, app }): CheckRun => {
      const workflow = names.get(check_suite?.id);
      const phase = status === 'completed' || status === 'in_progress' ? status : 'queued';
      const known = CONCLUSIONS.find((word) => word === conclusion) ?? 'failure';
      const own = ownMark(name, `${app?.slug}[bot]`);
      return { name, ...omitUndefined({ workflow }), ...own, status: phase, conclusion: phase === 'completed' ? known : null };
    });
    const statuses = latest.map(({ context, state }): CheckRun => {
      const isPending = state === 'pending';
      const conclusion = isPending ? null : (STATUS_CONCLUSIONS[state] ?? 'failure');
      const own = self.checks === 'statuses' ? ownMark(context, self.login) : {};
      return { name: context, ...own, status: isPending ? 'in_progress' : 'completed', conclusion };
    });
    return [...checks, ...statuses].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  } catch (error) {
    // For a name that is not a commit GitHub answers 422.
    if (isApiError(error, 404, 422)) refuseMissing(`there is no branch and no commit "${ref}"`);
    throw error;
  }
}

/** Reads the latest status of each name. Octokit cannot join these pages, because the response itself has a `url`. */
export async function readStatuses({ octokit, repo }: RepositoryAccess, ref: string) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const { data } = await octokit.rest.repos.getCombinedStatusForRef({ ...repo, ref, per_page: PAGE, page });
    found.push(...data.statuses);
    if (data.statuses.length < PAGE) return found;
  }
}

interface CheckRunData {
  readonly head_sha: string;
  readonly app: { readonly slug?: string } | null;
  readonly check_suite: { readonly id: number } | null;
}

// Only GitHub Actions has workflows; their names are not in the check runs.
async function workflowNames({ octokit, repo }: RepositoryAccess, runs: readonly CheckRunData[]): Promise<Map<number | undefined, string>> {
  const head_sha = runs.find(({ app }) => app?.slug === 'github-actions')?.head_sha;
  if (head_sha === undefined) return new Map();
  const found = await octokit.paginate(octokit.rest.actions.listWorkflowRunsForRepo, { ...repo, head_sha, per_page: PAGE });
  return new Map(found.flatMap(({ check_suite_id, name }) => (name ? [[check_suite_id, name] as const] : [])));
}
