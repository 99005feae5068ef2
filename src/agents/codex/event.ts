// Owns the parsing of Codex's output. Lines that are not events and unknown events are ignored. Failed turns, and the time
// when an account can be used again, are recognised by their text.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { AttemptFailure } from '../answer.ts';
import type { ToolAction } from '../driver.ts';

/** An item of Codex's work: a message, a thought, or an action. */
export interface CodexItem {
  readonly id: string;
  readonly type: string;
  readonly fields: JsonObject;
}

/** Returns the item of an event. */
export function itemOf({ item }: JsonObject): CodexItem | undefined {
  if (item === undefined || !isJsonObject(item) || typeof item.type !== 'string') return undefined;
  return { id: typeof item.id === 'string' ? item.id : '', type: item.type, fields: item };
}

const TOOL_ACTIONS: Readonly<Record<string, ToolAction>> = {
  command_execution: 'execute',
  file_change: 'edit',
  web_search: 'fetch',
  mcp_tool_call: 'other',
  collab_tool_call: 'think',
};

/** Returns the kind of action of an item, or undefined if it is text. */
export function actionOf({ type }: CodexItem): ToolAction | undefined {
  return Object.hasOwn(TOOL_ACTIONS, type) ? TOOL_ACTIONS[type] : undefined;
}

const AUTH = /\b40[13]\b|unauthorized|api key|not logged in|log in again|codex login|authenticat/i;
const QUOTA = /usage limit|quota|\b429\b|rate limit|out of credits/i;
const UNAVAILABLE =
  /stream disconnected|\b(?:408|5\d\d)\b|overloaded|server_error|connection (?:failed|reset|refused)|error sending request/i;
const REFUSED = /content policy|usage polic|safety|flagged|invalid_prompt/i;

/** Classifies the failure of a turn by its message. */
export function failureIn(message: string, now: number): AttemptFailure {
  if (QUOTA.test(message)) return { failure: 'quota', message, ...omitUndefined({ resumeAt: resetIn(message, now) }) };
  if (AUTH.test(message)) return { failure: 'auth', message };
  if (REFUSED.test(message)) return { failure: 'refused', message };
  return { failure: UNAVAILABLE.test(message) ? 'unavailable' : 'crash', message };
}

const AT_TIME = /try again at (\d{1,2}):(\d{2}) ([AP]M)/i;
const AT_DATE = /try again at ([A-Z][a-z]+ \d{1,2})(?:st|nd|rd|th)?, (\d{4}) (\d{1,2}:\d{2} [AP]M)/i;
const IN_TIME = /try again in ((?:\d+ (?:days?|hours?|minutes?|seconds?)[ ,]*(?:and )?)+)/i;
const UNIT_MS: Readonly<Record<string, number>> = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 };

/** Returns when the account can be used again. Codex prints local time. */
export function resetIn(message: string, now: number): number | undefined {
  const date = AT_DATE.exec(message);
  if (date !== null) return Date.parse(`${date[1]}, ${date[2]} ${date[3]}`) || undefined;
  const time = AT_TIME.exec(message);
  if (time !== null) return nextTime(now, (Number(time[1]) % 12) + (/pm/i.test(time[3] as string) ? 12 : 0), Number(time[2]));
  const span = IN_TIME.exec(message)?.[1];
  if (span === undefined) return undefined;
  const parts = [...span.matchAll(/(\d+) (day|hour|minute|second)/g)];
  return now + parts.reduce((total, [, count, unit]) => total + Number(count) * (UNIT_MS[unit as string] as number), 0);
}

function nextTime(now: number, hours: number, minutes: number): number {
  const at = new Date(now);
  at.setHours(hours, minutes, 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}
