// Owns the fields of a role, in the front matter of its file or under `roles` in the settings. A fault has a path, so that
// the caller can report the line.

import { durationOf } from '../base/duration.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject } from '../base/json.ts';
import {
  count,
  durationText,
  list,
  type Mapping,
  type MappingFields,
  mapping,
  must,
  oneOf,
  type Shape,
  table,
  type ValueOf,
  wholeNumber,
  withRule,
} from '../base/shape.ts';
import { didYouMean } from '../base/suggest.ts';
import { type Budget, readWrittenBudget } from '../definition/budget.ts';
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
type SettingSource = 'user' | 'project' | 'local';

const TOOL_ACTIONS: readonly ToolAction[] = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other'];

const fieldText = must<string>((value) => typeof value === 'string' && value.trim() !== '', 'a non-empty string');
const money = must<number>((value) => typeof value === 'number' && Number.isFinite(value) && value > 0, 'a number above 0, in US dollars');
const time = durationText('a duration, such as 2h');

const toolAction: Shape<ToolAction> = (value) => {
  if (TOOL_ACTIONS.some((known) => known === value)) return undefined;
  return { path: [], what: `is not a kind of action${didYouMean(String(value), TOOL_ACTIONS)}; use one of ${TOOL_ACTIONS.join(', ')}` };
};

function fields<Known extends MappingFields>(known: Known): Shape<Mapping<Known>> {
  return mapping(known, { unknown: (guess, names) => `is not a field of a role${guess}; the fields are ${names}` });
}

const toolActions = list(toolAction, 'a list, such as [read, edit, execute]');
const tools = list(fieldText, 'a list, such as [Read, "Bash(npm test)"]');
const network: Shape<NetworkSpec> = (value) => {
  const what = networkFault(value);
  return what === undefined ? undefined : { path: [], what };
};
const permissionFields = fields({ allow: toolActions, tools, deny: tools, network });
const permissions: Shape<readonly ToolAction[] | ValueOf<typeof permissionFields>> = (value) =>
  Array.isArray(value) ? toolActions(value) : permissionFields(value);
const program = withRule(list(fieldText, 'a list, such as [my-agent, --stdio]'), ({ length }) =>
  length === 0 ? { path: [], what: 'is empty; it must name a program' } : undefined,
);

const amounts = { tokens: count, cost_usd: money, turns: count, time, unknown: oneOf(['stop', 'count'], '"stop" or "count"') };

/** A budget in a file. */
export const writtenBudget = fields(amounts);

const SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];
const source = oneOf(SOURCES, `one of ${SOURCES.join(', ')}`);
const url = must<string>(
  (value) => typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  'an address, such as https://gateway.example/v1',
);

const variable = must<RoleVariable>(
  (value) =>
    typeof value === 'string' ||
    (isJsonObject(value) && Object.keys(value).join() === 'secret' && typeof value.secret === 'string' && value.secret !== ''),
  'a text in quotes, or { secret: NAME } with the name of a secret in the settings',
);

const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
/** Pawl sets these to tell a program which run it belongs to. */
const OWN_VARIABLE = /^PAWL_/;

const variables = table('a mapping of variables to values, such as { MODE: "fast" }', (name): Shape<RoleVariable> => {
  if (!VARIABLE_NAME.test(name)) return () => ({ path: [], what: 'is not a valid name of a variable' });
  return OWN_VARIABLE.test(name) ? () => ({ path: [], what: 'is set by Pawl itself; choose another name' }) : variable;
});

/** The documented name of `unavailable`. */
const OVERLOADED = 'overloaded';
const RETRY_COUNT_MAX = 20;
const retries = wholeNumber(0, RETRY_COUNT_MAX);
const retryOnce = fields({ count: retries, pause: time });
const tries: Shape<number | ValueOf<typeof retryOnce>> = (value) => (typeof value === 'number' ? retries(value) : retryOnce(value));
const retry = fields({
  ...{ crash: tries, timeout: tries, quota: tries, auth: tries, refused: tries, 'invalid-output': tries, unavailable: tries },
  [OVERLOADED]: tries,
} satisfies Record<(typeof RETRIED_FAILURES)[number] | typeof OVERLOADED, unknown>);

const roleFields = fields({
  driver: fieldText,
  description: fieldText,
  model: fieldText,
  credential: fieldText,
  tools,
  permissions,
  budget: fields({ ...amounts, day: writtenBudget }),
  idle: time,
  argv: program,
  env: variables,
  base_url: url,
  setting_sources: list(source, 'a list, such as [user, project]'),
  retry,
  agents: list(fieldText, 'a list, such as [reviewer]'),
});

/** The fields of a role in a file. */
export const writtenRole = withRule(roleFields, ({ tools: named, permissions: given }) =>
  named === undefined || given === undefined || !('tools' in given)
    ? undefined
    : { path: ['tools'], what: 'is set twice, here and under permissions; keep one of them' },
);

type WrittenRole = ValueOf<typeof writtenRole>;

/** Converts the fields of a role from their form in files. */
export function roleFieldsOf(written: WrittenRole): RoleFields {
  const { driver, description, model, credential, budget, idle, argv, env } = written;
  const { base_url: baseUrl, setting_sources: sources, retry: retried, agents } = written;
  return omitUndefined({
    ...{ driver, description, model, credential, argv, baseUrl, env, agents },
    permissions: permissionsOf(written),
    budget: budget && budgetOf(budget),
    idleMs: idle === undefined ? undefined : durationOf(idle),
    settingSources: sources && SOURCES.filter((known) => sources.includes(known)),
    retry: retried && retryOf(retried),
  });
}

const PAUSE_MS = 5000;

function retryOf(retried: NonNullable<WrittenRole['retry']>): NonNullable<RoleFields['retry']> {
  const found: Partial<Record<AgentFailure, RoleRetry>> = {};
  for (const failure of [...RETRIED_FAILURES, OVERLOADED] as const) {
    const entry = retried[failure];
    if (entry === undefined) continue;
    const { count: times = 1, pause } = typeof entry === 'number' ? { count: entry } : entry;
    found[failure === OVERLOADED ? 'unavailable' : failure] = {
      count: times,
      pauseMs: (pause === undefined ? undefined : durationOf(pause)) ?? PAUSE_MS,
    };
  }
  return found;
}

// Without `permissions`, tools extend the defaults; a list of kinds replaces them.
function permissionsOf({ tools: named, permissions }: WrittenRole): AgentPermissions | undefined {
  if (named === undefined && permissions === undefined) return undefined;
  const { allow, tools: more = named, deny, network } = fieldsOfPermissions(permissions);
  return {
    allow: allow === undefined ? WORK_IN_PLACE.allow : TOOL_ACTIONS.filter((known) => allow.includes(known)),
    ...omitUndefined({ tools: more, deny, network }),
  };
}

function fieldsOfPermissions(permissions: WrittenRole['permissions'] = {}): ValueOf<typeof permissionFields> {
  return 'length' in permissions ? { allow: permissions } : permissions;
}

function budgetOf({ day, ...budget }: NonNullable<WrittenRole['budget']>): NonNullable<RoleFields['budget']> {
  return { ...readWrittenBudget(budget), ...omitUndefined({ day: day && readWrittenBudget(day) }) };
}
