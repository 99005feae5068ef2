// Merges in the local forge so that a crash at any moment neither loses nor repeats a merge. Git and the state
// file cannot be changed in one transaction, so the merged commit is recorded before the branch is moved.
//
// - A branch is moved only to the commit recorded for the key.
// - If a recorded commit is already part of the base branch, only the remaining records are written.
// - Branches are moved one at a time: otherwise a second merge would find the files of the first one in the checkout of the
//   base, and take them for uncommitted changes.
// M3. If the base branch is checked out, that checkout is updated with the merge. If uncommitted changes there are in
// the way, nothing is merged.

import type { MergeMethod, MergeRequest, MergeResult } from '../forge.ts';
import { assertHead, assertNoFailedCheck, deny, refusalIn, refuse, refuseMissing } from '../refusal.ts';
import { takeControl } from './control.ts';
import { doOnce, type KeyedAction, type LocalDatabase, recall } from './database.ts';
import { type LocalGit, refuseBlocked } from './git.ts';
import { type LocalState, type Pull, pullOf, readChecks } from './state.ts';

const ROUNDS_MAX = 10;

interface Merge {
  readonly request: MergeRequest;
  readonly action: KeyedAction;
}

/** A commit that is about to become the head of the base branch. */
interface PlannedMerge {
  readonly sha: string;
  readonly from: string;
  readonly head: string;
}

/** Merges a pull request, or finishes a merge that a crash interrupted. */
export async function mergePullRequest(state: LocalState, request: MergeRequest, key: string): Promise<MergeResult> {
  const { number } = request;
  const { base } = pullOf(state.database, number);
  const merge = { request, action: { name: 'mergePullRequest', key } };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const result = await tryMerge(state, merge, base);
    if (result !== 'again') return result;
  }
  const message = `#${number} was not merged: its base branch moved each time, or is locked by another git process; try again`;
  return refuse({ result: 'unavailable', message });
}

// The state is read after the branch: a merge that another process has landed is then recorded or done.
async function tryMerge(state: LocalState, merge: Merge, baseBranch: string): Promise<MergeResult | 'again'> {
  const { database, git } = state;
  const head = await git.headOf(baseBranch);
  const done = recall<MergeResult>(database, merge.action);
  if (done !== undefined) return done;
  const pr = pullOf(database, merge.request.number);
  const base = head ?? refuseMissing(`the base branch "${pr.base}" of #${pr.number} was deleted`);
  const known = readPlannedMerge(database, merge.action);
  if (known !== undefined && (await git.contains(base, known.sha))) return await finish(state, { merge, pr, planned: known });
  if (pr.state !== 'open') return resultOf(pr, merge.request);
  let planned: PlannedMerge;
  try {
    await assertReady(state, merge.request, pr);
    planned = known?.from === base ? known : await prepare(state, { merge, pr, base });
  } catch (error) {
    // Another process may have landed the same merge since; then it must not be rejected.
    if (refusalIn(error) !== undefined && (await git.headOf(pr.base)) !== base) return 'again';
    throw error;
  }
  if (!recordPlannedMerge(database, merge.action, { known, planned })) return 'again';
  const moved = await database.exclusively(() => git.advance(pr.base, { from: planned.from, to: planned.sha }));
  if (moved.kind !== 'blocked') return moved.kind === 'moved' ? await finish(state, { merge, pr, planned }) : 'again';
  // If another merge has used the checkout, the branch has moved.
  if ((await git.headOf(pr.base)) !== base) return 'again';
  return refuseBlocked(`#${pr.number} was not merged: `, pr.base, moved);
}

/** The result of a pull request that is no longer open. */
function resultOf({ number, state, headSha, mergeSha }: Pull, { expectedHead }: MergeRequest): MergeResult {
  if (state !== 'merged' || mergeSha === undefined) deny(`#${number} is closed and cannot be merged; open it again first`);
  assertHead(number, headSha, expectedHead);
  return { sha: mergeSha, branchDeleted: false };
}

async function assertReady({ database, git }: LocalState, { expectedHead }: MergeRequest, pr: Pull): Promise<void> {
  const head =
    (pr.fork === undefined ? await git.headOf(pr.head) : pr.headSha) ??
    refuseMissing(`the branch "${pr.head}" of #${pr.number} was deleted`);
  assertHead(pr.number, head, expectedHead);
  if (pr.isDraft) deny(`#${pr.number} is a draft and cannot be merged; mark it as ready first`);
  assertNoFailedCheck(pr.number, head, readChecks(database, head));
}

async function prepare(
  { database, git }: LocalState,
  { merge, pr, base }: { readonly merge: Merge; readonly pr: Pull; readonly base: string },
): Promise<PlannedMerge> {
  const { method = 'merge', expectedHead: head } = merge.request;
  if (takeControl(database, 'conflict')) refuseConflict(pr, []);
  const built = await git.build({ method, base, head, message: commitMessage(method, pr) });
  if (built.kind === 'conflict') return refuseConflict(pr, built.files);
  if (built.kind === 'nothing') return deny(`#${pr.number} has no changes that ${pr.base} does not already have`);
  return { sha: built.sha, from: base, head };
}

function refuseConflict({ number, head, base }: Pull, files: readonly string[]): never {
  const where = files.length === 0 ? '' : ` in ${files.join(', ')}`;
  const message = `#${number} was not merged: ${head} conflicts with ${base}${where}; merge ${base} into the branch first`;
  return refuse({ result: 'conflict', message });
}

function commitMessage(method: MergeMethod, { number, title, body, head }: Pull): string {
  if (method === 'merge') return `Merge pull request #${number} from ${head}\n\n${title}\n`;
  return `${title} (#${number})\n${body === '' ? '' : `\n${body}\n`}`;
}

function readPlannedMerge(database: LocalDatabase, { key }: KeyedAction): PlannedMerge | undefined {
  const plan = database.get('SELECT plan FROM actions WHERE key = ?', key)?.plan;
  return typeof plan === 'string' ? (JSON.parse(plan) as PlannedMerge) : undefined;
}

// Returns false if another process has recorded another commit meanwhile, which it may be merging.
function recordPlannedMerge(
  database: LocalDatabase,
  action: KeyedAction,
  { known, planned }: { known: PlannedMerge | undefined; planned: PlannedMerge },
): boolean {
  return database.write(() => {
    if (recall(database, action) !== undefined || readPlannedMerge(database, action)?.sha !== known?.sha) return false;
    database.insert('actions', { ...action, plan: JSON.stringify(planned) }, 'replace');
    return true;
  });
}

async function finish(
  { database, git }: LocalState,
  { merge, pr, planned }: { readonly merge: Merge; readonly pr: Pull; readonly planned: PlannedMerge },
): Promise<MergeResult> {
  const deletes = merge.request.deleteBranch && pr.fork === undefined;
  const branchDeleted = deletes && (await deleteBranch(git, pr.head, planned.head));
  return doOnce(database, merge.action, () => {
    const set = "UPDATE items SET state = 'merged', head_sha = ?, base_sha = ?, merge_sha = ? WHERE number = ?";
    database.run(set, planned.head, planned.from, planned.sha, pr.number);
    database.record({ event: 'pull_request.closed', pr: pr.number, sha: planned.sha });
    return { sha: planned.sha, branchDeleted };
  });
}

// Also returns true if the branch was deleted before, because a crash may have followed the deletion.
async function deleteBranch(git: LocalGit, branch: string, at: string): Promise<boolean> {
  await git.deleteBranch(branch, at);
  return (await git.headOf(branch)) === undefined;
}
