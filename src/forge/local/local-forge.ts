// Owns the local forge: issues, comments and labels in a small SQLite file, pull requests as branches of a plain git
// repository. It needs no network and no account, and can simulate failures of real forges (`control`).

import { basename, resolve } from 'node:path';
import { EngineError, messageOf } from '../../base/error.ts';
import type { ChangedFile, ChangeSource, Forge, ForgeActor, ForgeAnswer, ForgeGit, ForgeReader, PullRequestFacts } from '../forge.ts';
import { createAccountReader } from './accounts.ts';
import { createActions } from './actions.ts';
import { createControl, type ForgeControl, outageOf, takeControl } from './control.ts';
import { type LocalDatabase, openLocalDatabase } from './database.ts';
import { createDiscussions } from './discussions.ts';
import { createGit, createLocalGit, GitError, type LocalGit } from './git.ts';
import { mergePullRequest } from './merge.ts';
import { createReviewActions } from './reviews.ts';
import {
  fetchRefOf,
  findItem,
  headOf,
  type LocalState,
  readApprovals,
  readChecks,
  readComments,
  readPeople,
  readSharedFacts,
} from './state.ts';
import { fetchCommit, pushCommit } from './transfer.ts';

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
  const methods: ForgeReader & ForgeActor & ForgeGit = {
    ...createReader(state, basename(repository, '.git')),
    ...createActions(state),
    ...createReviewActions(state),
    ...createDiscussions(database),
    mergePullRequest: (request, key) => mergePullRequest(state, { request, key }),
    fetch: (request) => fetchCommit(state, request),
    push: (request) => pushCommit(state, request),
  };
  return {
    name: 'local',
    ...guarded(database, methods),
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

// Failures of git or of the state file become an answer; any other error is a bug of ours.
function guarded<T extends object>(database: LocalDatabase, methods: T): T {
  const guard =
    (work: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]): Promise<unknown> => {
      try {
        return outageOf(database) ?? (await work(...args));
      } catch (error) {
        if (isPassing(error)) return { result: 'unavailable', message: messageOf(error) };
        throw error;
      }
    };
  return Object.fromEntries(Object.entries(methods).map(([name, work]) => [name, guard(work)])) as T;
}

function isPassing(error: unknown): boolean {
  if (error instanceof GitError) return true;
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' && PASSING_SQLITE_CODES.has(code & 0xff);
}

function createReader(state: LocalState, name: string): Omit<ForgeReader, 'discussionReplies'> {
  const { database, git, defaultBranch } = state;
  return {
    repository: async () => ({ result: 'ok', value: { name, defaultBranch } }),
    issue: async (number) => {
      const found = findItem(database, number, 'issue');
      if (found.result !== 'ok') return found;
      const { title, body, author } = found.value;
      const state = found.value.state === 'open' ? 'open' : 'closed';
      return { result: 'ok', value: { number, title, body, state, author, ...readSharedFacts(database, found.value) } };
    },
    pullRequest: (number) => readPullRequest(state, number),
    pullRequestsFrom: (branch) => readPullRequestsFrom(state, branch),
    pullRequestsAt: async (sha) => ({ result: 'ok', value: await readPullRequestsAt(state, sha) }),
    pullRequestsOn: async (branch) => ({ result: 'ok', value: readPullRequestsOn(state, branch) }),
    comments: async (number) => {
      const found = findItem(database, number);
      return found.result === 'ok' ? { result: 'ok', value: readComments(database, number) } : found;
    },
    approvals: async (pr) => {
      const found = findItem(database, pr, 'pr');
      if (found.result !== 'ok') return found;
      return { result: 'ok', value: readApprovals(database, pr, await headOf(git, found.value)) };
    },
    checks: async (ref) => {
      const sha = (await git.headOf(ref)) ?? (await git.commitOf(ref));
      if (sha === undefined) return { result: 'not_found', message: `there is no branch and no commit "${ref}"` };
      return { result: 'ok', value: readChecks(database, sha) };
    },
    changedFiles: (source) => readChanges(state, source),
    isUpToDate: async (pr) => {
      const found = findItem(database, pr, 'pr');
      if (found.result !== 'ok') return found;
      const base = await git.headOf(found.value.base);
      if (base === undefined) return { result: 'not_found', message: `the base branch "${found.value.base}" of #${pr} is gone` };
      return { result: 'ok', value: await git.contains(await headOf(git, found.value), base) };
    },
    ...createAccountReader(database),
  };
}

