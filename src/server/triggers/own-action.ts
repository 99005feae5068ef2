// Recognises the events that Pawl caused itself, and decides what they may start: a run that reacts to its own push,
// comment or label would never end.
//
// FR1. Pawl caused a push if the commit is on the run's own branch, whatever actor it names: polling GitHub shows the
//      author of the pull request there.
// FR2. Pawl caused any other event of its login if that login is a program, or if the action is on record.
// FT5. What a run does at the forge starts nothing: not its comments, labels, issues, pull requests, pushes and merges. The
//      exceptions are triggers with `from_runs: true`, and review policies.
// FT6. A run never leads to a second run of the same workflow: a workflow that is among the runs behind an event does not
//      start. So a chain of runs is no longer than there are workflows.
//
// - Comments of runs, replies to commands and checks of gates start nothing, no run reacts to them, and no gate checks again
//   because of them, whatever a trigger says.
// - If Pawl has a separate login, such as an App's, Pawl caused everything that this login did. If it uses a person's login,
//   the record of its actions at the forge tells them from what the person did.

import { fieldOf } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import { parseEvent } from '../../definition/trigger/event.ts';
import { type CompletedAction, type ForgeEvent, type ForgeReader, OWN_CHECK_PREFIX } from '../../forge/forge.ts';
import { runOfKey } from '../../forge/run-key.ts';
import { git } from '../../process/git.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import type { ServerDatabase } from '../server-database.ts';
import { RunRows } from '../surface/run/rows.ts';
import { valueIn } from './forge-unavailable.ts';
import type { OpenRun } from './open-runs.ts';
import { type ReceivedEvent, textIn } from './received-event.ts';

/** The runs behind an event: the one that caused it, the one that caused that one, and so on. Empty if they are not known. */
export interface OwnAction {
  readonly runs: readonly Pick<RunSummary, 'id' | 'workflow'>[];
}

interface OwnActionParts {
  readonly forge: ForgeReader;
  readonly store: Pick<Store, 'list'>;
}

/** How far the time of an event can be from that of the recorded action. */
const NEAR_MS = 120_000;
/** The actions that cause an event, by how its name ends. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'issues.opened': ['createIssue'],
  'pull_request.opened': ['openPullRequest'],
  'pull_request.reopened': [],
  'issue_comment.created': ['comment', 'notify'],
  'issue_comment.edited': ['editComment'],
  'pull_request_review.submitted': ['submitReview'],
  'check_run.created': ['setCheck'],
  'check_run.completed': ['setCheck'],
  ...{ labeled: ['addLabels', 'createIssue'], unlabeled: ['removeLabels'] },
  ...{ closed: ['closeIssue', 'mergePullRequest'], review_requested: ['requestReviewers'], assigned: ['assign'] },
};

/** The runs behind an event that Pawl caused; undefined for an event with another cause. */
export async function ownAction(parts: OwnActionParts, received: ReceivedEvent): Promise<OwnAction | undefined> {
  const self = await ownLogin(parts.forge, received.event.actor);
  if (self === undefined) return undefined;
  const cause = (await runOfBranch(parts, received)) ?? (await runOfRecord(parts, received.event));
  if (cause !== undefined) return { runs: await causesOf(parts, cause) };
  return self.bot ? { runs: [] } : undefined;
}

/** The engine's own login at the forge, if it is this one. An event without an actor is not its own. */
async function ownLogin(forge: ForgeReader, login: string | undefined) {
  if (login === undefined) return undefined;
  const self = valueIn(await forge.whoami());
  return isSamePerson(self.login, login) ? self : undefined;
}

/** Whether a run caused an event. */
export async function isOwnEvent(forge: ForgeReader, event: ForgeEvent, run: OpenRun): Promise<boolean> {
  if (event.event === 'pull_request.synchronize' && event.sha !== undefined) return isOwnCommit(event.sha, run);
  const self = await ownLogin(forge, event.actor);
  // Both the engine and the person use a person's login.
  return self !== undefined && (self.bot || (await recordsOf(forge, event)).length > 0);
}

async function isOwnCommit(sha: string, { pushed, workspace }: OpenRun): Promise<boolean> {
  if (sha === pushed) return true;
  if (workspace === undefined || !/^[0-9a-f]{40,64}$/.test(sha)) return false;
  // A commit of another person is in the worktree only if the run merged it.
  return (await git(workspace, ['merge-base', '--is-ancestor', sha, 'HEAD'])).ok;
}

