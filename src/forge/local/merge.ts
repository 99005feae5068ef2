// Owns merging in the local forge, so that a crash at any moment neither loses nor repeats a merge. Git and the state
// file cannot be changed in one transaction, so the commit to land is recorded before the branch is moved.
//
// - A commit is landed only if it is the one recorded for the key.
// - If a recorded commit is already part of the base branch, it was landed, and only the remaining records are
//   written.
// - Branches are moved in turn: a second merge would find the first one's files in the checkout of the base and take
//   them for somebody's changes.
// M3. If the base branch is checked out, that checkout is updated with the merge. If uncommitted changes there are in
// the way, nothing is merged.

import type { ForgeAnswer, ForgeFailure, MergeMethod, MergeRequest, MergeResult } from '../forge.ts';
import { takeControl } from './control.ts';
import { type LocalDatabase, recall, remember } from './database.ts';
import type { LocalGit } from './git.ts';
import { deny, findItem, type Item, type LocalState, readChecks } from './state.ts';

const NAME = 'mergePullRequest';
const ROUNDS_MAX = 10;
const RED = new Set(['failure', 'cancelled', 'timed_out', 'action_required']);

interface Merge {
  readonly request: MergeRequest;
  readonly key: string;
}

/** A commit that is about to become the head of the base branch. */
interface Landing {
  readonly sha: string;
  readonly from: string;
  readonly head: string;
}

/** Merges a pull request, or finishes a merge that a crash interrupted. */
export async function mergePullRequest(state: LocalState, merge: Merge): Promise<ForgeAnswer<MergeResult>> {
  const { number } = merge.request;
  const found = findItem(state.database, number, 'pr');
  if (found.result !== 'ok') return found;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const answer = await tryMerge(state, merge, found.value.base);
    if (answer !== 'again') return answer;
  }
  const message = `#${number} was not merged: its base branch moved each time, or is locked by another git process; try again`;
  return { result: 'unavailable', message };
}

// The state is read after the branch: a merge that another process has landed is then recorded or done.
async function tryMerge(state: LocalState, merge: Merge, baseBranch: string): Promise<ForgeAnswer<MergeResult> | 'again'> {
  const { database, git } = state;
  const base = await git.headOf(baseBranch);
  const done = recall<MergeResult>(database, NAME, merge.key);
  if (done !== undefined) return done;
  const found = findItem(database, merge.request.number, 'pr');
  if (found.result !== 'ok') return found;
  const pr = found.value;
  if (base === undefined) return { result: 'not_found', message: `the base branch "${pr.base}" of #${pr.number} is gone` };
  const known = readLanding(database, merge.key);
  if (known !== undefined && (await git.contains(base, known.sha))) return await finish(state, { merge, pr, landing: known });
  if (pr.state !== 'open') return alreadyEnded(pr, merge.request);
  const refusal = await refuse(state, merge.request, pr);
  const landing = refusal ?? (known?.from === base ? known : await prepare(state, { merge, pr, base }));
  // Another process may have landed the same merge since: then this is not a rejection.
  if ('result' in landing) return (await git.headOf(pr.base)) === base ? landing : 'again';
  if (!recordLanding(database, merge.key, { known, landing })) return 'again';
  const moved = await database.inTurn(() => git.advance(pr.base, { from: landing.from, to: landing.sha }));
  if (moved.kind === 'elsewhere') return 'again';
  // Another merge may have used the checkout before this one; then the branch is no longer there.
  if (moved.kind === 'blocked') return (await git.headOf(pr.base)) === base ? blocked(pr, moved) : 'again';
  return await finish(state, { merge, pr, landing });
}

function alreadyEnded({ number, state, headSha, mergeSha }: Item, { expectedHead }: MergeRequest): ForgeAnswer<MergeResult> {
  if (state !== 'merged') return deny(`#${number} is closed and cannot be merged; open it again first`);
  if (headSha !== expectedHead) return stale(number, headSha, expectedHead);
  return { result: 'ok', value: { sha: mergeSha, branchDeleted: false } };
}

function stale(number: number, head: string, expected: string): ForgeFailure {
  const message = `the head of #${number} is ${head}, not ${expected} as expected: it changed since it was reviewed; review it again`;
  return { result: 'stale_head', message, head };
}

