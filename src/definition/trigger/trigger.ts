// Owns triggers: an event, and its conditions. A trigger is not part of a definition: a running run does not depend on
// it.
//
// - For an event, every condition must hold; a condition on something missing in its payload does not hold.
// TG2. A run started manually for a number has no event. Unknown facts about its issue do not prevent the start.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** What starts a workflow. */
export interface TriggerModel {
  /** As GitHub names it: `issues.labeled`. Without an action, such as `issues`, it matches every event of that kind. */
  readonly event: string;
  /** The label that was just added. */
  readonly label?: string | undefined;
  /** Labels that must all be present, including the one just added. */
  readonly labels: readonly string[];
  readonly assigneeIsBot?: boolean | undefined;
  readonly milestone?: string | undefined;
  /** The base branches of a pull request, any of which matches. */
  readonly baseBranches: readonly string[];
  /** Whether events caused by runs also start it. Default: false. */
  readonly fromRuns?: boolean | undefined;
  /** Patterns of files, one of which must have changed. */
  readonly paths?: readonly string[] | undefined;
  /** Patterns of files whose changes do not count. */
  readonly pathsIgnore?: readonly string[] | undefined;
  /** The time after which no event starts it. */
  readonly stopAfter?: number | undefined;
  /** How long it is active after a server first saw it. */
  readonly stopAfterMs?: number | undefined;
  /** Base branches that do not match. */
  readonly exceptBaseBranches?: readonly string[] | undefined;
  /** Further triggers, each of which starts it as well. */
  readonly or?: readonly TriggerModel[] | undefined;
  /** It belongs to a role and starts an agent on its own. A workflow that overrides triggers takes precedence. */
  readonly isOfRole?: true | undefined;
  /** It takes precedence over the triggers of roles that match the same event. */
  readonly overrides?: true | undefined;
  /** Drafts of pull requests do not match. */
  readonly skipsDrafts?: true | undefined;
  /** A new head of a pull request ends an open run for an earlier one. */
  readonly followsHead?: true | undefined;
}

/** What happened: an event with its payload from the forge, or, for a manual start, the facts of an issue or a pull request. */
export interface TriggerEvent {
  readonly event?: string | undefined;
  readonly payload: JsonObject;
}

/** A trigger and its alternatives (`or`). */
export function allTriggers(trigger: TriggerModel): readonly TriggerModel[] {
  return [trigger, ...(trigger.or ?? []).flatMap(allTriggers)];
}

/** Whether an event name is that of a trigger, or one of its actions. */
function isEventOf({ event }: TriggerModel, name: string): boolean {
  return name === event || name.startsWith(`${event}.`);
}

