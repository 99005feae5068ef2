// Owns the fields of a role, in the front matter of its file or under `roles` in the settings. A fault has a path, so that
// the caller can report the line.

import { durationOf } from '../base/duration.ts';
import { present } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import { type Budget, UNKNOWN_USAGE } from '../definition/budget.ts';
import { type NetworkSpec, networkFault } from '../definition/network.ts';
import { type AgentFailure, type AgentPermissions, type ToolAction, WORK_IN_PLACE } from './driver.ts';
import { RETRIED_FAILURES, type RoleExtras, type RoleRetry, type RoleVariable } from './role-driver.ts';

/** The fields of a role. They are plain data, because they are stored with the run. */
export interface RoleFields {
  readonly driver?: string;
  readonly description?: string;
  readonly model?: string;
  readonly credential?: string;
  readonly permissions?: AgentPermissions;
  readonly budget?: Budget & { readonly day?: Budget };
  /** How long it may be silent before it is ended. Default: 10 minutes, or the time limit of its step. */
  readonly idleMs?: number;
  /** The program, for drivers that can start any program. */
  readonly argv?: readonly string[];
  /** Variables for the program: texts, or secrets of the settings by name. */
  readonly env?: Readonly<Record<string, RoleVariable>>;
  /** The address of the model's API. */
  readonly baseUrl?: string;
  /** For `claude-code`: whose settings and instructions it reads. */
  readonly settingSources?: readonly SettingSource[];
  /** How often each class of failure is retried within an attempt. */
  readonly retry?: RoleExtras['retry'];
  /** For `claude-code`: roles that it may use as sub-agents. */
  readonly agents?: readonly string[];
}

/** Whose settings Claude Code reads. */
export type SettingSource = 'user' | 'project' | 'local';

/** An invalid value: its path, and the reason, which completes a sentence that begins with the field. */
export interface RoleFault {
  readonly path: readonly (string | number)[];
  readonly what: string;
}

const TOOL_ACTIONS: readonly ToolAction[] = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other'];

/** Checks the value at a path. */
export type Check = (value: Json, path: RoleFault['path']) => RoleFault | undefined;

/** A check of one value: the message is `must be` and `expected`. */
export const simple =
  (fits: (value: Json) => boolean, expected: string): Check =>
  (value, path) =>
    fits(value) ? undefined : { path, what: `must be ${expected}` };

const text = simple((value) => typeof value === 'string' && value.trim() !== '', 'a non-empty string');
const count = simple((value) => Number.isSafeInteger(value) && Number(value) >= 1, 'a whole number of at least 1');
const money = simple((value) => typeof value === 'number' && Number.isFinite(value) && value > 0, 'a number above 0, in US dollars');

const toolAction: Check = (value, path) => {
  if (typeof value === 'string' && TOOL_ACTIONS.some((known) => known === value)) return undefined;
  return { path, what: `is not a kind of action${didYouMean(String(value), TOOL_ACTIONS)}; use one of ${TOOL_ACTIONS.join(', ')}` };
};

function list(item: Check, example: string): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, what: `must be a list, such as ${example}` };
    return firstOf(value.map((entry: Json, index) => item(entry, [...path, index])));
  };
}

function fields(shape: Readonly<Record<string, Check>>): Check {
  const known = Object.keys(shape);
  return (value, path) => {
    if (!isJsonObject(value)) return { path, what: `must be a mapping with ${known.join(', ')}` };
    const unknown = Object.keys(value).find((key) => !known.includes(key));
    if (unknown !== undefined)
      return {
        path: [...path, unknown],
        what: `is not a field of a role${didYouMean(unknown, known)}; the fields are ${known.join(', ')}`,
      };
    return firstOf(known.map((key) => (value[key] === undefined ? undefined : shape[key]?.(value[key], [...path, key]))));
  };
}

/** The first fault of a list. */
export function firstOf(faults: readonly (RoleFault | undefined)[]): RoleFault | undefined {
  return faults.find((fault) => fault !== undefined);
}

const toolActions = list(toolAction, '[read, edit, execute]');
const tools = list(text, '[Read, "Bash(npm test)"]');
const network: Check = (value, path) => {
  const what = networkFault(value);
  return what === undefined ? undefined : { path, what };
};
const permissionFields = fields({ allow: toolActions, tools, deny: tools, network });
const program: Check = (value, path) =>
  Array.isArray(value) && value.length === 0
    ? { path, what: 'is empty; it must name a program' }
    : list(text, '[my-agent, --stdio]')(value, path);

const time = simple((value) => typeof value === 'string' && durationOf(value) !== undefined, 'a duration, such as 2h');

const unknown = simple((value) => typeof value === 'string' && UNKNOWN_USAGE.includes(value), '"stop" or "count"');

const AMOUNT_CHECKS = { tokens: count, cost_usd: money, turns: count, time, unknown };

const SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];
const source: Check = simple((value) => SOURCES.some((known) => known === value), `one of ${SOURCES.join(', ')}`);
const url = simple(
  (value) => typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  'an address, such as https://gateway.example/v1',
);

const variable: Check = (value, path) =>
  typeof value === 'string' ||
  (isJsonObject(value) && Object.keys(value).join() === 'secret' && typeof value.secret === 'string' && value.secret !== '')
    ? undefined
    : { path, what: 'must be a text in quotes, or { secret: NAME } with the name of a secret in the settings' };

const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
/** Pawl sets these to tell a program which run it belongs to. */
const OWN_VARIABLE = /^PAWL_/;

