// Owns fetch and push of the local forge. Both copy objects between folders of this machine; branches are moved under the
// rules of `git.ts`.

import type { FetchRequest, PushRequest } from '../forge.ts';
import { refuse, refuseLostCommits, refuseMissing } from '../refusal.ts';
import { refuseBlocked } from './git.ts';
import type { LocalState } from './state.ts';

const ROUNDS_MAX = 5;

/** Fetches a commit of a ref into the repository of a folder. */
export async function fetchCommit({ git, repository }: LocalState, { folder, ref, sha }: FetchRequest): Promise<{ sha: string }> {
  const head = (await git.refOf(ref)) ?? refuseMissing(`there is no ${ref} in ${repository}`);
  if (head !== sha) refuse({ result: 'stale_head', message: `${ref} is at ${head} and no longer at ${sha}; fetch it again`, head });
  if (!(await git.copy(sha, { from: repository, to: folder })))
    refuse({ result: 'unavailable', message: `git could not fetch ${sha} from ${repository} into ${folder}` });
  return { sha };
}

/** Points a branch to a commit of a folder's repository. */
export async function pushCommit(state: LocalState, request: PushRequest): Promise<{ sha: string }> {
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
