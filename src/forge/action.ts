// Owns the forge requests that the actions of a workflow become (`merge_pr`, `close_issue`, …). The forge's answer
// becomes an outcome that transitions can use.
//
// - Text is disarmed (`outgoing-text.ts`) except for what is declared, because it may contain values from agents.
// - A merge names the approved head. Without one the current head is read first, which ties the merge to no approval:
//   pass `head` wherever there was an approval.
// - An action that becomes two requests gives each its own key, so that a crash between them repeats neither.

import { parseDuration } from '../base/duration.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { unreachable } from '../base/invariant.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { type ForgeAction, type ForgeActionOf, issueNumber, labelsOf, parseForgeAction } from '../definition/forge/forge-action.ts';
import { type Forge, type ForgeAnswer, type ForgeFailure, mapAnswer } from './forge.ts';
import { type AllowedEffects, disarm } from './outgoing-text.ts';
import { type Groups, membersOf } from './people.ts';

/** The issue or pull request that an action is about. */
export interface ActionSubject {
  readonly issue?: number;
  readonly pr?: number;
  /** The approved head of the pull request. */
  readonly head?: string;
}

/** The context of an action. */
export interface ActionContext {
  readonly subject: ActionSubject;
  /** Unique to this action; the same again after a crash. */
  readonly key: string;
  /** Unique to the visit of the step: the same for every attempt of it. */
  readonly visit?: string;
  /** The groups of the config, so that a notification reaches their members. A name that is not a group is a person. */
  readonly groups?: Groups;
  /** Whom the text may mention and what it may close. */
  readonly declared?: AllowedEffects;
}

/** The result of an action. `reason` is that of the forge, or `invalid` for an invalid config. */
export type ActionResult =
  | { readonly outcome: 'ok'; readonly value: Json }
  | {
      readonly outcome: 'error' | 'conflict' | 'ci_failure' | 'stale_head';
      readonly error: string;
      readonly reason: ForgeFailure['result'] | 'invalid';
      /** For `rate_limited`: when to try again, with the same key. */
      readonly until?: number;
    };

/** Performs an action. A repeated call with the same key returns the first result. */
export async function performAction(forge: Forge, fields: JsonObject, scene: ActionContext): Promise<ActionResult> {
  try {
    const answer = await perform(forge, parseForgeAction(fields), scene);
    if (answer.result === 'ok') return { outcome: 'ok', value: answer.value as Json };
    return toResult(answer);
  } catch (error) {
    if (isEngineError(error)) return { outcome: 'error', error: error.message, reason: 'invalid' };
    throw error;
  }
}

function perform(forge: Forge, action: ForgeAction, scene: ActionContext): Promise<ForgeAnswer<object>> {
  switch (action.action) {
    case 'merge_pr':
      return mergePr(forge, action, scene);
    case 'close_issue':
      return closeIssue(forge, action, scene);
    case 'create_issue':
      return createIssue(forge, action, scene);
    case 'label':
    case 'label_issue':
      return label(forge, action, scene);
    case 'notify':
      return notify(forge, action, scene);
    case 'comment':
      return comment(forge, action, scene);
    default:
      return unreachable(action);
  }
}

function toResult(failure: ForgeFailure): ActionResult {
  const { result: reason, message: error } = failure;
  if (reason === 'conflict' || reason === 'ci_failure' || reason === 'stale_head') return { outcome: reason, error, reason };
  return { outcome: 'error', error, reason, ...('until' in failure ? omitUndefined({ until: failure.until }) : {}) };
}

/** How long a merge may take by default. */
const WAIT_MS = 24 * 3_600_000;

async function mergePr(
  forge: Forge,
  { method, delete_branch: deleteBranch = false, wait }: ForgeActionOf<'merge_pr'>,
  { subject, key, visit = key }: ActionContext,
): Promise<ForgeAnswer<object>> {
  const number = subject.pr ?? invalid('merge_pr needs a pull request, but this run has none yet; open one in an earlier stage');
  const waits = { visit, forMs: wait === undefined ? WAIT_MS : parseDuration(wait, '"wait" of merge_pr') };
  const request = { number, ...omitUndefined({ method }), deleteBranch, waits };
  if (subject.head !== undefined) return await forge.mergePullRequest({ ...request, expectedHead: subject.head }, key);
  const pr = await forge.pullRequest(number);
  if (pr.result !== 'ok') return pr;
  return await forge.mergePullRequest({ ...request, expectedHead: pr.value.headSha }, key);
}

async function closeIssue(
  forge: Forge,
  { issue }: ForgeActionOf<'close_issue'>,
  { subject, key }: ActionContext,
): Promise<ForgeAnswer<object>> {
  const number = issue === undefined ? subject.issue : issueNumber(issue);
  return await forge.closeIssue(
    { number: number ?? invalid('close_issue needs the number of an issue, because this run is not about one') },
    key,
  );
}

async function createIssue(
  forge: Forge,
  { title, body = '', labels }: ForgeActionOf<'create_issue'>,
  { key, declared }: ActionContext,
): Promise<ForgeAnswer<object>> {
  return await forge.createIssue({ title: disarm(title, declared), body: disarm(body, declared), labels: labelsOf(labels) }, key);
}

async function label(
  forge: Forge,
  action: ForgeActionOf<'label' | 'label_issue'>,
  { subject, key }: ActionContext,
): Promise<ForgeAnswer<object>> {
  const number = numberOf(action.target, subject);
  const [add, remove] = [labelsOf(action.add), labelsOf('remove' in action ? action.remove : undefined)];
  if (remove.length > 0) {
    const removed = await forge.removeLabels({ number, labels: remove }, `${key}/remove`);
    if (removed.result !== 'ok' || add.length === 0) return mapAnswer(removed, ({ labels }) => ({ labels }));
  }
  return mapAnswer(await forge.addLabels({ number, labels: add }, `${key}/add`), ({ labels }) => ({ labels }));
}

async function comment(
  forge: Forge,
  { message, target }: ForgeActionOf<'comment'>,
  { subject, key, declared }: ActionContext,
): Promise<ForgeAnswer<object>> {
  return mapAnswer(await forge.comment({ number: numberOf(target, subject), body: disarm(message, declared) }, key), ({ id }) => ({ id }));
}

async function notify(
  forge: Forge,
  { target, message }: ForgeActionOf<'notify'>,
  { subject, key, groups, declared }: ActionContext,
): Promise<ForgeAnswer<object>> {
  const people = groups !== undefined && Object.hasOwn(groups, target) ? membersOf(groups, target) : [target];
  const number = subject.pr ?? subject.issue;
  const text = message === undefined ? defaultMessage(target, subject) : disarm(message, declared);
  return await forge.notify({ target, people, message: text, ...omitUndefined({ number }) }, key);
}

function defaultMessage(target: string, { issue, pr }: ActionSubject): string {
  const subject = pr !== undefined ? `pull request #${pr}` : issue !== undefined ? `issue #${issue}` : 'a workflow';
  return `${target}: ${subject} needs your attention.`;
}

// If a run has both, the issue comes first: the run was started for it.
function numberOf(target: 'issue' | 'pr' | undefined, { issue, pr }: ActionSubject): number {
  const number = target === 'pr' ? pr : target === 'issue' ? issue : (issue ?? pr);
  return number ?? invalid(`this run is not about ${target === 'pr' ? 'a pull request' : 'an issue'}, so there is nothing to act on`);
}

function invalid(message: string): never {
  throw new EngineError('PARAMS_INVALID', message);
}
