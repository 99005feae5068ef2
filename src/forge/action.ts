// Owns the actions that stages and hooks of a workflow use (`merge_pr`, `close_issue`, …): their fields, and the forge
// requests they become. The forge's answer becomes an outcome that transitions can use.
//
// - Text is disarmed (`outgoing-text.ts`) except for what is declared, because it may contain values from agents.
// - A merge names the approved head. Without one the current head is read first, which ties the merge to no approval:
//   pass `head` wherever there was an approval.
// - An action that becomes two requests gives each its own key, so that a crash between them repeats neither.

import { parseDuration } from '../base/duration.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import type { Forge, ForgeAnswer, ForgeFailure, LabelRequest, MergeMethod } from './forge.ts';
import { type AllowedEffects, disarm } from './outgoing-text.ts';
import { type Groups, membersOf } from './people.ts';

/** An action in a workflow. `config` has its fields, or the single value of its short form. */
export interface ForgeAction {
  readonly name: string;
  readonly config: Json;
}

/** The issue or pull request that an action is about. */
export interface ActionSubject {
  readonly issue?: number;
  readonly pr?: number;
  /** The approved head of the pull request. */
  readonly head?: string;
}

/** The context of an action. */
export interface ActionScene {
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

type Perform = (forge: Forge, config: JsonObject, scene: ActionScene) => Promise<ForgeAnswer<Json | object>>;

interface ActionKind {
  readonly fields: readonly string[];
  readonly perform: Perform;
  /** Converts the single value of the short form into fields. */
  readonly short?: (value: Json) => JsonObject;
}

const METHODS: readonly MergeMethod[] = ['merge', 'squash', 'rebase'];

const ACTIONS: Readonly<Record<string, ActionKind>> = {
  merge_pr: { fields: ['method', 'delete_branch', 'wait'], perform: mergePr },
  close_issue: { fields: ['issue'], perform: closeIssue, short: (issue) => ({ issue }) },
  create_issue: { fields: ['title', 'body', 'labels'], perform: createIssue },
  label: { fields: ['add', 'remove', 'target'], perform: label },
  label_issue: { fields: ['add', 'target'], perform: label, short: (add) => ({ add, target: 'issue' }) },
  notify: { fields: ['target', 'message'], perform: notify, short: (target) => ({ target }) },
  comment: { fields: ['target', 'message'], perform: comment },
};

/** The names of all actions. */
export const ACTION_NAMES: readonly string[] = Object.keys(ACTIONS);

/** Does an action once, however often it is called with the same key. */
export async function performAction(forge: Forge, action: ForgeAction, scene: ActionScene): Promise<ActionResult> {
  try {
    const kind = kindOf(action.name);
    const answer = await kind.perform(forge, readConfig(action, kind), scene);
    if (answer.result === 'ok') return { outcome: 'ok', value: answer.value as Json };
    return toResult(answer);
  } catch (error) {
    if (isEngineError(error)) return { outcome: 'error', error: error.message, reason: 'invalid' };
    throw error;
  }
}

function toResult(failure: ForgeFailure): ActionResult {
  const { result: reason, message: error } = failure;
  if (reason === 'conflict' || reason === 'ci_failure' || reason === 'stale_head') return { outcome: reason, error, reason };
  return { outcome: 'error', error, reason, ...('until' in failure ? present({ until: failure.until }) : {}) };
}

function kindOf(name: string): ActionKind {
  const kind = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  return kind ?? invalid(`unknown action "${name}"${didYouMean(name, ACTION_NAMES)}; the actions are ${ACTION_NAMES.join(', ')}`);
}

function readConfig({ name, config }: ForgeAction, kind: ActionKind): JsonObject {
  if (config === null) return {};
  if (!isJsonObject(config))
    return kind.short?.(config) ?? invalid(`${name} must be a mapping with ${kind.fields.join(', ')}, not a single value`);
  const unknown = Object.keys(config).find((field) => !kind.fields.includes(field));
  if (unknown === undefined) return config;
  return invalid(`${name} has no field "${unknown}"${didYouMean(unknown, kind.fields)}; it has ${kind.fields.join(', ')}`);
}

/** How long a merge may be under way, unless it says otherwise. */
const WAIT_MS = 24 * 3_600_000;

async function mergePr(forge: Forge, config: JsonObject, { subject, key, visit = key }: ActionScene): Promise<ForgeAnswer<object>> {
  const number = subject.pr ?? invalid('merge_pr needs a pull request, but this run has none yet; open one in an earlier stage');
  const waits = { visit, forMs: config.wait === undefined ? WAIT_MS : parseDuration(readText(config, 'wait'), '"wait" of merge_pr') };
  const request = { number, ...readMethod(config), deleteBranch: readFlag(config, 'delete_branch'), waits };
  if (subject.head !== undefined) return await forge.mergePullRequest({ ...request, expectedHead: subject.head }, key);
  const pr = await forge.pullRequest(number);
  if (pr.result !== 'ok') return pr;
  return await forge.mergePullRequest({ ...request, expectedHead: pr.value.headSha }, key);
}

async function closeIssue(forge: Forge, config: JsonObject, { subject, key }: ActionScene): Promise<ForgeAnswer<object>> {
  const number = config.issue === undefined ? subject.issue : readNumber(config.issue);
  return await forge.closeIssue(
    { number: number ?? invalid('close_issue needs the number of an issue, because this run is not about one') },
    key,
  );
}

async function createIssue(forge: Forge, config: JsonObject, { key, declared }: ActionScene): Promise<ForgeAnswer<object>> {
  const title = disarm(readText(config, 'title'), declared);
  const body = disarm(config.body === undefined ? '' : readText(config, 'body'), declared);
  return await forge.createIssue({ title, body, labels: readNames(config, 'labels') }, key);
}

async function label(forge: Forge, config: JsonObject, scene: ActionScene): Promise<ForgeAnswer<object>> {
  const number = readTarget(config, scene.subject);
  const [add, remove] = [readNames(config, 'add'), readNames(config, 'remove')];
  if (add.length + remove.length === 0) invalid('label needs "add" or "remove"');
  if (remove.length > 0) {
    const removed = await forge.removeLabels({ number, labels: remove }, `${scene.key}/remove`);
    if (removed.result !== 'ok' || add.length === 0) return labelsIn(removed);
  }
  return labelsIn(await forge.addLabels({ number, labels: add }, `${scene.key}/add`));
}

function labelsIn(answer: ForgeAnswer<LabelRequest>): ForgeAnswer<object> {
  return answer.result === 'ok' ? { result: 'ok', value: { labels: answer.value.labels } } : answer;
}

async function comment(forge: Forge, config: JsonObject, { subject, key, declared }: ActionScene): Promise<ForgeAnswer<object>> {
  const body = disarm(readText(config, 'message'), declared);
  const written = await forge.comment({ number: readTarget(config, subject), body }, key);
  return written.result === 'ok' ? { result: 'ok', value: { id: written.value.id } } : written;
}

async function notify(forge: Forge, config: JsonObject, { subject, key, groups, declared }: ActionScene): Promise<ForgeAnswer<object>> {
  const target = readText(config, 'target');
  const people = groups !== undefined && Object.hasOwn(groups, target) ? membersOf(groups, target) : [target];
  const number = subject.pr ?? subject.issue;
  const message = config.message === undefined ? defaultMessage(target, subject) : disarm(readText(config, 'message'), declared);
  return await forge.notify({ target, people, message, ...present({ number }) }, key);
}

function defaultMessage(target: string, { issue, pr }: ActionSubject): string {
  const what = pr !== undefined ? `pull request #${pr}` : issue !== undefined ? `issue #${issue}` : 'a workflow';
  return `${target}: ${what} needs your attention.`;
}

// If a run has both, the issue comes first: the run was started for it.
function readTarget({ target }: JsonObject, { issue, pr }: ActionSubject): number {
  if (target !== undefined && target !== 'issue' && target !== 'pr') invalid(`"target" must be issue or pr, not ${JSON.stringify(target)}`);
  const number = target === 'pr' ? pr : target === 'issue' ? issue : (issue ?? pr);
  return number ?? invalid(`this run is not about ${target === 'pr' ? 'a pull request' : 'an issue'}, so there is nothing to act on`);
}

function readMethod({ method }: JsonObject): { method?: MergeMethod } {
  if (method === undefined) return {};
  const known = METHODS.find((name) => name === method);
  return { method: known ?? invalid(`"method" of merge_pr must not be ${JSON.stringify(method)}; use ${METHODS.join(', ')}`) };
}

function readFlag(config: JsonObject, field: string): boolean {
  const value = config[field] ?? false;
  if (typeof value !== 'boolean') invalid(`"${field}" must be true or false, not ${JSON.stringify(value)}`);
  return value;
}

function readNumber(value: Json): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    invalid(`${JSON.stringify(value)} is not the number of an issue`);
  return number;
}

function readText(config: JsonObject, field: string): string {
  const value = config[field];
  if (typeof value !== 'string' || value.trim() === '')
    invalid(`"${field}" must be a non-empty string, not ${JSON.stringify(value ?? null)}`);
  return value;
}

function readNames(config: JsonObject, field: string): string[] {
  const value = config[field] ?? [];
  const names = Array.isArray(value) ? value : [value];
  if (!names.every((name) => typeof name === 'string'))
    invalid(`"${field}" must be a label or a list of labels, not ${JSON.stringify(value)}`);
  return names;
}

function invalid(message: string): never {
  throw new EngineError('PARAMS_INVALID', message);
}