async function refuse({ database, git }: LocalState, { expectedHead }: MergeRequest, pr: Item): Promise<ForgeFailure | undefined> {
  const head = pr.fork === undefined ? await git.headOf(pr.head) : pr.headSha;
  if (head === undefined) return { result: 'not_found', message: `the branch "${pr.head}" of #${pr.number} is gone` };
  if (head !== expectedHead) return stale(pr.number, head, expectedHead);
  if (pr.isDraft) return deny(`#${pr.number} is a draft and cannot be merged; mark it as ready first`);
  return redChecks(database, pr, head);
}

async function prepare(
  { database, git }: LocalState,
  { merge, pr, base }: { readonly merge: Merge; readonly pr: Item; readonly base: string },
): Promise<Landing | ForgeFailure> {
  const { method = 'merge', expectedHead: head } = merge.request;
  if (takeControl(database, 'conflict')) return conflict(pr, []);
  const built = await git.build({ method, base, head, message: messageOf(method, pr) });
  if (built.kind === 'conflict') return conflict(pr, built.files);
  if (built.kind === 'nothing') return deny(`#${pr.number} has no changes that ${pr.base} does not already have`);
  return { sha: built.sha, from: base, head };
}

function blocked({ number, base }: Item, { place, message }: { readonly place: string; readonly message: string }): ForgeFailure {
  return deny(
    `#${number} was not merged: "${base}" is checked out in ${place}, and changes there are in the way: ${message}; commit or stash them, then try again`,
  );
}

function redChecks(database: LocalDatabase, { number }: Item, head: string): ForgeFailure | undefined {
  const red = readChecks(database, head).filter(({ conclusion, own }) => own !== true && conclusion !== null && RED.has(conclusion));
  if (red.length === 0) return undefined;
  const listed = red.map(({ name, conclusion }) => `${name} (${conclusion})`).join(', ');
  return { result: 'ci_failure', message: `#${number} was not merged: these checks failed on its head ${head}: ${listed}` };
}

function conflict({ number, head, base }: Item, files: readonly string[]): ForgeFailure {
  const where = files.length === 0 ? '' : ` in ${files.join(', ')}`;
  return {
    result: 'conflict',
    message: `#${number} was not merged: ${head} conflicts with ${base}${where}; merge ${base} into the branch first`,
  };
}

function messageOf(method: MergeMethod, { number, title, body, head }: Item): string {
  if (method === 'merge') return `Merge pull request #${number} from ${head}\n\n${title}\n`;
  return `${title} (#${number})\n${body === '' ? '' : `\n${body}\n`}`;
}

function readLanding(database: LocalDatabase, key: string): Landing | undefined {
  const plan = database.get('SELECT plan FROM actions WHERE key = ?', key)?.plan;
  return typeof plan === 'string' ? (JSON.parse(plan) as Landing) : undefined;
}

// Returns false if another process has recorded something else meanwhile, which may be landing.
function recordLanding(
  database: LocalDatabase,
  key: string,
  { known, landing }: { known: Landing | undefined; landing: Landing },
): boolean {
  return database.write(() => {
    if (recall(database, NAME, key) !== undefined || readLanding(database, key)?.sha !== known?.sha) return false;
    database.run('INSERT OR REPLACE INTO actions (key, name, plan) VALUES (?, ?, ?)', key, NAME, JSON.stringify(landing));
    return true;
  });
}

async function finish(
  { database, git }: LocalState,
  { merge, pr, landing }: { readonly merge: Merge; readonly pr: Item; readonly landing: Landing },
): Promise<ForgeAnswer<MergeResult>> {
  const deletes = merge.request.deleteBranch && pr.fork === undefined;
  const branchDeleted = deletes && (await deleteBranch(git, pr.head, landing.head));
  return database.write(() => {
    const done = recall<MergeResult>(database, NAME, merge.key);
    if (done !== undefined) return done;
    const value: MergeResult = { sha: landing.sha, branchDeleted };
    const set = "UPDATE items SET state = 'merged', head_sha = ?, base_sha = ?, merge_sha = ? WHERE number = ?";
    database.run(set, landing.head, landing.from, landing.sha, pr.number);
    remember(database, { name: NAME, key: merge.key }, value);
    database.record({ event: 'pull_request.closed', pr: pr.number, sha: landing.sha });
    return { result: 'ok', value };
  });
}

// Also returns true if it was already gone: a crash may have come right after the deletion.
async function deleteBranch(git: LocalGit, branch: string, at: string): Promise<boolean> {
  await git.remove(branch, at);
  return (await git.headOf(branch)) === undefined;
}