/** Returns why an event does not match a trigger, as the end of a sentence, or undefined if it does. */
export function mismatchOf(trigger: TriggerModel, triggerEvent: TriggerEvent): string | undefined {
  const { event } = triggerEvent;
  const all = allTriggers(trigger);
  const fitting = event === undefined ? all : all.filter((alternative) => isEventOf(alternative, event));
  if (fitting.length === 0)
    return `it starts on ${[...new Set(all.map((alternative) => alternative.event))].join(' or ')}, not on ${event}`;
  const reasons = fitting.map((alternative) => ownMismatch(alternative, triggerEvent));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** The trigger, or the alternative of it, that matches an event. */
export function matchingTrigger(trigger: TriggerModel, triggerEvent: TriggerEvent): TriggerModel | undefined {
  return allTriggers(trigger).find((alternative) => mismatchOf({ ...alternative, or: undefined }, triggerEvent) === undefined);
}

function ownMismatch(trigger: TriggerModel, { event, payload }: TriggerEvent): string | undefined {
  const subject = event === undefined ? subjectByHand(trigger, payload) : (payload.pull_request ?? payload.issue);
  // Started manually for another kind of subject: no condition applies.
  if (event === undefined && subject === undefined) return undefined;
  const known = { trigger, payload, subject: isJsonObject(subject) ? subject : {}, isByHand: event === undefined };
  return labelMismatch(known) ?? otherMismatch(known);
}

interface TriggerFacts {
  readonly trigger: TriggerModel;
  readonly payload: JsonObject;
  readonly subject: JsonObject;
  readonly isByHand: boolean;
}

function subjectByHand({ event }: TriggerModel, { issue, pull_request }: JsonObject): Json | undefined {
  return event.startsWith('pull_request') ? pull_request : issue;
}

function labelMismatch({ trigger: { label, labels }, payload, subject, isByHand }: TriggerFacts): string | undefined {
  const there = labelsIn(subject.labels);
  if (isByHand && there === undefined) return undefined;
  const wanted = [...(label === undefined ? [] : [label]), ...labels];
  const missing = wanted.filter((name) => there?.includes(name) !== true && !(name === label && !isByHand));
  if (missing.length > 0) return `it requires the label ${missing.map(quoted).join(' and ')}, but there ${listed(there ?? [])}`;
  if (isByHand || wanted.length === 0) return undefined;
  const added = nameOf(payload.label);
  if (added === undefined) return `it starts when a label is added, but the event does not name the label`;
  if (label !== undefined && added !== label) return `it starts when the label ${quoted(label)} is added, but ${quoted(added)} was`;
  if (labels.length > 0 && !labels.includes(added))
    return `it starts when one of the labels ${labels.map(quoted).join(', ')} is added, but ${quoted(added)} was`;
  return undefined;
}

function otherMismatch({ trigger, payload, subject, isByHand }: TriggerFacts): string | undefined {
  const { milestone, baseBranches, exceptBaseBranches = [], assigneeIsBot } = trigger;
  if (trigger.skipsDrafts === true && subject.draft === true) return 'it is not for drafts of pull requests';
  const found = { milestone: titleOf(subject.milestone), base: refOf(subject.base), assignee: payload.assignee ?? subject.assignee };
  if (milestone !== undefined && !(isByHand && subject.milestone === undefined) && found.milestone !== milestone)
    return `it requires the milestone ${quoted(milestone)}, but it has ${found.milestone === undefined ? 'none' : quoted(found.milestone)}`;
  if (baseBranches.length > 0 && !(isByHand && found.base === undefined) && !baseBranches.includes(found.base ?? ''))
    return `it is for pull requests to ${baseBranches.map(quoted).join(' or ')}, but this one goes to ${quoted(found.base ?? 'nothing')}`;
  if (found.base !== undefined && exceptBaseBranches.includes(found.base)) return `it is not for pull requests to ${quoted(found.base)}`;
  if (assigneeIsBot === undefined || (isByHand && found.assignee === undefined)) return undefined;
  const isBot = isJsonObject(found.assignee) && found.assignee.type === 'Bot';
  return isBot === assigneeIsBot ? undefined : `the assignee must ${assigneeIsBot ? '' : 'not '}be a bot`;
}

function labelsIn(labels: Json | undefined): string[] | undefined {
  if (!Array.isArray(labels)) return undefined;
  return labels.flatMap((label: Json) => (typeof label === 'string' ? [label] : (nameOf(label) ?? [])));
}

function nameOf(value: Json | undefined): string | undefined {
  return isJsonObject(value) && typeof value.name === 'string' ? value.name : undefined;
}

function titleOf(value: Json | undefined): string | undefined {
  return isJsonObject(value) && typeof value.title === 'string' ? value.title : undefined;
}

function refOf(value: Json | undefined): string | undefined {
  return isJsonObject(value) && typeof value.ref === 'string' ? value.ref : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function listed(labels: readonly string[]): string {
  if (labels.length === 0) return 'is no label';
  return labels.length === 1 ? `is only ${labels.map(quoted).join('')}` : `are ${labels.map(quoted).join(', ')}`;
}
