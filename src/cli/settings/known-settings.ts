// Owns the list of settings, with the rule for each value. The types of the settings follow from it, as do the checks of a
// settings file and docs/reference/settings.md.

import { writtenBudget } from '../../agents/role-fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import {
  count,
  durationText,
  type Fault,
  flag,
  isTexts,
  mapping,
  must,
  oneOf,
  orOff,
  parseShape,
  type Shape,
  text,
  texts,
  wholeNumber,
  withRule,
} from '../../base/shape.ts';
import { type Budget, readWrittenBudget } from '../../definition/budget.ts';
import type { WriteKind } from '../../definition/forge/forge-write.ts';
import type { SecretSource } from '../../steps/secrets.ts';
import type { StageSetting } from '../../steps/services.ts';
import { hook, notificationTarget } from './events.ts';
import { reviewPolicy, roles } from './policy.ts';

/** A setting's value: its shape and, if it is kept in another form than it is written in, that form. */
type SettingShape<Value> = Shape<Value> & { readonly kept?: (value: Json) => Json };

/** The settings below a name; `*` stands for any name. */
export interface SettingGroup {
  readonly [name: string]: SettingShape<unknown> | SettingGroup;
}

const VARIABLE = /^[A-Za-z_]\w*$/;
const SOURCE = 'where its value comes from, such as { env: API_TOKEN }, { file: /run/secrets/token } or { command: [pass, show, api] }';
const DATABASE = 'a mapping with the path of a SQLite file, such as { path: data/project.db, migrations: migrations, row_limit: 1000 }';
const STAGE = 'a command line, a list of other stages, or a mapping with run or argv';

const variableNames = must<readonly string[]>(
  (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && VARIABLE.test(name.replace(/\*$/, ''))),
  'a list of variable names, such as [PATH, LC_*]',
);

const address = must<string>(
  (value) => typeof value === 'string' && /^https?:\/\/[^/]+\/?$/.test(value) && URL.canParse(value),
  'the address that people use, such as https://pawl.example.com',
);

const duration = durationText('a duration, such as 60s', 1);
const countOrZero = wholeNumber(0);

/** A budget is kept with its time in milliseconds. */
const budget: SettingShape<Budget> = Object.assign((value: Json) => writtenBudget(value), {
  kept: (value: Json) => ({ ...readWrittenBudget(parseShape(writtenBudget, value, ({ what }) => new Error(`a budget ${what}`))) }),
});

const secretFields = mapping(
  {
    env: must<string>((value) => typeof value === 'string' && VARIABLE.test(value), 'the name of a variable, such as API_TOKEN'),
    file: text,
    command: texts('a program and its arguments, such as [pass, show, api]'),
    hosts: texts('a list of hosts, such as [api.example.com]'),
  },
  { expected: SOURCE },
);

const secretWithSource = withRule(secretFields, ({ env, file, command }) =>
  [env, file, command].filter((source) => source !== undefined).length === 1 ? undefined : mustBe(SOURCE),
);

/** A secret is set by its source: a value in a settings file would be stored, copied and committed. */
const secret: Shape<SecretSource & { readonly hosts?: readonly string[] }> = (value) =>
  isJsonObject(value) ? secretWithSource(value) : mustBe(`${SOURCE}; the value itself must not be in a settings file`);

const stageFields = mapping(
  {
    run: text,
    argv: texts('a program and its arguments, such as [npm, test]'),
    env: must<Readonly<Record<string, string>>>(
      (value) => isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string'),
      'a mapping of names to texts',
    ),
    cwd: must<string>((value) => typeof value === 'string', 'a folder'),
    timeoutMs: count,
    tests: oneOf(['optional'], '"optional" or absent'),
  },
  { expected: STAGE },
);

const stageProgram = withRule(stageFields, ({ run, argv }) => ((run === undefined) === (argv === undefined) ? mustBe(STAGE) : undefined));

const stage: Shape<StageSetting> = (value) => (text(value) === undefined || isTexts(value) ? undefined : stageProgram(value));

function mustBe(expected: string): Fault {
  return { path: [], what: `must be ${expected}` };
}

/** The login at GitHub; texts are names of secrets. */
type ForgeAuth =
  | 'gh'
  | { readonly token: string }
  | { readonly app: number | string; readonly private_key: string; readonly installation?: number };

const forgeAuth = must<ForgeAuth>((value) => {
  if (value === 'gh') return true;
  if (!isJsonObject(value)) return false;
  const { token, app, private_key, installation, ...rest } = value;
  const isName = (name: Json | undefined): boolean => typeof name === 'string' && name !== '';
  const isNumber = (number: Json | undefined): boolean => Number.isSafeInteger(number) && Number(number) > 0;
  const isToken = isName(token) && app === undefined && private_key === undefined && installation === undefined;
  const isApp = token === undefined && (isNumber(app) || isName(app)) && isName(private_key);
  return (isToken || (isApp && (installation === undefined || isNumber(installation)))) && Object.keys(rest).length === 0;
}, 'gh, { token: SECRET } or { app: ID, private_key: SECRET }, where SECRET is the name of one under "secrets"');

const FORK = /^[A-Za-z0-9][A-Za-z0-9-]*(?:\/[\w.-]+)?$/;