const variables: Check = (value, path) => {
  if (!isJsonObject(value)) return { path, what: 'must be a mapping of variables to values, such as { MODE: "fast" }' };
  return firstOf(
    Object.entries(value).map(([name, one]) => {
      if (!VARIABLE_NAME.test(name)) return { path: [...path, name], what: 'is not a valid name of a variable' };
      if (OWN_VARIABLE.test(name)) return { path: [...path, name], what: 'is set by Pawl itself; choose another name' };
      return variable(one as Json, [...path, name]);
    }),
  );
};

/** The documented name of `unavailable`. */
const OVERLOADED = 'overloaded';
const RETRY_COUNT_MAX = 20;
const retries = simple(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= RETRY_COUNT_MAX,
  `a whole number from 0 to ${RETRY_COUNT_MAX}`,
);
const retryOnce = fields({ count: retries, pause: time });
const retry = fields(
  Object.fromEntries(
    [...RETRIED_FAILURES, OVERLOADED].map((failure) => [
      failure,
      (value: Json, path: RoleFault['path']) => (typeof value === 'number' ? retries(value, path) : retryOnce(value, path)),
    ]),
  ),
);

const role = fields({
  driver: text,
  description: text,
  model: text,
  credential: text,
  tools,
  permissions: (value, path) => (Array.isArray(value) ? toolActions(value, path) : permissionFields(value, path)),
  budget: fields({ ...AMOUNT_CHECKS, day: fields(AMOUNT_CHECKS) }),
  idle: time,
  argv: program,
  env: variables,
  base_url: url,
  setting_sources: list(source, '[user, project]'),
  retry,
  agents: list(text, '[reviewer]'),
});

/** Returns the first fault in the fields of a role, if any. */
export function roleFieldsFault(value: Json): RoleFault | undefined {
  const fault = role(value, []);
  if (fault !== undefined) return fault;
  const { tools: named, permissions } = value as JsonObject;
  if (named === undefined || permissions === undefined || !isJsonObject(permissions) || permissions.tools === undefined) return undefined;
  return { path: ['tools'], what: 'is set twice, here and under permissions; keep one of them' };
}

/** Converts valid fields of a role (see `roleFieldsFault`). */
export function roleFieldsOf(value: JsonObject): RoleFields {
  const { driver, description, model, credential, argv, budget, idle } = value;
  return {
    ...texts({ driver, description, model, credential }),
    ...present({
      permissions: permissionsOf(value),
      budget: isJsonObject(budget) ? budgetOf(budget) : undefined,
      idleMs: typeof idle === 'string' ? durationOf(idle) : undefined,
      argv: words(argv),
    }),
    ...programFieldsOf(value),
  };
}

function programFieldsOf({ env, base_url: baseUrl, setting_sources: sources, retry: tries, agents }: JsonObject): RoleFields {
  return {
    ...texts({ baseUrl }),
    ...present({
      env: env as Record<string, RoleVariable> | undefined,
      settingSources: Array.isArray(sources) ? SOURCES.filter((known) => sources.includes(known)) : undefined,
      retry: isJsonObject(tries) ? retryOf(tries) : undefined,
      agents: words(agents),
    }),
  };
}

const PAUSE_MS = 5000;

function retryOf(tries: JsonObject): NonNullable<RoleFields['retry']> {
  const entries = Object.entries(tries).map(([failure, value]): [AgentFailure, RoleRetry] => {
    const { count: times = value, pause: lasting } = isJsonObject(value) ? value : {};
    const pauseMs = typeof lasting === 'string' ? (durationOf(lasting) ?? PAUSE_MS) : PAUSE_MS;
    return [failure === OVERLOADED ? 'unavailable' : (failure as AgentFailure), { count: typeof times === 'number' ? times : 1, pauseMs }];
  });
  return Object.fromEntries(entries);
}

function texts(given: Readonly<Record<string, Json | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

// Without `permissions`, tools extend the defaults; a list of kinds replaces them.
function permissionsOf({ tools: named, permissions = null }: JsonObject): AgentPermissions | undefined {
  if (named === undefined && permissions === null) return undefined;
  const fields: JsonObject = Array.isArray(permissions) ? { allow: permissions } : isJsonObject(permissions) ? permissions : {};
  return {
    allow: fields.allow === undefined ? WORK_IN_PLACE.allow : TOOL_ACTIONS.filter((known) => words(fields.allow)?.includes(known)),
    ...present({ tools: words(fields.tools ?? named), deny: words(fields.deny), network: fields.network as NetworkSpec | undefined }),
  };
}

function words(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

function budgetOf({ day, ...amounts }: JsonObject): NonNullable<RoleFields['budget']> {
  return { ...readBudget(amounts), ...present({ day: isJsonObject(day) ? readBudget(day) : undefined }) };
}

/** Returns the first fault in the amounts of a budget in a file, if any. */
export function budgetFieldsFault(value: Json): RoleFault | undefined {
  return fields(AMOUNT_CHECKS)(value, []);
}

/** Converts a budget from its form in files: `{ tokens, cost_usd, turns, time, unknown }`. */
export function readBudget({ tokens, turns, cost_usd: costUsd, time: lasting, unknown: unknownUsage }: JsonObject): Budget {
  const timeMs = typeof lasting === 'string' ? durationOf(lasting) : undefined;
  const given = Object.entries({ tokens, costUsd, turns, timeMs, unknown: unknownUsage });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
