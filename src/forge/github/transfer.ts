// Owns fetch and push over HTTPS (FG7, FG8). Git runs in a temporary repository that borrows the objects of the folder: an
// agent can write proxies, addresses and certificates into the configuration of its checkout, which could send the token
// elsewhere.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { omitUndefined } from '../../base/fields.ts';
import { git } from '../../process/git.ts';
import { GitFailure, type GitRemote, gitRemote, isAccessRefused, isLoginRefused } from '../../process/git-remote.ts';
import type { FetchRequest, PushRequest } from '../forge.ts';
import { refuse, refuseLostCommits, refuseMissing } from '../refusal.ts';
import type { Connection } from './client.ts';
import { withAdvice } from './failure.ts';

const ROUNDS_MAX = 3;

/** A fetch or a push: the folder, the temporary repository, and GitHub. */
interface Transfer {
  readonly folder: string;
  readonly repository: string;
  readonly remote: GitRemote;
}

/** Fetches a commit of a ref into the repository of a folder. */
export function fetchCommit(connection: Connection, { folder, ref, sha }: FetchRequest): Promise<{ sha: string }> {
  return withTransfer(connection, folder, async (transfer) => {
    const head = (await remoteHead(transfer, ref)) ?? refuseMissing(`there is no ${ref} at GitHub`);
    if (head !== sha) refuse({ result: 'stale_head', message: `${ref} is at ${head} and no longer at ${sha}; fetch it again`, head });
    await fetchInto(transfer, sha);
    return { sha };
  });
}

const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];

/** Fetches a commit into the temporary repository, and from there into the folder's, unless the folder has it. */
async function fetchInto({ folder, repository, remote }: Transfer, sha: string, options: readonly string[] = []): Promise<void> {
  if (await hasCommit(folder, sha)) return;
  const fetched = await gitRemote(repository, remote, [...FETCH, remote.url, sha]);
  if (fetched.code !== 0) unavailable('fetch', fetched.stderr);
  const copied = await git(folder, [...FETCH, ...options, repository, sha]);
  if (!copied.ok) throw new GitFailure(`git could not copy ${sha} into ${folder}: ${copied.message}`);
}

/** Points a branch to a commit of a folder's repository. */
export async function pushCommit(connection: Connection, request: PushRequest): Promise<{ sha: string }> {
  const { folder, branch, sha, replaces } = request;
  if (!(await hasCommit(folder, sha))) refuseMissing(`there is no commit ${sha} in ${folder}`);
  const ref = `refs/heads/${branch}`;
  return await withTransfer(connection, folder, async (transfer) => {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const head = await remoteHead(transfer, ref);
      if (head === sha) return { sha };
      if (head !== undefined && head !== replaces && !(await contains(transfer.repository, sha, head))) refuseLostCommits(request, head);
      const pushed = await push(transfer, { ref, sha, expected: head });
      if (pushed.code === 0) return { sha };
      // There was a push in between: read again.
      if (/stale info|fetch first|non-fast-forward|cannot lock ref/.test(`${pushed.stdout}${pushed.stderr}`)) continue;
      const denial = /\[remote rejected\].*|remote: error: .*|pre-receive hook declined/.exec(`${pushed.stdout}\n${pushed.stderr}`)?.[0];
      if (denial !== undefined)
        refuse({ result: 'denied', message: `GitHub rejected the push to "${branch}": ${pushed.stderr || denial}` });
      unavailable('push', pushed.stderr);
    }
    return refuse({ result: 'unavailable', message: `the branch "${branch}" moved during each push; try again` });
  });
}

/** A ref, and the folder whose repository has or receives its commit. */
export interface RefRequest {
  readonly folder: string;
  /** Its full name: `refs/pawl/state`. */
  readonly ref: string;
}

/** Fetches the commit of any ref, with its history, into the repository of a folder. `sha` is undefined if there is no such ref. */
export function fetchRef(connection: Connection, { folder, ref }: RefRequest): Promise<{ sha: string | undefined }> {
  return withTransfer(connection, folder, async (transfer) => {
    const sha = await remoteHead(transfer, ref);
    if (sha !== undefined) await fetchInto(transfer, sha, ['--update-shallow']);
    return { sha };
  });
}

/** Points a ref to a commit of a folder's repository if it still is at `expected`; otherwise the answer is `stale_head`. */
export function replaceRef(
  connection: Connection,
  { folder, ref, sha, expected }: RefRequest & { readonly sha: string; readonly expected: string | undefined },
): Promise<{ sha: string }> {
  return withTransfer(connection, folder, async (transfer) => {
    const pushed = await push(transfer, { ref, sha, expected });
    if (pushed.code === 0) return { sha };
    const head = await remoteHead(transfer, ref);
    // The push was carried out, and its response was lost.
    if (head === sha) return { sha };
    if (head !== expected)
      refuse({ result: 'stale_head', message: `${ref} is no longer at ${expected ?? 'nothing'}`, ...omitUndefined({ head }) });
    return unavailable('push', pushed.stderr);
  });
}

/** Pushes a commit to a ref, if the ref is still at the expected commit. */
function push(
  { repository, remote }: Transfer,
  { ref, sha, expected = '' }: { readonly ref: string; readonly sha: string; readonly expected: string | undefined },
): ReturnType<typeof gitRemote> {
  const lease = `--force-with-lease=${ref}:${expected}`;
  return gitRemote(repository, remote, ['push', '--quiet', '--porcelain', lease, remote.url, `${sha}:${ref}`]);
}

function unavailable(command: string, stderr: string): never {
  const message = withAdvice(`git could not ${command}: ${stderr}`);
  if (isLoginRefused(stderr)) refuse({ result: 'denied', message: `${message}; the login is not valid (any more): renew the token` });
  return refuse({ result: isAccessRefused(stderr) ? 'denied' : 'unavailable', message });
}

async function remoteHead({ repository, remote }: Transfer, ref: string): Promise<string | undefined> {
  const listed = await gitRemote(repository, remote, ['ls-remote', '--quiet', remote.url, ref]);
  if (listed.code !== 0) unavailable('read the branches', listed.stderr);
  const line = listed.stdout.split('\n').find((entry) => entry.endsWith(`\t${ref}`));
  return line === undefined ? undefined : line.slice(0, line.indexOf('\t'));
}

async function hasCommit(folder: string, sha: string): Promise<boolean> {
  return /^[0-9a-f]{40,64}$/.test(sha) && (await git(folder, ['cat-file', '-e', `${sha}^{commit}`])).ok;
}

// False also for a commit that the repository does not have.
async function contains(repository: string, whole: string, part: string): Promise<boolean> {
  return (await git(repository, ['merge-base', '--is-ancestor', part, whole])).ok;
}

async function withTransfer<T>({ gitUrl, login }: Connection, folder: string, work: (transfer: Transfer) => Promise<T>): Promise<T> {
  const objects = await git(folder, ['rev-parse', '--path-format=absolute', '--git-path', 'objects']);
  if (!objects.ok) throw new GitFailure(`${folder} is not a git repository: ${objects.message}`);
  const repository = await mkdtemp(join(tmpdir(), 'pawl-transfer-'));
  try {
    const created = await git(repository, ['init', '--quiet', '--bare', '--template=']);
    if (!created.ok) throw new GitFailure(`git could not prepare a transfer: ${created.message}`);
    await writeFile(join(repository, 'objects', 'info', 'alternates'), `${objects.stdout.trim()}\n`);
    const remote = { url: gitUrl, token: () => login.token(), renew: (refused: string) => login.renew(refused) };
    return await work({ folder, repository, remote });
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}
