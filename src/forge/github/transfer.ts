// Owns fetch and push over HTTPS (FG7, FG8). Git talks to GitHub from an empty repository of our own that borrows the objects of
// the folder: what an agent wrote into the configuration of its checkout (proxies, other addresses, certificates) has
// no say where the token goes.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '../../process/git.ts';
import { GitFailure, type GitRemote, gitRemote, isAccessRefused, isLoginRefused } from '../../process/git-remote.ts';
import type { FetchRequest, PushRequest } from '../forge.ts';
import { refuse, refuseLoss, refuseMissing } from '../refusal.ts';
import type { Connection } from './client.ts';
import { withAdvice } from './failure.ts';

const ROUNDS_MAX = 3;

/** Fetches a commit of a ref into the repository of a folder. */
export async function fetchCommit(connection: Connection, { folder, ref, sha }: FetchRequest): Promise<{ sha: string }> {
  const remote = remoteOf(connection);
  return await inBorrowing(folder, async (place) => {
    const head = (await remoteHead(place, remote, ref)) ?? refuseMissing(`there is no ${ref} at GitHub`);
    if (head !== sha) refuse({ result: 'stale_head', message: `${ref} is at ${head} and no longer at ${sha}; fetch it again`, head });
    await copyFrom(remote, { place, folder, sha, options: [] });
    return { sha };
  });
}

const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];

/** Fetches a commit into our repository, and from there into the folder's, unless the folder has it. */
async function copyFrom(
  remote: GitRemote,
  {
    place,
    folder,
    sha,
    options,
  }: { readonly place: string; readonly folder: string; readonly sha: string; readonly options: readonly string[] },
): Promise<void> {
  if (await hasCommit(folder, sha)) return;
  const fetched = await gitRemote(place, remote, [...FETCH, remote.url, sha]);
  if (fetched.code !== 0) unavailable('fetch', fetched.stderr);
  const copied = await git(folder, [...FETCH, ...options, place, sha]);
  if (!copied.ok) throw new GitFailure(`git could not copy ${sha} into ${folder}: ${copied.message}`);
}

/** Points a branch to a commit of a folder's repository. */
export async function pushCommit(connection: Connection, request: PushRequest): Promise<{ sha: string }> {
  const { folder, branch, sha, replaces } = request;
  if (!(await hasCommit(folder, sha))) refuseMissing(`there is no commit ${sha} in ${folder}`);
  const remote = remoteOf(connection);
  const ref = `refs/heads/${branch}`;
  return await inBorrowing(folder, async (place) => {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const head = await remoteHead(place, remote, ref);
      if (head === sha) return { sha };
      if (head !== undefined && head !== replaces && !(await contains(place, sha, head))) refuseLoss(request, head);
      const lease = `--force-with-lease=${ref}:${head ?? ''}`;
      const pushed = await gitRemote(place, remote, ['push', '--quiet', '--porcelain', lease, remote.url, `${sha}:${ref}`]);
      if (pushed.code === 0) return { sha };
      // Somebody pushed in between: read again.
      if (/stale info|fetch first|non-fast-forward|cannot lock ref/.test(`${pushed.stdout}${pushed.stderr}`)) continue;
      const denial = /\[remote rejected\].*|remote: error: .*|pre-receive hook declined/.exec(`${pushed.stdout}\n${pushed.stderr}`)?.[0];
      if (denial !== undefined) refuse({ result: 'denied', message: `GitHub refused the push to "${branch}": ${pushed.stderr || denial}` });
      unavailable('push', pushed.stderr);
    }
    return refuse({ result: 'unavailable', message: `the branch "${branch}" moved during each push; try again` });
  });
}

/** A ref, and the folder whose repository its commit is copied into or from. */
export interface RefRequest {
  readonly folder: string;
  /** Its full name: `refs/pawl/state`. */
  readonly ref: string;
}

/** Fetches the commit of any ref, with its history, into the repository of a folder. `sha` is undefined if there is no such ref. */
export async function fetchRef(connection: Connection, { folder, ref }: RefRequest): Promise<{ sha: string | undefined }> {
  const remote = remoteOf(connection);
  return await inBorrowing(folder, async (place) => {
    const sha = await remoteHead(place, remote, ref);
    if (sha !== undefined) await copyFrom(remote, { place, folder, sha, options: ['--update-shallow'] });
    return { sha };
  });
}

/** Points a ref to a commit of a folder's repository if it still is at `expected`; otherwise the answer is `stale_head`. */
export async function replaceRef(
  connection: Connection,
  { folder, ref, sha, expected }: RefRequest & { readonly sha: string; readonly expected: string | undefined },
): Promise<{ sha: string }> {
  const remote = remoteOf(connection);
  return await inBorrowing(folder, async (place) => {
    const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
    const pushed = await gitRemote(place, remote, ['push', '--quiet', '--porcelain', lease, remote.url, `${sha}:${ref}`]);
    if (pushed.code === 0) return { sha };
    const head = await remoteHead(place, remote, ref);
    // A push whose answer was lost has happened.
    if (head === sha) return { sha };
    if (head !== expected) refuse({ result: 'stale_head', message: `${ref} is no longer at ${expected ?? 'nothing'}`, head: head ?? '' });
    return unavailable('push', pushed.stderr);
  });
}

function remoteOf({ gitUrl, login }: Connection): GitRemote {
  return { url: gitUrl, token: () => login.token(), renew: (refused) => login.renew(refused) };
}

function unavailable(what: string, stderr: string): never {
  const message = withAdvice(`git could not ${what}: ${stderr}`);
  if (isLoginRefused(stderr)) refuse({ result: 'denied', message: `${message}; the login is not valid (any more): renew the token` });
  return refuse({ result: isAccessRefused(stderr) ? 'denied' : 'unavailable', message });
}

async function remoteHead(place: string, remote: GitRemote, ref: string): Promise<string | undefined> {
  const listed = await gitRemote(place, remote, ['ls-remote', '--quiet', remote.url, ref]);
  if (listed.code !== 0) unavailable('read the branches', listed.stderr);
  const line = listed.stdout.split('\n').find((one) => one.endsWith(`\t${ref}`));
  return line === undefined ? undefined : line.slice(0, line.indexOf('\t'));
}

async function hasCommit(folder: string, sha: string): Promise<boolean> {
  return /^[0-9a-f]{40,64}$/.test(sha) && (await git(folder, ['cat-file', '-e', `${sha}^{commit}`])).ok;
}

// A commit that the folder does not have is not contained either.
async function contains(place: string, whole: string, part: string): Promise<boolean> {
  return (await git(place, ['merge-base', '--is-ancestor', part, whole])).ok;
}

async function inBorrowing<T>(folder: string, work: (place: string) => Promise<T>): Promise<T> {
  const objects = await git(folder, ['rev-parse', '--path-format=absolute', '--git-path', 'objects']);
  if (!objects.ok) throw new GitFailure(`${folder} is not a git repository: ${objects.message}`);
  const place = await mkdtemp(join(tmpdir(), 'pawl-transfer-'));
  try {
    const made = await git(place, ['init', '--quiet', '--bare', '--template=']);
    if (!made.ok) throw new GitFailure(`git could not prepare a transfer: ${made.message}`);
    await writeFile(join(place, 'objects', 'info', 'alternates'), `${objects.stdout.trim()}\n`);
    return await work(place);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
