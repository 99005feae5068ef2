// Reads facts from GitHub, and converts GitHub's fields to ours.

import type {
  ChangedFile,
  ChangeSource,
  ForgeApproval,
  ForgeIdentity,
  ForgeReader,
  IssueFacts,
  MergeMethod,
  Permission,
  PullRequestFacts,
  RepositoryFacts,
} from '../forge.ts';
import { refuseMissing, type ThrowingMethods, withAnswers } from '../refusal.ts';
import { readChecks, readRequiredChecks } from './checks.ts';
import { type Connection, listOpenPulls, PAGE } from './client.ts';
import { isApiError } from './failure.ts';
import { appHeaders, cached } from './login.ts';
import { withoutMarker } from './marker.ts';

type Facts = Omit<ForgeReader, 'done' | 'discussionReplies'>;

/** The reader inside the driver. */
export interface GitHubReader extends ThrowingMethods<Facts> {
  repository(): Promise<RepositoryInfo>;
  pullRequest(number: number): Promise<PullRequest>;
  /** The permissions that an App lacks. */
  missingPermissions(): Promise<string[]>;
  /** The head of a branch, or undefined if there is no such branch. */
  headOf(branch: string): Promise<string | undefined>;
}

/** The facts of the repository inside the driver. */
interface RepositoryInfo extends RepositoryFacts {
  /** The methods that the repository allows, in the order in which GitHub offers them. */
  readonly methods: readonly MergeMethod[];
}

/** The facts of a pull request inside the driver. */
export interface PullRequest extends PullRequestFacts {
  readonly mergeSha: string | null;
}

interface User {
  readonly login: string;
  readonly type?: string;
}

/** Creates the reader of a connection. */
export function createReader(connection: Connection): GitHubReader {
  const { octokit, repo } = connection;
  const { rest } = octokit;
  const reader: GitHubReader = {
    repository: async () => {
      const { data } = await rest.repos.get(repo);
      const allowed = { merge: data.allow_merge_commit, squash: data.allow_squash_merge, rebase: data.allow_rebase_merge };
      const methods = (['merge', 'squash', 'rebase'] as const).filter((method) => allowed[method] !== false);
      return { name: data.full_name, defaultBranch: data.default_branch, url: connection.gitUrl.replace(/\.git$/, ''), methods };
    },
    issue: async (number) => {
      const { data } = await rest.issues.get({ ...repo, issue_number: number });
      if (data.pull_request !== undefined) refuseMissing(`#${number} is a pull request, not an issue`);
      return { ...(await sharedFacts(reader, data)), state: data.state === 'open' ? 'open' : 'closed' };
    },
    pullRequest: async (number) => toPullRequest(reader, (await rest.pulls.get({ ...repo, pull_number: number })).data),
    pullRequestsFrom: async (branch) => {
      const found = await listOpenPulls(connection, { head: `${repo.owner}:${branch}` });
      const own = found.filter((pull) => pull.head.ref === branch && isFromThisRepository(pull));
      return await Promise.all(
        own.sort((a, b) => b.number - a.number).map(async ({ number }) => withoutMergeSha(await reader.pullRequest(number))),
      );
    },
    pullRequestsAt: async (sha) => numbersOf((await listOpenPulls(connection)).filter(({ head }) => head.sha === sha)),
    pullRequestsOn: async (branch) => {
      const queued = queuedOn(branch);
      if (queued !== undefined) return [queued];
      const isOn = ({ base, head }: Pick<PullRequestData, 'base' | 'head'>): boolean =>
        base.ref === branch || (head.ref === branch && isFromThisRepository({ base, head }));
      return numbersOf((await listOpenPulls(connection)).filter(isOn));
    },
    comments: async (number) => {
      const found = await octokit.paginate(rest.issues.listComments, { ...repo, issue_number: number, per_page: PAGE });
      const { login } = await reader.whoami();
      return found.map((comment) => ({
        id: String(comment.id),
        author: loginOf(comment.user),
        bot: isBot(comment.user),
        body: loginOf(comment.user) === login ? withoutMarker(comment.body ?? '') : (comment.body ?? ''),
        at: Date.parse(comment.created_at),
        edited: comment.updated_at !== comment.created_at,
      }));
    },
    approvals: (pr) => readApprovals(connection, reader, pr),
    checks: async (ref) => readChecks(connection, ref, await reader.whoami()),
    changedFiles: (source) => readChanges(connection, reader, source),
    isUpToDate: async (pr) => {
      const { baseBranch, headSha } = await reader.pullRequest(pr);
      const { data } = await rest.repos.compareCommitsWithBasehead({ ...repo, basehead: `${baseBranch}...${headSha}`, per_page: 1 });
      return data.behind_by === 0;
    },
    requiredChecks: (branch) => readRequiredChecks(connection, branch),
    permission: (login) => readPermission(connection, login),
    members: (team) => readMembers(connection, team),
    whoami: cached(() => readIdentity(connection)).get,
    missingPermissions: () => readMissingPermissions(connection),
    headOf: async (branch) => {
      try {
        return (await rest.git.getRef({ ...repo, ref: `heads/${branch}` })).data.object.sha;
      } catch (error) {
        if (isApiError(error, 404)) return undefined;
        throw error;
      }
    },
  };
  return reader;
}

