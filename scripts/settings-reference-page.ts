// Owns docs/reference/settings.md: every setting from the checks that the program reads settings with, with what it does and
// an example. `npm run reference` writes the page; a test compares it, and reads every example as a settings file.

import { knownSettings } from '../src/cli/settings/file.ts';

/** What a setting does, and how it is written. */
export interface SettingNote {
  readonly does: string;
  readonly example: string;
}

/** The notes by the key of their setting. */
export const SETTING_NOTES: Readonly<Record<string, SettingNote>> = {
  db: {
    does: 'The database of runs. A relative path starts at the project, or at the folder of your own settings. A file of the project may only name a path inside the project. Default: a file for the project in your state folder.',
    example: 'db: .pawl/runs.db',
  },
  'limits.global': { does: 'How many steps may work at the same time.', example: 'limits: { global: 4 }' },
  'limits.repository': { does: 'How many of them in one repository.', example: 'limits: { repository: 2 }' },
  'limits.roles.<name>': { does: 'How many of them for one role.', example: 'limits: { roles: { developer: 1 } }' },
  'limits.credentials.<name>': {
    does: 'How many of them for all roles with this `credential`.',
    example: 'limits: { credentials: { work-account: 2 } }',
  },
  'limits.keys.<name>': {
    does: 'How many steps may hold the slot of this name at once (`slots` of a step).',
    example: 'limits: { keys: { database: 1 } }',
  },
  'validation.stages.<name>': {
    does: 'A stage that `validate` steps can name: a command line, a list of other stages, or `run` or `argv` with `env`, `cwd`, `timeoutMs` and `tests`.',
    example: 'validation: { stages: { lint: npm run lint, all: [lint] } }',
  },
  environment: {
    does: 'Variables of your environment that programs and agents inherit. A file of the project can only shorten the list.',
    example: 'environment: [PATH, HOME, "LC_*"]',
  },
  'commands.<name>': { does: 'A program that steps can start by this name.', example: 'commands: { review: [node, tools/review.mjs] }' },
  'project.default_branch': {
    does: 'The main branch; workflow files read it as `config.project.default_branch`.',
    example: 'project: { default_branch: main }',
  },
  'groups.<name>': {
    does: 'The people of a group that approvals and gates can ask for (`from`).',
    example: 'groups: { maintainers: [ann, bob] }',
  },
  'forge.kind': { does: 'Where issues and pull requests are kept.', example: 'forge: { kind: local }' },
  'forge.repository': { does: 'The git repository of the forge. Default: the project.', example: 'forge: { kind: local, repository: . }' },
  'forge.state': {
    does: 'The file with its issues, reviews and checks. Default: beside the database.',
    example: 'forge: { kind: local, state: .pawl/forge.db }',
  },
  'budgets.run': {
    does: 'What the agents of one run may use in all; then the run waits for more.',
    example: 'budgets: { run: { cost_usd: 5, time: 2h } }',
  },
  'budgets.day': { does: 'What all agents may use in a day.', example: 'budgets: { day: { tokens: 2000000 } }' },
  protected: {
    does: 'Patterns of files that no agent may change, in addition to those that are always protected.',
    example: 'protected: ["test/**"]',
  },
  'secrets.<name>': {
    does: 'Where the value of a secret comes from, and to which `hosts` it may be sent. The value itself is never in a settings file.',
    example: 'secrets: { API_TOKEN: { env: API_TOKEN, hosts: [api.example.com] } }',
  },
  'webhooks.allow': {
    does: 'Hosts of your machine or your private network that webhooks may reach.',
    example: 'webhooks: { allow: ["127.0.0.1:8080"] }',
  },
  decisions: {
    does: 'Every decision of a person needs the signature of an enrolled key. No file can turn it off again.',
    example: 'decisions: signed',
  },
  'mcp.elicit': {
    does: 'Lets the MCP client of an agent ask you the questions of that agent in a form of its own. It counts only in the settings of your account, never in those of a project, and never for approvals ([MCP](../guides/mcp.md)).',
    example: 'mcp: { elicit: questions }',
  },
  roles: {
    does: 'Agents by name: `driver`, `description`, `model`, `credential`, `tools`, `permissions`, `budget`, `idle`, `argv`, `env`, `base_url`, `retry`, `setting_sources`, `agents`, and `triggers`. A role can also be a file, `.pawl/agents/<name>.md`.',
    example: 'roles: { developer: { driver: claude-code, idle: 5m } }',
  },
  agent_roles: { does: 'Another name for `roles`; a file uses one of the two.', example: 'agent_roles: { developer: { driver: codex } }' },
  review_policy: {
    does: 'Which roles review which pull requests. Each rule becomes a workflow.',
    example: 'review_policy: { default_requirements: [{ role: reviewer, count: 1 }] }',
  },
};

const INTRODUCTION = `# Settings

<!-- Written by scripts/settings-reference.js from the checks of the program; changes here are lost. -->

Settings are YAML, in \`.pawl/config.yaml\`, \`.pawl/config.local.yaml\` and \`~/.config/pawl/config.yaml\`. [The guide](../guides/settings.md) says which of them counts when they differ, and which must be trusted. An unknown name or a wrong value is an error with its line.`;

const VARIABLES = `## Environment variables

| variable | does |
|---|---|
| \`PAWL_DB\` | the database of runs, before the setting \`db\` |
| \`PAWL_PROJECT\` | the folder of the project, when it is not the current one |
| \`PAWL_STATE\` | your state folder: databases, trust, tokens, keys |
| \`PAWL_TOKEN\` | your personal token, where there is no terminal |
| \`PAWL_TRUSTED_KEYS\` | on a machine without keys: a file with the public keys whose signatures count |
| \`XDG_CONFIG_HOME\`, \`XDG_STATE_HOME\` | where your own settings and your state folder are |
| \`NO_COLOR\`, \`FORCE_COLOR\` | no colours; colours in a pipe too |

Programs that a step starts get \`PAWL_RUN\`, \`PAWL_STEP\`, \`PAWL_ATTEMPT\`, \`PAWL_KEY\` (the idempotency key) and, in a fan-out, \`PAWL_ITEM\`.`;

/** The page. */
export function settingsReferencePage(): string {
  const rows = knownSettings().map(({ key, value }) => {
    const { does, example } = SETTING_NOTES[key] ?? { does: '', example: '' };
    return `| \`${key}\` | ${cell(does)} | ${cell(value)} | \`${cell(example)}\` |`;
  });
  const table = ['| setting | does | its value is | example |', '|---|---|---|---|', ...rows].join('\n');
  return `${[INTRODUCTION, table, VARIABLES].join('\n\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
