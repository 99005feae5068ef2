// Owns the local forge: issues, comments and labels in a small SQLite file, pull requests as branches of a git repository.
// It needs no network and no account, and can simulate failures of real forges (`control`). Fetch and
// push copy objects between folders of this machine; branches are moved under the rules of `git.ts`.

import { basename, resolve } from 'node:path';
import { EngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { text } from '../../base/sql-row.ts';
import type {
  ChangedFile,
  ChangeSource,
  FetchRequest,
  Forge,
  ForgeActor,
  ForgeGit,
  ForgeReader,
  PullRequestFacts,
  PushRequest,
} from '../forge.ts';
import { doneAction, SELECT_DONE } from '../ledger.ts';
import { type AnswerRunner, answer, refuse, refuseLostCommits, refuseMissing, type ThrowingMethods, withAnswers } from '../refusal.ts';
import { createActions } from './actions.ts';
import { createControl, type ForgeControl, outageOf, takeControl } from './control.ts';
import { type LocalDatabase, openLocalDatabase } from './database.ts';
import { createDiscussions } from './discussions.ts';
import { createGit, createLocalGit, GitError, type LocalGit, refuseBlocked } from './git.ts';
import { mergePullRequest } from './merge.ts';
import { createReviewActions } from './reviews.ts';
import {
  fetchRefOf,
  headOf,
  itemOf,
  type LocalState,
  pullOf,
  readAccount,
  readApprovals,
  readChecks,
  readComments,
  readPeople,
  readSharedFacts,
} from './state.ts';

const GIT_MIN = [2, 38] as const;
/** SQLite codes for a file that cannot be used now: busy, locked, read-only, I/O error, full, cannot open. */
const PASSING_SQLITE_CODES = new Set([5, 6, 8, 10, 13, 14]);

/** Options for opening a local forge. */
export interface LocalForgeOptions {
  /** A git repository, bare or not. */
  readonly repository: string;
  /** The SQLite file for everything that is not in git. Created if needed. */
  readonly state: string;
  /** The person whom the forge acts for. Default: "pawl". */
  readonly actor?: string;
  /** Default: `main` if it exists, else the branch that is checked out. */
  readonly defaultBranch?: string;
  readonly now?: () => number;
}

/** A local forge. */
export interface LocalForge extends Forge {
  readonly control: ForgeControl;
}

/** Opens a local forge. Any number of processes may have the same one open. */
export async function openLocalForge(options: LocalForgeOptions): Promise<LocalForge> {
  const { actor = 'pawl', now = Date.now } = options;
  const repository = resolve(options.repository);
  const git = createLocalGit(repository, now);
  await checkRepository(repository, { git, now });
  const defaultBranch = options.defaultBranch ?? (await findDefaultBranch(git));
  const database = openLocalDatabase({ file: resolve(options.state), actor, now });
  const state: LocalState = { database, git, defaultBranch, repository };
  const methods: ThrowingMethods<ForgeReader & ForgeActor & ForgeGit> = {
    ...createReader(state, basename(repository, '.git')),
    ...createActions(state),
    ...createReviewActions(state),
    ...createDiscussions(database),
    mergePullRequest: (request, key) => mergePullRequest(state, request, key),
    fetch: (request) => fetchCommit(state, request),
    push: (request) => pushCommit(state, request),
  };
  return {
    name: 'local',
    ...withAnswers(methods, answerUnlessUnavailable(database)),
    watch: database.watch,
    control: createControl(state),
    close: async () => database.close(),
  };
}

let isGitNew = false;

/** Once per process: the version of git does not change while it is used. */
async function checkVersion(repository: string, now: () => number): Promise<void> {
  if (isGitNew) return;
  const version = /(\d+)\.(\d+)/.exec((await createGit(repository, now)(['version'])).stdout);
  const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
  if (major < GIT_MIN[0] || (major === GIT_MIN[0] && minor < GIT_MIN[1])) {
    throw new GitError(`git ${version?.[0]} is too old, it must be ${GIT_MIN.join('.')} or newer`);
  }
  isGitNew = true;
}

async function checkRepository(repository: string, { git, now }: { readonly git: LocalGit; readonly now: () => number }): Promise<void> {
  try {
    await checkVersion(repository, now);
    await git.directory();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const message = `the local forge cannot use the repository ${repository}: ${error.message}; use a git repository, or create one with "git init"`;
    throw new EngineError('CONFIG_INVALID', message, { cause: error, details: { repository } });
  }
}

async function findDefaultBranch(git: LocalGit): Promise<string> {
  if ((await git.headOf('main')) !== undefined) return 'main';
  return (await git.currentBranch()) ?? 'main';
}

// Failures of git or of the state file become an answer too; any other error is a bug of ours.
function answerUnlessUnavailable(database: LocalDatabase): AnswerRunner {
  return async (work) => {
    try {
      return outageOf(database) ?? (await answer(work));
    } catch (error) {
      if (isTransient(error)) return { result: 'unavailable', message: messageOf(error) };
      throw error;
    }
  };
}

function isTransient(error: unknown): boolean {
  if (error instanceof GitError) return true;
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' && PASSING_SQLITE_CODES.has(code & 0xff);
}

function createReader(state: LocalState, name: string): ThrowingMethods<Omit<ForgeReader, 'discussionReplies'>> {
  const { database, git, defaultBranch } = state;
  return {
    repository: async () => ({ name, defaultBranch }),
    issue: async (number) => {
      const item = itemOf(database, number, 'issue');
      const { title, body, author } = item;
      return { number, title, body, state: item.state === 'open' ? 'open' : 'closed', author, ...readSharedFacts(database, item) };
    },
    pullRequest: (number) => readPullRequest(state, number),
    pullRequestsFrom: (branch) => readPullRequestsFrom(state, branch),
    pullRequestsAt: (sha) => readPullRequestsAt(state, sha),
    pullRequestsOn: async (branch) => {
      const sql = `${OPEN_PULL_REQUESTS} AND (base = ? OR (head = ? AND fork IS NULL)) ORDER BY number`;
      return database.all(sql, branch, branch).map(({ number }) => Number(number));
    },
    comments: async (number) => readComments(database, itemOf(database, number).number),
    approvals: async (pr) => readApprovals(database, pr, await headOf(git, pullOf(database, pr))),
    checks: async (ref) => {
      const sha = (await git.headOf(ref)) ?? (await git.commitOf(ref));
      return readChecks(database, sha ?? refuseMissing(`there is no branch and no commit "${ref}"`));
    },
    changedFiles: (source) => readChanges(state, source),
    isUpToDate: async (pr) => {
      const item = pullOf(database, pr);
      const base = (await git.headOf(item.base)) ?? refuseMissing(`the base branch "${item.base}" of #${pr} was deleted`);
      return await git.contains(await headOf(git, item), base);
    },
    ...createAccountReader(database),
  };
}

async function readPullRequest({ database, git }: LocalState, number: number): Promise<PullRequestFacts> {
  const item = pullOf(database, number);
  const { title, body, state, author, head: headBranch, base: baseBranch, fork, isDraft: draft } = item;
  const headSha = await headOf(git, item);
  const base = await git.headOf(baseBranch);
  const isKnown = state === 'open' && base !== undefined && !takeControl(database, 'mergeability');
  const mergeable = isKnown ? (await git.conflicts(base, headSha)) === null : null;
  const baseSha = state === 'merged' ? item.baseSha : base;
  const branches = {
    headBranch,
    headSha,
    fetchRef: fetchRefOf(item),
    fork: fork !== undefined,
    draft,
    baseBranch,
    ...omitUndefined({ baseSha }),
  };
  const people = { ...readSharedFacts(database, item), reviewers: readPeople(database, number, 'reviewer') };
  return { number, title, body, state, author, ...people, ...branches, mergeable };
}

const OPEN_PULL_REQUESTS = "SELECT number FROM items WHERE kind = 'pr' AND state = 'open'";

async function readPullRequestsFrom(state: LocalState, branch: string): Promise<PullRequestFacts[]> {
  const found: PullRequestFacts[] = [];
  const rows = state.database.all(`${OPEN_PULL_REQUESTS} AND head = ? AND fork IS NULL ORDER BY number DESC`, branch);
  for (const { number } of rows) found.push(await readPullRequest(state, Number(number)));
  return found;
}

async function readPullRequestsAt({ database, git }: LocalState, sha: string): Promise<number[]> {
  const found: number[] = [];
  for (const { number } of database.all(`${OPEN_PULL_REQUESTS} ORDER BY number`))
    if ((await headOf(git, pullOf(database, Number(number)))) === sha) found.push(Number(number));
  return found;
}

async function readChanges({ database, git, defaultBranch }: LocalState, source: ChangeSource): Promise<ChangedFile[]> {
  if ('pr' in source) {
    const item = pullOf(database, source.pr);
    const head = await headOf(git, item);
    return item.baseSha !== undefined ? await git.changedFiles(item.baseSha, head) : await compare(git, head, item.base);
  }
  const head = (await git.headOf(source.branch)) ?? refuseMissing(`there is no branch "${source.branch}"`);
  return await compare(git, head, source.base ?? defaultBranch);
}

async function compare(git: LocalGit, head: string, base: string): Promise<ChangedFile[]> {
  const baseSha = (await git.headOf(base)) ?? refuseMissing(`there is no branch "${base}" to compare with`);
  return await git.changedFiles(baseSha, head);
}

/** Creates the reader of accounts and of finished actions. */
function createAccountReader(
  database: LocalDatabase,
): ThrowingMethods<Pick<ForgeReader, 'requiredChecks' | 'permission' | 'members' | 'whoami' | 'done'>> {
  return {
    requiredChecks: async (branch) =>
      database.all('SELECT name FROM required_checks WHERE branch = ? ORDER BY name', branch).map(({ name }) => text(name, 'name')),
    permission: async (actor) => readAccount(database, actor).permission,
    members: async (team) => {
      const rows = database.all('SELECT login FROM teams WHERE name = ? ORDER BY login', team);
      return rows.length === 0 ? refuseMissing(`there is no team "${team}"`) : rows.map(({ login }) => text(login, 'login'));
    },
    whoami: async () => ({
      login: database.actor,
      ...readAccount(database, database.actor),
      checks: 'check_runs',
      account: 'own',
    }),
    done: async (prefix) => database.all(SELECT_DONE, prefix, prefix).map(doneAction),
  };
}

const ROUNDS_MAX = 5;

/** Fetches a commit of a ref into the repository of a folder. */
async function fetchCommit({ git, repository }: LocalState, { folder, ref, sha }: FetchRequest): Promise<{ sha: string }> {
  const head = (await git.refOf(ref)) ?? refuseMissing(`there is no ${ref} in ${repository}`);
  if (head !== sha) refuse({ result: 'stale_head', message: `${ref} is at ${head} and no longer at ${sha}; fetch it again`, head });
  if (!(await git.copy(sha, { from: repository, to: folder })))
    refuse({ result: 'unavailable', message: `git could not fetch ${sha} from ${repository} into ${folder}` });
  return { sha };
}

/** Points a branch to a commit of a folder's repository. */
async function pushCommit(state: LocalState, request: PushRequest): Promise<{ sha: string }> {
  const { git, repository } = state;
  const { folder, branch, sha } = request;
  if ((await git.commitOf(sha)) === undefined && !(await git.copy(sha, { from: folder, to: repository })))
    refuseMissing(`there is no commit ${sha} in ${folder}`);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const head = await git.headOf(branch);
    if (head === sha) return { sha };
    if (head !== undefined && head !== request.replaces && !(await git.contains(sha, head))) refuseLostCommits(request, head);
    const moved = await git.advance(branch, { from: head, to: sha });
    if (moved.kind === 'blocked') refuseBlocked('', branch, moved);
    if (moved.kind === 'moved') {
      recordPush(state, branch, sha);
      return { sha };
    }
  }
  return refuse({ result: 'unavailable', message: `the branch "${branch}" moved during each push; try again` });
}

function recordPush({ database }: LocalState, branch: string, sha: string): void {
  const sql = "SELECT number FROM items WHERE kind = 'pr' AND state = 'open' AND head = ? AND fork IS NULL";
  database.write(() => {
    for (const { number } of database.all(sql, branch)) database.record({ event: 'pull_request.synchronize', pr: Number(number), sha });
  });
}