/** The reader that callers of the forge use. */
export function createForgeReader({ answer }: Connection, reader: GitHubReader): Facts {
  const { missingPermissions: _, headOf: __, ...facts } = reader;
  const repository = async (): Promise<RepositoryFacts> => {
    const { methods: ___, ...plain } = await reader.repository();
    return plain;
  };
  return withAnswers<Facts>(
    { ...facts, repository, pullRequest: async (number) => withoutMergeSha(await reader.pullRequest(number)) },
    answer,
  );
}

function withoutMergeSha({ mergeSha: _, ...facts }: PullRequest): PullRequestFacts {
  return facts;
}

function numbersOf(pulls: readonly { readonly number: number }[]): number[] {
  return pulls.map(({ number }) => number).sort((a, b) => a - b);
}

/** The pull request that a branch of GitHub's merge queue is for: `gh-readonly-queue/main/pr-7-<commit>`. */
function queuedOn(branch: string): number | undefined {
  const [, number] = /^gh-readonly-queue\/.+\/pr-(\d+)-[0-9a-f]+$/.exec(branch) ?? [];
  return number === undefined ? undefined : Number(number);
}

function loginOf(user: User | null | undefined): string {
  return user?.login ?? 'ghost';
}

function isBot(user: User | null | undefined): boolean {
  return user?.type === 'Bot';
}

interface SharedFields {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null;
  readonly user: User | null;
  readonly labels: readonly (string | { readonly name?: string | null })[];
  readonly assignees?: readonly User[] | null;
  readonly milestone: { readonly title: string } | null;
}

async function sharedFacts(reader: GitHubReader, data: SharedFields): Promise<Omit<IssueFacts, 'state'>> {
  const { login } = await reader.whoami();
  const author = loginOf(data.user);
  const body = data.body ?? '';
  return {
    number: data.number,
    title: data.title,
    body: author === login ? withoutMarker(body) : body,
    labels: data.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
    author,
    bot: isBot(data.user),
    assignees: (data.assignees ?? []).map(({ login: name }) => name),
    milestone: data.milestone?.title ?? null,
  };
}

interface Head {
  readonly ref: string;
  readonly sha: string;
  readonly repo: { readonly full_name: string } | null;
}

interface HeadOfPull extends Head {
  readonly repo: { readonly full_name: string; readonly name: string; readonly owner: { readonly login: string } } | null;
}

interface PullRequestData extends SharedFields {
  readonly state: string;
  readonly merged: boolean;
  readonly draft?: boolean | undefined;
  readonly mergeable: boolean | null;
  readonly merge_commit_sha: string | null;
  readonly requested_reviewers?: readonly User[] | null | undefined;
  readonly head: HeadOfPull;
  readonly base: Head;
}

// The head of a deleted fork has no repository. The name in the settings may be an old one, so it is not compared.
function isFromThisRepository({ head, base }: { readonly head: Pick<Head, 'repo'>; readonly base: Pick<Head, 'repo'> }): boolean {
  return head.repo !== null && head.repo.full_name === base.repo?.full_name;
}

async function toPullRequest(reader: GitHubReader, data: PullRequestData): Promise<PullRequest> {
  const state = data.merged ? 'merged' : data.state === 'open' ? 'open' : 'closed';
  // GitHub's `base.sha` is from the last change of the pull request; the base branch may have moved since.
  const baseSha = state === 'open' ? ((await reader.headOf(data.base.ref)) ?? data.base.sha) : data.base.sha;
  return {
    ...(await sharedFacts(reader, data)),
    state,
    reviewers: (data.requested_reviewers ?? []).map(({ login }) => login),
    headBranch: data.head.ref,
    headSha: data.head.sha,
    fetchRef: `refs/pull/${data.number}/head`,
    fork: data.head.repo?.full_name !== data.base.repo?.full_name,
    ...(data.head.repo === null ? {} : { headRepository: { owner: data.head.repo.owner.login, name: data.head.repo.name } }),
    draft: data.draft === true,
    baseBranch: data.base.ref,
    baseSha,
    mergeable: state === 'open' ? data.mergeable : null,
    mergeSha: data.merge_commit_sha,
  };
}

