// Owns the setup of each agent program: the skill or command with which a person starts a run, the MCP server, and the hooks.

import { join } from 'node:path';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { agentTemplate, appendedFile, callWords, jsonFile, type SetupFile, sharedSkill, wholeFile } from './setup-file.ts';

/** The programs that `pawl init` can set up. */
export const AGENT_PROGRAMS = ['claude', 'codex', 'gemini', 'opencode'] as const;

type AgentProgram = (typeof AGENT_PROGRAMS)[number];

interface AgentSetup {
  readonly files: (shell: Shell, project: Project) => readonly SetupFile[];
  /** How the person starts the program, and what they must allow in it. */
  readonly next: string;
}

/** The setup of each program. */
export const AGENT_SETUPS: Readonly<Record<AgentProgram, AgentSetup>> = {
  claude: { files: claudeFiles, next: 'start "claude" in this project, allow the server "pawl", and type "/pawl NAME"' },
  codex: { files: codexFiles, next: 'start "codex" in this project, trust the project and its hooks ("/hooks"), and type "$pawl NAME"' },
  gemini: { files: geminiFiles, next: 'start "gemini" in this project, trust the folder, and type "/pawl NAME"' },
  opencode: { files: opencodeFiles, next: 'start "opencode" in this project and type "/pawl NAME"' },
};

/** The timeout of a hook, which takes a fraction of a second. */
const HOOK_TIMEOUT_S = 30;
/** The timeout of a tool, which waits up to a minute for the next step. */
const TOOL_TIMEOUT_S = 120;
const COMMAND_ABOUT = 'Start or continue a Pawl run: /pawl NAME [param=value …]';

/** The hooks of a program. `matcher` selects the tools that change files; `before` and `end` are the program's event names. */
interface HookSettings {
  readonly agent?: AgentProgram;
  readonly matcher: string;
  readonly before?: string;
  readonly end?: string;
  readonly timeout?: number;
  readonly isNamed?: true;
}

function hooksOf(
  shell: Shell,
  { agent, matcher, before = 'PreToolUse', end = 'Stop', timeout = HOOK_TIMEOUT_S, isNamed }: HookSettings,
): JsonObject {
  const option = agent === undefined ? '' : ` --agent ${agent}`;
  const hook = (event: string) => ({
    hooks: [
      {
        ...omitUndefined({ name: isNamed && `pawl-${event}` }),
        type: 'command',
        command: `${shell.program} hook ${event}${option}`,
        timeout,
      },
    ],
  });
  return { SessionStart: [hook('session-start')], [before]: [{ matcher, ...hook('pre-tool-use') }], [end]: [hook('stop')] };
}

function claudeFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const [command, ...words] = callWords(shell);
  const matcher = 'Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__.*__pawl_(next|report|ask)';
  return [
    wholeFile(join(root, '.claude', 'skills', 'pawl', 'SKILL.md'), agentTemplate(shell, 'SKILL.md')),
    // Without alwaysLoad, Claude Code hides the tools behind a search, and a model that does not search does not find them.
    jsonFile(join(root, '.mcp.json'), { mcpServers: { pawl: { command, args: [...words, 'mcp'], alwaysLoad: true } } }),
    jsonFile(join(root, '.claude', 'settings.json'), { hooks: hooksOf(shell, { matcher }) }),
  ];
}

/** Codex reads its settings in a project only if the person trusts the project in Codex. */
function codexFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const [command, ...words] = callWords(shell);
  // Codex passes on few of the person's variables.
  const variables = ['PAWL_STATE', 'PAWL_DB', 'PAWL_PROJECT', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];
  const server = [
    '[mcp_servers.pawl]',
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify([...words, 'mcp'])}`,
    'env = { PAWL_AGENT = "codex" }',
    `env_vars = ${JSON.stringify(variables)}`,
    `tool_timeout_sec = ${TOOL_TIMEOUT_S}`,
    '',
  ].join('\n');
  const hooks = hooksOf(shell, { agent: 'codex', matcher: 'Bash|apply_patch|Edit|Write' });
  return [
    sharedSkill(shell, root),
    appendedFile(join(root, '.codex', 'config.toml'), { text: server, mark: '[mcp_servers.pawl]' }),
    jsonFile(join(root, '.codex', 'hooks.json'), { hooks }),
  ];
}

/** Gemini CLI reads the settings of a project only if the person trusts the folder. */
function geminiFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const [command, ...words] = callWords(shell);
  const prompt = agentTemplate(shell, 'command.md').replace('ARGUMENTS', '{{args}}').trim();
  const server = { command, args: [...words, 'mcp'], env: { PAWL_AGENT: 'gemini' }, timeout: TOOL_TIMEOUT_S * 1000 };
  const hooks = hooksOf(shell, {
    ...{ agent: 'gemini', matcher: 'run_shell_command|write_file|replace', before: 'BeforeTool', end: 'AfterAgent' },
    ...{ timeout: HOOK_TIMEOUT_S * 1000, isNamed: true },
  });
  return [
    sharedSkill(shell, root),
    wholeFile(join(root, '.gemini', 'commands', 'pawl.toml'), `description = "${COMMAND_ABOUT}"\nprompt = '''\n${prompt}\n'''\n`),
    jsonFile(join(root, '.gemini', 'settings.json'), { mcpServers: { pawl: server }, hooks }),
  ];
}

/** OpenCode asks a plugin before tool calls, and has no hook that keeps an agent at work. */
function opencodeFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const words = callWords(shell);
  const hook = JSON.stringify([...words, 'hook', 'pre-tool-use', '--agent', 'opencode'])
    .replaceAll('"', "'")
    .replaceAll(',', ', ');
  const prompt = agentTemplate(shell, 'command.md').replace('ARGUMENTS', '$ARGUMENTS');
  const environment = { PAWL_AGENT: 'opencode' };
  const server = { type: 'local', command: [...words, 'mcp'], environment, enabled: true, timeout: TOOL_TIMEOUT_S * 1000 };
  return [
    sharedSkill(shell, root),
    wholeFile(join(root, '.opencode', 'commands', 'pawl.md'), `---\ndescription: "${COMMAND_ABOUT}"\n---\n\n${prompt}`),
    wholeFile(join(root, '.opencode', 'plugins', 'pawl.js'), agentTemplate(shell, 'opencode-plugin.js').replace('COMMAND', hook)),
    jsonFile(join(root, 'opencode.json'), { $schema: 'https://opencode.ai/config.json', mcp: { pawl: server } }),
  ];
}
