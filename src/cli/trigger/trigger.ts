// Owns triggers by hand: what `--issue`, `--pr`, `--event` and `--payload` tell a run about what started it.
//
// T1. A payload is taken as the forge sends it, so that a workflow reads `trigger.issue.number` either way.
// T2. The facts `issue_number pr_number labels base_branch` are there where the payload has them.
// T3. A number that is given by hand is all that is known of an issue; nothing is made up around it. A forge that the
//     settings name is asked for the rest (`trigger-forge.ts`).

import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { RunOrigin } from '../../store/store.ts';
import type { Given } from '../command.ts';
import { readJson } from '../params.ts';
import type { Shell } from '../shell.ts';

/** What started a run. */
export interface Trigger {
  /** What workflows read as `trigger`. */
  readonly payload: JsonObject;
  /** What joins the run's data. */
  readonly facts: JsonObject;
  readonly origin: Pick<RunOrigin, 'event' | 'issue' | 'pr'>;
  /** How it was given, for messages. */
  readonly said: string;
}

/** The trigger that was given on the command line, if one was. */
export function readTrigger(shell: Shell, given: Given): Trigger | undefined {
  const ways = ['issue', 'pr', 'event'].filter((option) => given.option(option) !== undefined);
  const [way, other] = ways;
  if (way !== undefined && other !== undefined)
    throw new EngineError('USAGE', `a run has one trigger: give --${way} or --${other}, not both; a payload can hold all of it`);
  const payload = given.option('payload');
  if (payload !== undefined && way !== 'event')
    throw new EngineError('USAGE', '--payload is what came with an event; say which with --event, such as --event issues.labeled');
  if (way === undefined) return undefined;
  const value = given.option(way) as string;
  if (way !== 'event') return numbered(way, value);
  if (value === '') throw new EngineError('USAGE', '--event takes the name of an event, such as issues.labeled');
  const read = payload === undefined ? {} : readJson(shell, payload, '--payload');
  if (!isJsonObject(read)) throw new EngineError('USAGE', '--payload takes a JSON object as the forge sends it, or @file');
  return triggerOf(read, { event: value, said: `--event ${value}` });
}

function numbered(way: string, value: string): Trigger {
  const number = Number(value);
  if (!/^[1-9]\d*$/.test(value) || !Number.isSafeInteger(number))
    throw new EngineError('USAGE', `--${way} takes a number such as 42, not "${value}"`);
  return triggerOf(way === 'issue' ? { issue: { number } } : { pull_request: { number } }, { said: `--${way} ${value}` });
}

/** The trigger that a payload is: its facts, and where the run comes from. */
export function triggerOf(payload: JsonObject, { event, said }: { readonly event?: string; readonly said: string }): Trigger {
  const isOfPull = isJsonObject(payload.issue) && isJsonObject(payload.issue.pull_request);
  // A comment on a pull request comes as one on an issue, which names its pull request.
  const issue = isOfPull ? undefined : numberIn(payload.issue);
  const pr = numberIn(payload.pull_request) ?? (isOfPull ? numberIn(payload.issue) : undefined);
  const subject = payload.pull_request ?? payload.issue;
  const labels = isJsonObject(subject) ? labelsIn(subject.labels) : undefined;
  const base = isJsonObject(payload.pull_request) && isJsonObject(payload.pull_request.base) ? payload.pull_request.base.ref : undefined;
  return {
    payload,
    said,
    facts: present({ issue_number: issue, pr_number: pr, labels, base_branch: typeof base === 'string' ? base : undefined }),
    origin: present({ event, issue, pr }),
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