const VERDICTS: Readonly<Record<string, ForgeApproval['state']>> = { APPROVED: 'approved', CHANGES_REQUESTED: 'changes_requested' };

async function readApprovals({ octokit, repo }: Connection, reader: GitHubReader, pr: number): Promise<ForgeApproval[]> {
  const { headSha } = await reader.pullRequest(pr);
  const reviews = await octokit.paginate(octokit.rest.pulls.listReviews, { ...repo, pull_number: pr, per_page: PAGE });
  const latest = new Map<string, Omit<ForgeApproval, 'permission'>>();
  for (const { user, state: word, commit_id, submitted_at } of reviews) {
    // A deleted account has no rights, and two of them are not one person.
    if (user === null) continue;
    const state = VERDICTS[word];
    const actor = loginOf(user);
    // A dismissed review replaces the earlier reviews of that person.
    if (word === 'DISMISSED' && commit_id === headSha) latest.delete(actor);
    if (state === undefined || commit_id !== headSha) continue;
    latest.delete(actor);
    latest.set(actor, { actor, headSha, state, at: Date.parse(submitted_at ?? ''), bot: isBot(user) });
  }
  return await Promise.all(
    [...latest.values()].map(async (approval) => ({ ...approval, permission: await reader.permission(approval.actor) })),
  );
}

async function readPermission({ octokit, repo }: Connection, username: string): Promise<Permission> {
  try {
    const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...repo, username });
    const known = (['admin', 'write', 'read'] as const).find((word) => word === data.permission);
    return known ?? 'none';
  } catch (error) {
    // Apps and deleted accounts are not collaborators.
    if (isApiError(error, 404)) return 'none';
    throw error;
  }
}

async function readMembers({ octokit, repo }: Connection, team: string): Promise<string[]> {
  const [org, team_slug] = team.includes('/') ? (team.split('/', 2) as [string, string]) : [repo.owner, team];
  const found = await octokit.paginate(octokit.rest.teams.listMembersInOrg, { org, team_slug, per_page: PAGE });
  return found.map(({ login }) => login);
}

async function readIdentity({ octokit, repo, login }: Connection): Promise<ForgeIdentity> {
  const { permissions } = (await octokit.rest.repos.get(repo)).data;
  const permission = permissions?.admin === true ? 'admin' : permissions?.push === true ? 'write' : permissions?.pull ? 'read' : 'none';
  const headers = appHeaders(login);
  if (headers !== undefined) {
    const { data } = await octokit.rest.apps.getAuthenticated({ headers });
    const mayWrite = data?.permissions?.contents === 'write';
    return { login: `${data?.slug}[bot]`, bot: true, permission: mayWrite ? 'write' : 'read', checks: 'check_runs', account: 'own' };
  }
  if (login.bot !== undefined)
    return { login: login.bot, bot: true, permission: permission === 'read' ? 'read' : 'write', checks: 'check_runs', account: 'own' };
  const { data } = await octokit.rest.users.getAuthenticated();
  const bot = data.type === 'Bot';
  return { login: data.login, bot, permission, checks: 'statuses', account: bot ? 'own' : 'person' };
}

const NEEDED = { contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write', statuses: 'read', actions: 'read' };

async function readMissingPermissions({ octokit, login }: Connection): Promise<string[]> {
  const headers = appHeaders(login);
  if (headers === undefined) return [];
  const { data } = await octokit.rest.apps.getAuthenticated({ headers });
  const granted: Readonly<Record<string, string | undefined>> = data?.permissions ?? {};
  return Object.entries(NEEDED).flatMap(([name, right]) =>
    granted[name] === 'write' || granted[name] === right ? [] : [`${name}: ${right}`],
  );
}

interface FileData {
  readonly filename: string;
  readonly status: string;
  readonly previous_filename?: string;
}

async function readChanges({ octokit, repo }: Connection, reader: GitHubReader, source: ChangeSource): Promise<ChangedFile[]> {
  if ('pr' in source) {
    const found = await octokit.paginate(octokit.rest.pulls.listFiles, { ...repo, pull_number: source.pr, per_page: PAGE });
    return found.map(toChange).sort(byPath);
  }
  const base = source.base ?? (await reader.repository()).defaultBranch;
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...repo, basehead: `${base}...${source.branch}`, per_page: 1 });
  return (data.files ?? []).map(toChange).sort(byPath);
}

function toChange({ filename: path, status, previous_filename: from }: FileData): ChangedFile {
  if (status === 'renamed' && from !== undefined) return { path, status: 'renamed', from };
  return { path, status: status === 'added' || status === 'copied' ? 'added' : status === 'removed' ? 'removed' : 'modified' };
}

function byPath(a: ChangedFile, b: ChangedFile): number {
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
}
