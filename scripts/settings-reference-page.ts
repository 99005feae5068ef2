// Owns docs/reference/settings.md: every setting from the checks that the program reads settings with, with what it does and
// an example. `npm run reference` writes the page; a test compares it, and reads every example as a settings file.

import { knownSettings } from '../src/cli/settings/known-settings.ts';

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
    does: 'How many steps may hold the slot of this name at the same time (`slots` of a step).',
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
  'forge.kind': {
    does: 'Where issues and pull requests are kept: on this machine, or at [GitHub](../guides/github.md).',
    example: 'forge: { kind: local }',
  },
  'forge.repository': {
    does: 'The git repository of a local forge (default: the project), or the name of the repository at GitHub.',
    example: 'forge: { kind: github, repository: octo/project }',
  },
  'forge.state': {
    does: 'The file with the issues, reviews and checks of a local forge, or with the record of actions at GitHub. Default: next to the database.',
    example: 'forge: { kind: local, state: .pawl/forge.db }',
  },
  'forge.auth': {
    does: 'The login at GitHub: what the program `gh` has (the default), a token, or a GitHub App. Tokens and keys are named as secrets.',
    example: 'forge: { kind: github, repository: octo/project, auth: { token: GITHUB_TOKEN } }',
  },
  'forge.base_url': {
    does: 'The address of a GitHub Enterprise server.',
    example: 'forge: { kind: github, repository: octo/project, base_url: "https://github.example.com" }',
  },
  'forge.poll': {
    does: 'How often GitHub is asked for news while a process waits for them. Default: 60s.',
    example: 'forge: { kind: github, repository: octo/project, poll: 2m }',
  },
  'forge.webhook_secret': {
    does: 'The secret that the webhooks of GitHub are signed with. "pawl serve" takes them at /hooks/github; without it, GitHub is only polled.',
    example: 'forge: { kind: github, repository: octo/project, webhook_secret: GITHUB_HOOK }',
  },
  'forge.comments': {
    does: 'Whether "pawl serve" keeps one comment per run up to date at its issue or pull request. Default: true.',
    example: 'forge: { kind: local, comments: false }',
  },
  'forge.checks': {
    does: 'Whether "pawl serve" reports each gate as a check of the pull request. Default: true.',
    example: 'forge: { kind: local, checks: false }',
  },
  'forge.commands': {
    does: 'Whether people can decide with [commands in comments](../guides/github.md#deciding-from-github), or the groups whose commands count. Default: true.',
    example: 'forge: { kind: local, commands: [maintainers] }',
  },
  'forge.self_approval': {
    does: 'Whether the author of a pull request may approve with a command in a comment. Default: false.',
    example: 'forge: { kind: local, self_approval: true }',
  },
  'forge.forks': {
    does: 'Owners, and single forks as owner/name, whose pull requests start workflows although their authors have no write permission. Default: none.',
    example: 'forge: { kind: github, repository: octo/project, forks: [carol, acme/project] }',
  },
  'budgets.run': {
    does: 'What the agents of one run may use in all; then the run waits for more.',
    example: 'budgets: { run: { cost_usd: 5, time: 2h } }',
  },
  'budgets.day': { does: 'What all agents may use in a day.', example: 'budgets: { day: { tokens: 2000000 } }' },
  'circuit_breakers.max_iterations': {
    does: 'How often a run may visit one step before it [escalates](../guides/events-for-runs.md). `circuit_breakers: true` turns on all five with their usual values (here 5); `false` turns one off.',
    example: 'circuit_breakers: { max_iterations: 5 }',
  },
  'circuit_breakers.max_tool_calls': {
    does: 'How often the agents of a run may use tools, as far as their drivers report it. Usual value: 200.',
    example: 'circuit_breakers: { max_tool_calls: 200 }',
  },
  'circuit_breakers.max_turns': {
    does: 'How many turns the agents of a run may take, as far as their drivers report it. Usual value: 50.',
    example: 'circuit_breakers: { max_turns: 50 }',
  },
  'circuit_breakers.max_active': {
    does: 'How long the steps of a run may work, summed. Usual value: 2h.',
    example: 'circuit_breakers: { max_active: 2h }',
  },
  'circuit_breakers.max_sleep': {
    does: 'How long nothing may happen in a run. Usual value: 24h.',
    example: 'circuit_breakers: { max_sleep: 24h }',
  },
  protected: {
    does: 'Patterns of files that no agent may change, in addition to those that are always protected.',
    example: 'protected: ["test/**"]',
  },
  'secrets.<name>': {
    does: 'Where the value of a secret comes from, and to which `hosts` it may be sent. The value itself is never in a settings file.',
    example: 'secrets: { API_TOKEN: { env: API_TOKEN, hosts: [api.example.com] } }',
  },
  'databases.<name>': {
    does: 'A SQLite file of yours that is [protected](../guides/protected-data.md): its `path`, the folder of its `migrations`, how many rows one statement may update (`row_limit`, default 1,000) and how many backups of each kind are kept (`keep_backups`, default 20). A file of the project may only name paths inside the project.',
    example: 'databases: { book: { path: data/project.db, migrations: migrations } }',
  },
  'webhooks.allow': {
    does: 'Hosts of your machine or your private network that webhooks may reach.',
    example: 'webhooks: { allow: ["127.0.0.1:8080"] }',
  },
  'writes.comments': {
    does: 'Comments on issues and pull requests that the agents and programs of one run may have [written at the forge](../guides/github-writes.md) (default: 20). Workflows can only lower it.',
    example: 'writes: { comments: 20 }',
  },
  'writes.pull_requests': {
    does: 'Pull requests that the agents and programs of one run may have [written at the forge](../guides/github-writes.md) (default: 3). Workflows can only lower it.',
    example: 'writes: { pull_requests: 3 }',
  },
  'writes.labels': {
    does: 'Changes of labels that the agents and programs of one run may have [written at the forge](../guides/github-writes.md) (default: 20). Workflows can only lower it.',
    example: 'writes: { labels: 20 }',
  },
  'writes.issues': {
    does: 'New issues that the agents and programs of one run may have [written at the forge](../guides/github-writes.md) (default: 5). Workflows can only lower it.',
    example: 'writes: { issues: 5 }',
  },
  'writes.reviews': {
    does: 'Reviews that the agents and programs of one run may have [written at the forge](../guides/github-writes.md) (default: 10). Workflows can only lower it.',
    example: 'writes: { reviews: 10 }',
  },
  'writes.discussions': {
    does: 'Replies in discussions that the agents and programs of one run may have [written at the forge](../guides/github-writes.md) (default: 5). Workflows can only lower it.',
    example: 'writes: { discussions: 5 }',
  },
  'writes.links': {
    does: 'Hosts that links in what agents have written at the forge may lead to, in addition to the repository itself.',
    example: 'writes: { links: [docs.example.com] }',
  },
  staged: {
    does: 'A person sees everything that agents and programs want [written at the forge](../guides/github-writes.md) first, in all workflows.',
    example: 'staged: true',
  },
  'serve.public_url': {
    does: 'The address under which people reach `pawl serve`, where it is not the one it listens on: behind a proxy, or by a name. Links and passkeys use it.',
    example: 'serve: { public_url: https://pawl.example.com }',
  },
  'serve.trusted_proxy': {
    does: 'The addresses of the proxy with TLS in front of `pawl serve`, whose `X-Forwarded-For` is believed. With `serve.public_url` it allows an address other than loopback without a certificate.',
    example: 'serve: { trusted_proxy: ["127.0.0.1"] }',
  },
  'serve.projects': {
    does: 'Folders of further projects that the same "pawl serve" drives, each with its own settings, database and [repository](../guides/github.md).',
    example: 'serve: { projects: [../bank] }',
  },
  'hooks.<name>': {
    does: 'What a signed delivery to `/hooks/<name>` of `pawl serve` does: it starts a workflow or sends a signal ([guide](../guides/triggers.md)).',
    example: 'hooks: { deploy: { secret: DEPLOY_HOOK, start: deploy, params: { version: "{{ body.version }}" } } }',
  },
  'notifications.<name>': {
    does: 'Whom `pawl serve` tells about runs that wait, fail or end, and how ([guide](../guides/notifications.md)).',
    example: 'notifications: { team: { webhook: { secret: SLACK_URL }, shape: slack, events: [waiting, failed] } }',
  },
  metrics: { does: '`/metrics` of `pawl serve` needs no login.', example: 'metrics: public' },
  decisions: {
    does: 'Every decision of a person needs the signature of an enrolled key. No file can turn it off again.',
    example: 'decisions: signed',
  },
  'mcp.elicit': {
    does: 'Lets the client of the MCP server ask you the questions of an agent in its own form ([why it is off](../guides/mcp.md#answering-questions-in-the-client)). Only in your own settings.',
    example: 'mcp: { elicit: questions }',
  },
  roles: {
    does: 'Agents by name, with the [fields of a role](../guides/agents.md#roles) and `triggers`. A role can also be a file, `.pawl/agents/<name>.md`.',
    example: 'roles: { developer: { driver: claude-code, idle: 5m } }',
  },
  agent_roles: { does: 'Another name for `roles`; a file uses one of the two.', example: 'agent_roles: { developer: { driver: codex } }' },
  review_policy: {
    does: 'Which roles review which pull requests. Each rule becomes a workflow.',
    example: 'review_policy: { default_requirements: [{ role: reviewer, count: 1 }] }',
  },
};

const INTRODUCTION = `# Settings

<!-- Written by scripts/reference.js from the checks of the program; changes here are lost. -->

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
| \`XDG_CACHE_HOME\`, \`NODE_DISABLE_COMPILE_CACHE\` | where Pawl keeps its own compiled code and what it read of your modules, instead of \`~/.cache\`; \`1\` keeps no compiled code. The folder \`pawl\` in it can be deleted at any time |
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
