// Owns triggers from the command line: `--issue`, `--pr`, `--event` and `--payload`.
//
// - A payload has the same form as at the forge, so that a workflow can always read `trigger.issue.number`.
// - `issue_number`, `pr_number`, `labels` and `base_branch` are set if the payload has them.
// - For a number, `forge.ts` fetches the rest from the configured forge.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { subjectOf } from '../../control/trigger/subject.ts';
import { eventProblem } from '../../definition/trigger/event.ts';
import type { RunOrigin } from '../../store/store.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { readJson } from '../params.ts';
import type { Shell } from '../shell.ts';

/** What started a run. */
export interface Trigger {
  /** `trigger` in expressions of workflows. */
  readonly payload: JsonObject;
  /** Added to the run's data. */
  readonly facts: JsonObject;
  readonly origin: Pick<RunOrigin, 'event' | 'issue' | 'pr'>;
  /** The option it came from, for messages. */
  readonly option: string;
}

/** The trigger from the command line, if there is one. */
export function readTrigger(shell: Shell, args: ParsedArgs): Trigger | undefined {
  const [name, other] = ['issue', 'pr', 'event'].filter((option) => args.option(option) !== undefined);
  if (name !== undefined && other !== undefined)
    throw usageError(`--${name} and --${other} cannot be combined; a --payload can contain both`);
  const payload = args.option('payload');
  if (payload !== undefined && name !== 'event') throw usageError('--payload needs --event, such as --event issues.labeled');
  if (name === undefined) return undefined;
  const value = args.option(name) as string;
  if (name !== 'event') return numberTrigger(name, value);
  if (value === '') throw usageError('--event must be the name of an event, such as issues.labeled');
  const problem = eventProblem(value);
  if (problem !== undefined) throw usageError(`--event ${value}: ${problem.message}; ${problem.hint}`);
  const read = payload === undefined ? {} : readJson(shell, payload, '--payload');
  if (!isJsonObject(read)) throw usageError('--payload must be a JSON object as the forge sends it, or @file');
  return triggerOf(read, { event: value, option: `--event ${value}` });
}

function numberTrigger(name: string, value: string): Trigger {
  const number = Number(value);
  if (!/^[1-9]\d*$/.test(value) || !Number.isSafeInteger(number)) throw usageError(`--${name} must be a number such as 42, not "${value}"`);
  return triggerOf(name === 'issue' ? { issue: { number } } : { pull_request: { number } }, { option: `--${name} ${value}` });
}

/** The trigger of a payload, with the facts and the origin of the run. */
export function triggerOf(payload: JsonObject, { event, option }: { readonly event?: string; readonly option: string }): Trigger {
  const { facts, issue, pr } = subjectOf(payload);
  return { payload, option, facts, origin: omitUndefined({ event, issue, pr }) };
}