async function readPullRequest({ database, git }: LocalState, number: number): Promise<ForgeAnswer<PullRequestFacts>> {
  const found = findItem(database, number, 'pr');
  if (found.result !== 'ok') return found;
  const { title, body, state, author, head: headBranch, base: baseBranch, fork, isDraft: draft } = found.value;
  const headSha = await headOf(git, found.value);
  const base = await git.headOf(baseBranch);
  const isKnown = state === 'open' && base !== undefined && !takeControl(database, 'mergeability');
  const mergeable = isKnown ? (await git.conflicts(base, headSha)) === null : null;
  const baseSha = state === 'merged' ? found.value.baseSha : (base ?? '');
  const tied = { headBranch, headSha, fetchRef: fetchRefOf(found.value), fork: fork !== undefined, draft, baseBranch, baseSha };
  const people = { ...readSharedFacts(database, found.value), reviewers: readPeople(database, number, 'reviewer') };
  return { result: 'ok', value: { number, title, body, state, author, ...people, ...tied, mergeable } };
}

async function readPullRequestsFrom(state: LocalState, branch: string): Promise<ForgeAnswer<PullRequestFacts[]>> {
  const sql = "SELECT number FROM items WHERE kind = 'pr' AND state = 'open' AND head = ? AND fork IS NULL ORDER BY number DESC";
  const found: PullRequestFacts[] = [];
  for (const { number } of state.database.all(sql, branch)) {
    const answer = await readPullRequest(state, Number(number));
    if (answer.result !== 'ok') return answer;
    found.push(answer.value);
  }
  return { result: 'ok', value: found };
}

async function readPullRequestsAt({ database, git }: LocalState, sha: string): Promise<number[]> {
  const open = database.all("SELECT number FROM items WHERE kind = 'pr' AND state = 'open' ORDER BY number");
  const found: number[] = [];
  for (const { number } of open) {
    const item = findItem(database, Number(number), 'pr');
    if (item.result === 'ok' && (await headOf(git, item.value)) === sha) found.push(Number(number));
  }
  return found;
}

function readPullRequestsOn({ database }: LocalState, branch: string): number[] {
  const sql = "SELECT number FROM items WHERE kind = 'pr' AND state = 'open' AND (base = ? OR (head = ? AND fork IS NULL)) ORDER BY number";
  return database.all(sql, branch, branch).map(({ number }) => Number(number));
}

async function readChanges({ database, git, defaultBranch }: LocalState, source: ChangeSource): Promise<ForgeAnswer<ChangedFile[]>> {
  if ('pr' in source) {
    const found = findItem(database, source.pr, 'pr');
    if (found.result !== 'ok') return found;
    const { state, base, baseSha } = found.value;
    const head = await headOf(git, found.value);
    if (state === 'merged') return { result: 'ok', value: await git.changedFiles(baseSha, head) };
    return await compare(git, { head, base });
  }
  const head = await git.headOf(source.branch);
  if (head === undefined) return { result: 'not_found', message: `there is no branch "${source.branch}"` };
  return await compare(git, { head, base: source.base ?? defaultBranch });
}

async function compare(
  git: LocalGit,
  { head, base }: { readonly head: string; readonly base: string },
): Promise<ForgeAnswer<ChangedFile[]>> {
  const baseSha = await git.headOf(base);
  if (baseSha === undefined) return { result: 'not_found', message: `there is no branch "${base}" to compare with` };
  return { result: 'ok', value: await git.changedFiles(baseSha, head) };
}