/** The marker at the end of what the driver writes. Others may write it too, but not under Pawl's login. */
const MARK = /\n\n<!-- pawl:[0-9a-f]{24} -->$/;

/** Whether an event is about a comment or a check of Pawl. */
export async function isOwnCommentOrCheck(
  { forge, database }: { readonly forge: ForgeReader; readonly database: ServerDatabase },
  { event, payload }: ReceivedEvent,
): Promise<boolean> {
  if (event.event.startsWith('issue_comment.')) {
    if (event.comment === undefined) return false;
    if (new RunRows(database).isOwn(event.comment)) return true;
    // GitHub can deliver the event of a comment before the request that wrote it has ended.
    const author = textIn(fieldOf(payload.comment, 'user'), 'login');
    return MARK.test(textIn(payload.comment, 'body') ?? '') && (await ownLogin(forge, author)) !== undefined;
  }
  const check = event.event === 'status' ? textIn(payload, 'context') : textIn(payload.check_run, 'name');
  return check?.startsWith(OWN_CHECK_PREFIX) === true && (await ownLogin(forge, event.actor)) !== undefined;
}

/** The run whose branch a pull request is from, if the event is opening it or pushing to it. */
async function runOfBranch({ store }: OwnActionParts, { event: { event }, payload }: ReceivedEvent): Promise<RunSummary | undefined> {
  if (event !== 'pull_request.opened' && event !== 'pull_request.synchronize') return undefined;
  const head = textIn(fieldOf(payload.pull_request, 'head'), 'ref') ?? '';
  const [, run] = /^pawl\/([\w-]+)$/.exec(head) ?? [];
  return run === undefined ? undefined : await findRun(store, run);
}

/** The run whose recorded action caused an event. */
async function runOfRecord({ forge, store }: OwnActionParts, event: ForgeEvent): Promise<RunSummary | undefined> {
  for (const record of (await recordsOf(forge, event)).toReversed()) {
    const run = await findRun(store, runOfKey(record.key));
    if (run !== undefined) return run;
  }
  return undefined;
}

/** The recorded actions that can have caused an event. */
async function recordsOf(forge: ForgeReader, event: ForgeEvent): Promise<readonly CompletedAction[]> {
  const names = ACTIONS[event.event] ?? ACTIONS[parseEvent(event.event).action ?? ''] ?? [];
  if (names.length === 0) return [];
  return valueIn(await forge.done('')).filter(
    (record) => names.includes(record.action) && isAbout(record.value, event) && Math.abs(record.at - event.at) <= NEAR_MS,
  );
}

/** Whether the result of an action fits an event, in the fields that it has. */
function isAbout(value: object, { issue, pr, comment, label }: ForgeEvent): boolean {
  const { number, id, labels } = value as { readonly number?: unknown; readonly id?: unknown; readonly labels?: unknown };
  if (typeof number === 'number' && number !== (pr ?? issue)) return false;
  if (comment !== undefined && id !== comment) return false;
  return label === undefined || !Array.isArray(labels) || labels.includes(label);
}

async function findRun(store: OwnActionParts['store'], id: string): Promise<RunSummary | undefined> {
  const [found] = await store.list({ id });
  return found;
}

async function causesOf({ store }: OwnActionParts, first: RunSummary): Promise<RunSummary[]> {
  const chain: RunSummary[] = [];
  for (let run: RunSummary | undefined = first; run !== undefined && !chain.some(({ id }) => id === run?.id); ) {
    chain.push(run);
    const before: string | undefined = run.origin.cause ?? run.parent;
    run = before === undefined ? undefined : await findRun(store, before);
  }
  return chain;
}

/** Returns why an event that Pawl caused does not start a workflow, or undefined if it does. */
export function ownRefusal(
  { runs }: OwnAction,
  { workflow, isNamed, fromRuns }: { readonly workflow: string; readonly isNamed: boolean; readonly fromRuns: boolean },
): string | undefined {
  const [cause] = runs;
  const who = cause === undefined ? 'Pawl' : `run ${cause.id}`;
  if (isNamed) return `${who} caused this event, and only people can start a workflow by name`;
  if (!fromRuns)
    return `${who} caused this event, and "${workflow}" does not start on events that runs cause; "from_runs: true" in its trigger allows it`;
  if (cause === undefined) return `Pawl caused this event, and the run behind it is not known`;
  const same = runs.find((run) => run.workflow === workflow);
  return same === undefined ? undefined : `run ${same.id} of "${workflow}" led to this, so it would start itself again`;
}
