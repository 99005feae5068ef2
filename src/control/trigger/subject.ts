// Reads the issue or the pull request from an event's payload, with the facts about it that runs can use.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** The issue or the pull request of a payload. */
interface TriggerSubject {
  readonly issue?: number;
  readonly pr?: number;
  /** `issue_number`, `pr_number`, `labels` and `base_branch`, as far as the payload has them. */
  readonly facts: JsonObject;
}

/** The subject of a payload. */
export function subjectOf(payload: JsonObject): TriggerSubject {
  const isOfPull = isJsonObject(payload.issue) && isJsonObject(payload.issue.pull_request);
  // A comment on a pull request arrives as a comment on an issue with a `pull_request` field.
  const issue = isOfPull ? undefined : numberIn(payload.issue);
  const pr = numberIn(payload.pull_request) ?? (isOfPull ? numberIn(payload.issue) : undefined);
  const subject = payload.pull_request ?? payload.issue;
  const labels = isJsonObject(subject) ? labelsIn(subject.labels) : undefined;
  const base = isJsonObject(payload.pull_request) && isJsonObject(payload.pull_request.base) ? payload.pull_request.base.ref : undefined;
  return {
    ...omitUndefined({ issue, pr }),
    facts: omitUndefined({ issue_number: issue, pr_number: pr, labels, base_branch: typeof base === 'string' ? base : undefined }),
  };
}

function numberIn(subject: Json | undefined): number | undefined {
  const number = isJsonObject(subject) ? subject.number : undefined;
  return typeof number === 'number' ? number : undefined;
}

function labelsIn(labels: Json | undefined): string[] | undefined {
  if (!Array.isArray(labels)) return undefined;
  return labels.map((label: Json) => String(isJsonObject(label) ? label.name : label));
}
