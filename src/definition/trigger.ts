// Owns what starts a workflow: an event, and what must hold of it. Whoever hears events, or is told one by hand, asks here.
// A trigger is no part of a definition: a run goes on however the trigger of its workflow changes.
//
// T1. Of an event everything must be seen to hold: what its payload does not say does not hold.
// T2. A number by hand stands for an event that nobody sent. What is not known of its issue is not held against it.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** What starts a workflow. */
export interface TriggerModel {
  /** As GitHub names it: `issues.labeled`. One without its action, such as `issues`, is every event of that kind. */
  readonly event: string;
  /** The label that was just added. */
  readonly label?: string | undefined;
  /** Labels that must all be there, the one just added among them. */
  readonly labels: readonly string[];
  readonly assigneeIsBot?: boolean | undefined;
  readonly milestone?: string | undefined;
  /** The branch that a pull request goes to, one of these. */
  readonly baseBranches: readonly string[];
}

/** What happened: an event with its payload as the forge sends it, or by hand the facts of an issue or a pull request. */
export interface Occasion {
  readonly event?: string | undefined;
  readonly payload: JsonObject;
}

/** Why an occasion does not start what has this trigger, as the end of a sentence; undefined when it does. */
export function mismatchOf(trigger: TriggerModel, occasion: Occasion): string | undefined {
  const { event, payload } = occasion;
  if (event !== undefined && event !== trigger.event && !event.startsWith(`${trigger.event}.`))
    return `it starts on ${trigger.event}, not on ${event}`;
  const subject = event === undefined ? subjectByHand(trigger, payload) : (payload.pull_request ?? payload.issue);
  // Started by hand for something of another kind: no condition is about that.
  if (event === undefined && subject === undefined) return undefined;
  const known = { trigger, payload, subject: isJsonObject(subject) ? subject : {}, isByHand: event === undefined };
  return labelMismatch(known) ?? otherMismatch(known);
}

interface Known {
  readonly trigger: TriggerModel;
  readonly payload: JsonObject;
  readonly subject: JsonObject;
  readonly isByHand: boolean;
}

function subjectByHand({ event }: TriggerModel, { issue, pull_request }: JsonObject): Json | undefined {
  return event.startsWith('pull_request') ? pull_request : issue;
}

function labelMismatch({ trigger: { label, labels }, payload, subject, isByHand }: Known): string | undefined {
  const there = labelsIn(subject.labels);
  if (isByHand && there === undefined) return undefined;
  const wanted = [...(label === undefined ? [] : [label]), ...labels];
  const missing = wanted.filter((name) => there?.includes(name) !== true && !(name === label && !isByHand));
  if (missing.length > 0) return `it needs the label ${missing.map(quoted).join(' and ')}, and there ${listed(there ?? [])}`;
  if (isByHand || wanted.length === 0) return undefined;
  const added = nameOf(payload.label);
  if (added === undefined) return `it starts when a label is added, and the event does not say which label was`;
  if (label !== undefined && added !== label) return `it starts when the label ${quoted(label)} is added, and ${quoted(added)} was`;
  if (labels.length > 0 && !labels.includes(added))
    return `it starts when one of the labels ${labels.map(quoted).join(', ')} is added, and ${quoted(added)} was`;
  return undefined;
}

function otherMismatch({ trigger, payload, subject, isByHand }: Known): string | undefined {
  const { milestone, baseBranches, assigneeIsBot } = trigger;
  const found = { milestone: titleOf(subject.milestone), base: refOf(subject.base), assignee: payload.assignee ?? subject.assignee };
  if (milestone !== undefined && !(isByHand && subject.milestone === undefined) && found.milestone !== milestone)
    return `it needs the milestone ${quoted(milestone)}, and it has ${found.milestone === undefined ? 'none' : quoted(found.milestone)}`;
  if (baseBranches.length > 0 && !(isByHand && found.base === undefined) && !baseBranches.includes(found.base ?? ''))
    return `it is for pull requests to ${baseBranches.map(quoted).join(' or ')}, and this one goes to ${quoted(found.base ?? 'nothing')}`;
  if (assigneeIsBot === undefined || (isByHand && found.assignee === undefined)) return undefined;
  const isBot = isJsonObject(found.assignee) && found.assignee.type === 'Bot';
  return isBot === assigneeIsBot ? undefined : `its assignee must ${assigneeIsBot ? '' : 'not '}be a bot`;
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
