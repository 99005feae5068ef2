// Owns which events Pawl caused itself, and what those may start.
//
// FT5. What a run did at the forge starts nothing: not its comments, labels, issues, pull requests, pushes and merges. A trigger
//      with `from_runs: true` starts on it nevertheless, and a review policy does.
// FT6. A run never leads to a second one of the same workflow: the runs behind an event are known by name, and a workflow among
//      them does not start. So a chain of runs is no longer than there are workflows.
//
// Under a login of its own, such as an App's, everything that this login did is Pawl's. Under a person's login, the record of
// what was done at the forge tells what a run did from what the person did.

import type { JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import type { DoneAction, ForgeEvent, ForgeReader } from '../../forge/forge.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import { valueIn } from './forge-unavailable.ts';
import type { ForgeOccasion } from './occasion.ts';

/** The runs behind an event: the one that caused it, the one that caused that one, and so on. Empty if they are not known. */
export interface OwnAction {
  readonly runs: readonly Pick<RunSummary, 'id' | 'workflow'>[];
}

/** What the origin of an event is found with. */
export interface OwnActionParts {
  readonly forge: ForgeReader;
  readonly store: Pick<Store, 'list'>;
}

/** How far the time of an event can be from that of our record of it. */
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

/** Returns the origin of an event that Pawl caused, or undefined for one that somebody else caused. */
export async function ownAction(parts: OwnActionParts, occasion: ForgeOccasion): Promise<OwnAction | undefined> {
  const { forge } = parts;
  const { actor } = occasion.event;
  if (actor === '') return undefined;
  const self = valueIn(await forge.whoami());
  if (!isSamePerson(self.login, actor)) return undefined;
  const cause = (await runOfBranch(parts, occasion)) ?? (await runOfRecord(parts, occasion.event));
  if (cause !== undefined) return { runs: await chainOf(parts, cause) };
  return self.bot ? { runs: [] } : undefined;
}

/** The run whose branch a pull request comes from, for what happens by opening it and by pushing to it. */
async function runOfBranch({ store }: OwnActionParts, { event: { event }, payload }: ForgeOccasion): Promise<RunSummary | undefined> {
  if (event !== 'pull_request.opened' && event !== 'pull_request.synchronize') return undefined;
  const [, run] = /^pawl\/([\w-]+)$/.exec(headOf(payload)) ?? [];
  return run === undefined ? undefined : await runWith(store, run);
}

function headOf({ pull_request: pull }: JsonObject): string {
  const head = isJsonObject(pull) ? pull.head : undefined;
  return isJsonObject(head) && typeof head.ref === 'string' ? head.ref : '';
}

/** The run under whose key the event was caused. */
async function runOfRecord({ forge, store }: OwnActionParts, event: ForgeEvent): Promise<RunSummary | undefined> {
  for (const one of (await recordsOf(forge, event)).toReversed()) {
    const run = await runWith(store, one.key.split('/')[0] ?? '');
    if (run !== undefined) return run;
  }
  return undefined;
}

/** The actions on record that can have caused an event. */
export async function recordsOf(forge: ForgeReader, event: ForgeEvent): Promise<readonly DoneAction[]> {
  const names = ACTIONS[event.event] ?? ACTIONS[event.event.split('.')[1] ?? ''] ?? [];
  if (names.length === 0) return [];
  return valueIn(await forge.done('')).filter((one) => names.includes(one.action) && isAbout(one.value, event) && isNear(one, event));
}

/** Whether the value of an action fits an event, as far as it says what it was about. */
function isAbout(value: object, { issue, pr, comment, label }: ForgeEvent): boolean {
  const { number, id, labels } = value as { readonly number?: unknown; readonly id?: unknown; readonly labels?: unknown };
  if (typeof number === 'number' && number !== (pr ?? issue)) return false;
  if (comment !== undefined && id !== comment) return false;
  return label === undefined || !Array.isArray(labels) || labels.includes(label);
}

function isNear({ at }: DoneAction, event: ForgeEvent): boolean {
  return Math.abs(at - event.at) <= NEAR_MS;
}

async function runWith(store: OwnActionParts['store'], id: string): Promise<RunSummary | undefined> {
  const [found] = await store.list({ id });
  return found;
}

async function chainOf({ store }: OwnActionParts, first: RunSummary): Promise<RunSummary[]> {
  const chain: RunSummary[] = [];
  for (let run: RunSummary | undefined = first; run !== undefined && !chain.some(({ id }) => id === run?.id); ) {
    chain.push(run);
    const before: string | undefined = run.origin.cause ?? run.parent;
    run = before === undefined ? undefined : await runWith(store, before);
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