const forge = {
  kind: oneOf(['local', 'github'], '"local" or "github"'),
  /** At GitHub `owner/name`, else a folder. */
  repository: text,
  /** The file of a local forge, or the record of the actions at GitHub. */
  state: text,
  auth: forgeAuth,
  base_url: text,
  poll: duration,
  /** The name of the secret that webhooks are signed with. */
  webhook_secret: text,
  /** One comment per run. */
  comments: flag,
  /** One check per gate. */
  checks: flag,
  /** Commands in comments; or the groups whose commands are accepted. */
  commands: must<boolean | readonly string[]>(
    (value) => typeof value === 'boolean' || isTexts(value),
    'true, false, or a list of groups, such as [maintainers]',
  ),
  /** Whether the author of a pull request may approve it with a command. */
  self_approval: flag,
  /** Forks, by owner or as `owner/name`, whose pull requests start workflows without a person. */
  forks: must<readonly string[]>(
    (value) => isTexts(value) && value.every((one) => FORK.test(one)),
    'a list of owners or repositories at GitHub, such as [carol, acme/project]',
  ),
};

const writeLimits = {
  comments: countOrZero,
  pull_requests: countOrZero,
  labels: countOrZero,
  issues: countOrZero,
  reviews: countOrZero,
  discussions: countOrZero,
} satisfies Record<WriteKind, unknown>;

/** All settings, by their place in a file. */
export const SETTINGS = {
  /** The database, as an absolute path once it is read. */
  db: text,
  limits: { global: count, repository: count, roles: { '*': count }, credentials: { '*': count }, keys: { '*': count } },
  validation: { stages: { '*': stage } },
  /** The variables that programs and agents inherit. */
  environment: variableNames,
  /** Programs by the name that steps use. */
  commands: { '*': texts('a program and its arguments, such as [node, tools/review.mjs]') },
  /** What workflow files read as `config.project`. */
  project: { default_branch: text },
  groups: { '*': texts('a list of people, such as [ann, bob]') },
  forge,
  /** The budgets of one run's agents and of all agents per day. */
  budgets: { run: budget, day: budget },
  /** Limits that stop a run that takes too long. */
  circuit_breakers: {
    max_iterations: orOff(count),
    max_tool_calls: orOff(count),
    max_turns: orOff(count),
    max_active: orOff(duration),
    max_sleep: orOff(duration),
  },
  /** Patterns of files that no agent may change, in addition to those that are always protected. */
  protected: texts('a list of patterns, such as ["test/**"]'),
  /** Where the values of secrets come from, and to which hosts they may be sent. Paths of files are absolute. */
  secrets: { '*': secret },
  /** The databases that are protected, by name; paths are absolute. */
  databases: {
    '*': mapping({ path: text, migrations: text, row_limit: count, keep_backups: count }, { expected: DATABASE, required: ['path'] }),
  },
  /** Hosts that webhooks may reach although they are not public. */
  webhooks: { allow: texts('a list of hosts, such as ["127.0.0.1:8080"]') },
  /** Limits on what agents write at the forge in one run, and the hosts that links may lead to. */
  writes: { ...writeLimits, links: texts('a list of hosts, such as [docs.example.com]') },
  /** A person reviews what agents write at the forge before it is written. */
  staged: oneOf([true], 'true or absent'),
  /** The address of the server, the proxy in front of it, and the other projects that it serves. */
  serve: {
    public_url: address,
    trusted_proxy: texts('a list of addresses, such as ["127.0.0.1", "10.0.0.0/8"]'),
    projects: texts('a list of folders of other projects, such as [../shop, ../bank]'),
  },
  /** The effects of deliveries to `/hooks/<name>`. */
  hooks: { '*': hook },
  /** The targets of notifications about runs. */
  notifications: { '*': notificationTarget },
  /** `/metrics` of the server does not require a login. */
  metrics: oneOf(['public'], '"public" or absent'),
  /** Decisions about runs require a signature. */
  decisions: oneOf(['signed'], '"signed" or absent'),
  /** Questions of agents may be answered in a form of the MCP client. Only the settings in the account's home can allow it. */
  mcp: { elicit: oneOf(['questions'], '"questions" or absent') },
  /** The settings of roles by name. */
  roles,
  agent_roles: roles,
  review_policy: reviewPolicy,
} satisfies SettingGroup;

type InFile<S> =
  S extends Shape<infer Value>
    ? Value
    : S extends { readonly '*': infer Each }
      ? Readonly<Record<string, InFile<Each>>>
      : { readonly [Name in keyof S]?: InFile<S[Name]> };

/** The settings as they are nested in a file. */
export type WrittenSettings = InFile<typeof SETTINGS>;

/** A setting and what its value must be. In keys, `<name>` stands for a name that the author chooses. */
interface KnownSetting {
  readonly key: string;
  readonly value: string;
}

/** All settings that the checks accept. */
export function knownSettings(group: SettingGroup = SETTINGS, path: readonly string[] = []): KnownSetting[] {
  return Object.entries(group).flatMap(([name, child]) => {
    const keys = [...path, name === '*' ? '<name>' : name];
    if (typeof child !== 'function') return knownSettings(child, keys);
    // What a value must be, taken from the fault of a wrong one.
    return [{ key: keys.join('.'), value: (child(null)?.what ?? '').replace(/^must be /, '') }];
  });
}
